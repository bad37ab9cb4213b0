"""Reads `toolroll.toml`: one table for each part of the host, one for each pack.

Environment variables are no source. Unknown keys are refused with the nearest known one, and a bad
value fails at start with its key named, so that a typing slip never silently means the default.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar, get_args

from attrs import frozen
from pydantic import BaseModel, ValidationError

from toolroll.errors import SettingsError
from toolroll.params import Settings
from toolroll.settings import CORE_TABLES, PackSelection

__all__ = ["CONFIG_NAME", "Configuration", "load", "nearest"]

CONFIG_NAME: Final = "toolroll.toml"

S = TypeVar("S", bound=Settings)


@frozen
class Configuration:
    """The settings of one host, validated table by table.

    Attributes:
        path: The file they came from; None where there is none.
        tables: The raw tables, core's and packs'.
    """

    path: Path | None
    tables: Mapping[str, Any]

    def table(self, name: str, model: type[S]) -> S:
        """Return one table as its model, defaults filled in.

        Raises:
            SettingsError: A key is unknown (with the nearest known one) or a value is wrong.
        """
        raw = self.tables.get(name, {})
        if not isinstance(raw, dict):
            raise SettingsError(f"{self._where(name)} must be a table")
        try:
            # as JSON, whose types are TOML's: nothing is coerced, and a list may become a tuple
            return model.model_validate_json(json.dumps(raw, default=str), strict=True)
        except ValidationError as error:
            raise SettingsError(
                "; ".join(self._explain(name, model, dict(item)) for item in error.errors())
            ) from None

    def refuse_unknown(self, packs: Iterable[str]) -> None:
        """Refuse tables that belong neither to core nor to one of `packs`."""
        known = sorted({*CORE_TABLES, *packs})
        for name in sorted(self.tables):
            if name not in known:
                raise SettingsError(
                    f"{self._where(name)} is unknown: no such table in core and no such pack is "
                    f"installed{nearest(name, known)}"
                )

    def override(self, changes: Mapping[str, Mapping[str, Any]]) -> Configuration:
        """Return a copy with single keys replaced, as command-line options do."""
        tables = {name: dict(table) for name, table in self.tables.items()}
        for name, keys in changes.items():
            tables.setdefault(name, {}).update(keys)
        return Configuration(self.path, tables)

    def refuse_uninstalled(self, packs: Collection[str]) -> None:
        """Refuse to allow a pack that is not among those installed."""
        for name in self.table("packs", PackSelection).allow or ():
            if name not in packs:
                raise SettingsError(
                    f"'allow' in {self._where('packs')} names {name!r}, which is not installed"
                    f"{nearest(name, sorted(packs))}"
                )

    def _where(self, *keys: str) -> str:
        return f"[{'.'.join(keys)}] in {self.path.name if self.path else 'the settings'}"

    def _explain(self, table: str, model: type[Settings], item: dict[str, Any]) -> str:
        *parents, key = [str(step) for step in item["loc"] if step != "[key]"] or [""]
        where = self._where(table, *parents)
        if item["type"] == "extra_forbidden":
            known = sorted(_inner(model, parents).model_fields)
            return f"{key!r} is unknown in {where}{nearest(key, known)}"
        if item["type"] == "value_error":
            reason = f": {item['ctx']['error']}"
        else:
            reason = f" must {_EXPECTED.get(item['type']) or _SHOULD.sub('', item['msg'])}"
        return f"{key!r} in {where}{reason}" if key else f"{where}{reason}"


_SHOULD: Final = re.compile(r"^\w+ should ")
"""How the sentences begin that pydantic says of a value."""
_EXPECTED: Final = {
    "tuple_type": 'be a list, such as ["…"]',
    "list_type": 'be a list, such as ["…"]',
    "model_type": "be a table",
    "dict_type": "be a table",
    "missing": "be given",
}
"""What is expected, where pydantic says it in Python's words."""


def _inner(model: type[BaseModel], steps: Iterable[str]) -> type[BaseModel]:
    """Return the model of a table inside a table; positions in a list are passed over."""
    for step in steps:
        if field := model.model_fields.get(step):
            kinds: tuple[Any, ...] = (field.annotation, *get_args(field.annotation))
            inner = (
                kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)
            )
            model = next(inner, model)
    return model


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about a word that is none of those known."""
    import difflib

    words = list(known)
    if close := difflib.get_close_matches(word, words, n=1, cutoff=0.5):
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(words) or 'none'}"


def load(path: Path | None, *, root: Path | None = None) -> Configuration:
    """Read `toolroll.toml`.

    Args:
        path: The file, which must exist; None looks for one in `root`.
        root: Where to look when no file is named.

    Raises:
        SettingsError: The file is missing, unreadable, or not TOML.
    """
    if path is None:
        path = root / CONFIG_NAME if root is not None else None
        if path is None or not os.path.lexists(path):
            return Configuration(None, {})
        if not path.is_file():  # such as a link to nowhere, or what a container mounts for none
            raise SettingsError(f"{path} is no file with settings; put one there, or remove it")
    import tomllib  # most projects have no file, and start-up is short

    try:
        tables = tomllib.loads(path.read_bytes().decode("utf-8-sig"))  # Windows' editors mark it
    except OSError as error:
        raise SettingsError(f"cannot read {path.name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path.name} is not TOML: save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path.name} is not TOML: {error}") from None
    configuration = Configuration(path, tables)
    for name, model in CORE_TABLES.items():
        configuration.table(name, model)
    for name, value in tables.items():
        if not isinstance(value, dict):  # a pack's, or one above the first table
            raise SettingsError(f"{name!r} in {path.name} must be a table, [{name}]")
    return configuration
