"""What is held to its contract: an installed pack, a pack object, or a stranger's server."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from types import ModuleType

from attrs import field, frozen

from toolroll.contract import Contract
from toolroll.errors import LoadError
from toolroll.frozen import CONTRACT_FILE, live_contract, read_frozen
from toolroll.hookspecs import hookimpl
from toolroll.pack import Pack
from toolroll.registry import Source, discover, load_unchecked
from toolroll_conformance.case import Case
from toolroll_conformance.case_files import load_cases
from toolroll_conformance.known_failures import KNOWN_FAILURES_FILE, KnownFailures

__all__ = ["Target", "TargetError"]

CASES: str = "cases"


class TargetError(Exception):
    """There is nothing to test; the message says what to do."""


@frozen(kw_only=True)
class Target:
    """A pack or server with what it promises.

    Attributes:
        contract: The contract to hold it to: the live one; `frozen-contract` compares the two.
        live: The contract that the code yields; None for a stranger's server.
        frozen: What `contract.json` holds; None where a pack has not frozen any.
        cases: Its cases, in the order of their files.
        known_failures: Checks that are expected to fail, with reasons.
        source: How toolroll loads it; None for a stranger's server.
        pack: The pack object; None for a stranger's server.
        is_installed: Whether a started host finds the pack by itself.
    """

    contract: Contract
    live: Contract | None = None
    frozen: Contract | None = None
    cases: Sequence[Case] = ()
    known_failures: KnownFailures = field(factory=KnownFailures)
    source: Source | None = None
    pack: Pack | None = None
    is_installed: bool = False

    @property
    def name(self) -> str:
        """The pack's name."""
        return self.contract.pack

    @property
    def is_pack(self) -> bool:
        """Whether it is a pack of Toolroll, which owes more than MCP asks of a server."""
        return self.source is not None

    @classmethod
    def installed(cls, name: str, cases: Path | None = None) -> Target:
        """Find an installed pack by its name.

        Raises:
            TargetError: No such pack is installed, or it cannot be loaded.
            CaseFileError: A case file is wrong.
        """
        sources = {source.name: source for source in discover()}
        if name not in sources:
            known = ", ".join(sorted(sources)) or "none"
            raise TargetError(
                f"no pack {name!r} is installed here; installed: {known}. Install it with "
                "'pip install -e .' in its folder"
            )
        try:
            pack = load_unchecked(sources[name])
        except LoadError as error:
            raise TargetError(f"{name}: {error.stage}: {error.cause}; {error.remedy}") from None
        return cls._of(pack, sources[name], cases, is_installed=True)

    @classmethod
    def of(cls, pack: Pack, cases: Path | None = None) -> Target:
        """Take a pack object that need not be installed.

        Args:
            pack: The pack; its class must be importable for the stdio and HTTP legs.
            cases: Its case directory; by default `cases` in its package.
        """
        module = ModuleType(pack.name)
        module.toolroll_pack = hookimpl(lambda: pack)  # pyright: ignore[reportAttributeAccessIssue]
        source = Source(
            name=pack.name, distribution=type(pack).__module__, version="", load=lambda: module
        )
        return cls._of(pack, source, cases, is_installed=False)

    @classmethod
    def stranger(cls, contract: Path, cases: Path | None = None) -> Target:
        """Take a server that is known only by its contract file.

        Raises:
            TargetError: The file is no contract.
        """
        try:
            promised = Contract.from_json(json.loads(contract.read_text("utf-8")))
        except KeyError as error:
            raise TargetError(f"{contract} is no contract: it has no {error}") from None
        except (OSError, ValueError) as error:
            raise TargetError(f"{contract} is no contract: {error}") from None
        directory = cases or contract.parent / CASES
        return cls(
            contract=promised,
            frozen=promised,
            cases=load_cases(directory),
            known_failures=_known(contract.parent),
        )

    @classmethod
    def _of(cls, pack: Pack, source: Source, cases: Path | None, *, is_installed: bool) -> Target:
        try:
            live, kept = live_contract(pack), read_frozen(pack)
        except (LoadError, ValueError, KeyError) as error:
            raise TargetError(f"{pack.name}: {CONTRACT_FILE} or a tool is wrong: {error}") from None
        directory = cases or _cases_of(pack)
        return cls(
            contract=live,
            live=live,
            frozen=kept,
            cases=load_cases(directory),
            known_failures=_known(directory.parent),
            source=source,
            pack=pack,
            is_installed=is_installed,
        )


def _cases_of(pack: Pack) -> Path:
    """Return the `cases` directory beside the pack's top-level package or module."""
    top = type(pack).__module__.partition(".")[0]
    if hasattr(sys.modules.get(top), "__path__"):
        return Path(str(resources.files(top).joinpath(CASES)))
    file = getattr(sys.modules.get(top), "__file__", None) or "."
    return Path(file).parent / CASES


def _known(beside: Path) -> KnownFailures:
    file = beside / KNOWN_FAILURES_FILE
    return KnownFailures.load(file) if file.is_file() else KnownFailures()
