"""The list of known failures: what fails today, why, and nothing that has been mended since."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

import yaml
from attrs import field, frozen

__all__ = ["KNOWN_FAILURES_FILE", "KnownFailures", "KnownFailuresError"]

KNOWN_FAILURES_FILE = "known_failures.yaml"
"""Its name, beside the `cases` directory."""


class KnownFailuresError(Exception):
    """The list is not a mapping of check ids to reasons."""


@frozen
class KnownFailures:
    """Reasons by glob over check ids; every check that a glob matches must fail.

    An expected failure that passes is a failure, so that the list can only burn down.
    """

    reasons: Mapping[str, str] = field(factory=dict[str, str])

    @classmethod
    def load(cls, file: Path) -> KnownFailures:
        """Read a list such as `"*/case/notes-3": issue 12, paging is off by one`.

        Raises:
            KnownFailuresError: The file is something else.
        """
        try:
            data: object = yaml.safe_load(file.read_text("utf-8"))
        except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
            raise KnownFailuresError(f"{file.name}: {error}") from None
        if data is None:
            return cls()
        if not isinstance(data, dict):
            raise KnownFailuresError(f"{file.name} must map globs over check ids to reasons")
        reasons = cast("dict[object, object]", data)
        for glob, reason in reasons.items():
            if not isinstance(glob, str) or not isinstance(reason, str) or not reason.strip():
                raise KnownFailuresError(f"{file.name}: {glob!r} needs a reason, as a text")
        return cls(cast("dict[str, str]", reasons))

    def reason(self, check_id: str) -> str | None:
        """Return why a check fails, or None if it should pass."""
        for glob, reason in self.reasons.items():
            if fnmatch.fnmatchcase(check_id, glob):
                return reason
        return None

    def unused(self, check_ids: Iterable[str]) -> list[str]:
        """Return the globs that match none of the checks: typing slips, or checks long gone."""
        ids = list(check_ids)
        return [glob for glob in self.reasons if not fnmatch.filter(ids, glob)]
