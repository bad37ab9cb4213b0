"""Which identifiers a query names: as one bare symbol, or inside a sentence."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["identifiers", "is_definition", "is_symbol", "name_parts", "named_symbols"]

_IDENTIFIER: Final = re.compile(
    r"`([^`\s]+)`|\b(\w+(?:(?:::|\.|#)\w+)+|\w*[a-z]\w*[A-Z]\w*|\w+_\w+|[A-Z]{2,}[a-z]\w*)(?:\(\))?"
)
_SYMBOL: Final = re.compile(
    r"`?[A-Za-z_$][\w$]*(?:(?:::|\.|#|->)[A-Za-z_$][\w$]*)*[?!]?(?:\(\))?`?"
)
_DEFINITION: Final = re.compile(
    r"(?:class|struct|interface|trait|enum|def|func|function|fn)\s+([A-Za-z_$][\w$]*[?!]?)\s*(?:[(:{].*)?",
    re.DOTALL,
)
"""What begins a definition, without what may stand before it."""
_SEPARATOR: Final = re.compile(r"::|->|[.#:\\]")


def is_symbol(query: str) -> bool:
    """Say whether a query is one bare symbol, such as `parse_header` or `Parser.feed`."""
    return _SYMBOL.fullmatch(query.strip()) is not None


def is_definition(query: str) -> bool:
    """Say whether a query is how a definition begins: `class Signal`, `def send(self):`."""
    return _DEFINITION.fullmatch(query.strip()) is not None


def asks_for_name(query: str) -> bool:
    """Say whether a query is a name and no sentence: a bare symbol, or how a definition begins."""
    return is_symbol(query) or is_definition(query)


def identifiers(query: str) -> list[str]:
    """Return the identifiers that a query names, the last part of dotted ones."""
    return list(dict.fromkeys(parts[-1] for parts in _found(query)))


def named_symbols(query: str) -> dict[str, frozenset[str]]:
    """Return each identifier of a query, the last part of dotted ones, with its other parts.

    All are in lower case: `Parser.feed()` gives {"feed": {"parser"}}.
    """
    return {
        parts[-1].lower(): frozenset(part.lower() for part in parts[:-1]) for parts in _found(query)
    }


def name_parts(symbol: str) -> list[str]:
    """Return the parts of a dotted name: `Parser`, `feed` of `Parser::feed`; never none."""
    return [part for part in _SEPARATOR.split(symbol) if part] or [""]


def _found(query: str) -> list[list[str]]:
    if is_symbol(query):
        found = [query.strip()]
    elif definition := _DEFINITION.fullmatch(query.strip()):
        found = [definition[1]]
    else:
        found = [quoted or bare for quoted, bare in _IDENTIFIER.findall(query)]
    every = (name_parts(name.strip("`()")) for name in found)
    return [parts for parts in every if parts[-1]]
