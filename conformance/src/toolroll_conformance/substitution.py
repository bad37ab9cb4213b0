"""`${name}` in cases: captured values put where a later step needs them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

import jsonpointer

__all__ = ["UnknownName", "capture", "fill", "fill_text"]

_NAME: Final = re.compile(r"\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class UnknownName(Exception):
    """A case uses a name that nothing has captured, or a pointer that leads nowhere."""


def fill(value: Any, names: Mapping[str, Any]) -> Any:
    """Return a JSON value with every `${name}` replaced, in keys too.

    A text that is nothing but `${name}` becomes the captured value with its JSON type; inside a
    longer text it becomes text. `$${name}` stands for a literal `${name}`.

    Raises:
        UnknownName: A name was never captured.
    """
    match value:
        case str():
            whole = _NAME.fullmatch(value)
            if whole and not value.startswith("$$"):
                return _value(whole[1], names)
            return _NAME.sub(lambda found: _replace(found, names), value)
        case dict():
            items = cast("dict[str, Any]", value)
            return {str(fill(key, names)): fill(item, names) for key, item in items.items()}
        case list() | tuple():
            return [fill(item, names) for item in cast("list[Any]", value)]
        case _:
            return value


def fill_text(text: str, names: Mapping[str, Any]) -> str:
    """Return a file's text with known names replaced; `${other}` is left as the text's own."""

    def replace(found: re.Match[str]) -> str:
        return _replace(found, names) if found[1] in names else found[0]

    return _NAME.sub(replace, text)


def capture(payload: Any, pointers: Mapping[str, str]) -> dict[str, Any]:
    """Return what JSON pointers (RFC 6901) find in a payload, by the names to keep it under.

    Raises:
        UnknownName: A pointer leads nowhere.
    """
    found: dict[str, Any] = {}
    for name, pointer in pointers.items():
        try:
            found[name] = jsonpointer.resolve_pointer(payload, pointer)
        except jsonpointer.JsonPointerException:
            raise UnknownName(
                f"capture {name}: {pointer} leads nowhere in {payload!r:.600}"
            ) from None
    return found


def _replace(found: re.Match[str], names: Mapping[str, Any]) -> str:
    if found[0].startswith("$$"):
        return found[0][1:]
    return str(_value(found[1], names))


def _value(name: str, names: Mapping[str, Any]) -> Any:
    try:
        return names[name]
    except KeyError:
        known = ", ".join(sorted(names)) or "none"
        raise UnknownName(f"${{{name}}} was never captured; known names: {known}") from None
