"""The contract of a pack as its code stands, and as it is frozen beside it."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from importlib import resources
from typing import Any, Final

from toolroll.contract import Contract
from toolroll.contract_changes import ChangeKind, compare
from toolroll.counting import counted
from toolroll.errors import LoadError
from toolroll.pack import Pack

__all__ = [
    "CONTRACT_FILE",
    "check_frozen",
    "isolated",
    "live_contract",
    "package_of",
    "read_frozen",
]

CONTRACT_FILE: Final = "contract.json"


def isolated(stage: str, run: Callable[[], Any], remedy: str) -> Any:
    """Run one stage of a pack; whatever it raises becomes a `LoadError` of that stage.

    What it prints goes to standard error: the other stream is the protocol's, or somebody's JSON.
    """
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return run()
    except LoadError:
        raise
    except (Exception, SystemExit) as error:  # the boundary to a pack that may be broken
        cause = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise LoadError(stage, cause, remedy=remedy) from error


def live_contract(pack: Pack) -> Contract:
    """Return the contract of a pack as its code stands.

    Raises:
        LoadError: The code makes none.
    """
    return isolated("contract", pack.contract, "mend what the message names")


def package_of(pack: Pack) -> str | None:
    """Return the name of the top-level package that a pack lives in; None for a lone module."""
    name = type(pack).__module__.partition(".")[0]
    return name if hasattr(sys.modules.get(name), "__path__") else None


def read_frozen(pack: Pack) -> Contract | None:
    """Return the contract frozen beside a pack, or None where there is none.

    Raises:
        LoadError: The file is no contract.
    """
    package = package_of(pack)
    if package is None:
        return None
    file = resources.files(package).joinpath(CONTRACT_FILE)
    if not file.is_file():
        return None
    return isolated(
        "contract",
        lambda: Contract.from_json(json.loads(file.read_text("utf-8"))),
        f"{CONTRACT_FILE} is no contract: run 'toolroll packs freeze {pack.name}'",
    )


def check_frozen(name: str, pack: Pack, live: Contract) -> None:
    """Refuse a pack whose code breaks what it has frozen."""
    kept = read_frozen(pack)
    if kept is None or kept == live:
        return
    breaking = [change for change in compare(kept, live) if change.kind is ChangeKind.BREAKING]
    if breaking:
        raise LoadError(
            "contract",
            f"its code breaks its frozen contract in {counted(len(breaking), 'place')}, first "
            f"{breaking[0].where}: {breaking[0].what}",
            remedy=f"run 'toolroll packs diff {name}', then mend the code or freeze it anew",
        )
