"""Definitions by pattern, for languages without a grammar wheel.

A pattern sees one line at a time and no strings or comments, so it finds what stands at the start
of a line; good enough to cut there, and to know what a file defines.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["PATTERNS", "definition_kind"]

_MODIFIERS: Final = """
    export default declare public private protected internal fileprivate package static final const
    abstract async open sealed override inline local pub data case implicit create or replace
    suspend operator infix tailrec inner value annotation expect actual companion external lateinit
    convenience required mutating nonmutating indirect dynamic lazy weak transparent opaque unsafe
    extern partial virtual readonly given fun(?=\\s+interface) enum(?=\\s+class)"""
_KINDS: Final = """
    class interface struct enum trait protocol extension actor object module defmodule defprotocol
    namespace record message service type typealias input def defp defmacro defmacrop defguard defn
    func fun fn function sub procedure macro table view resource variable"""

_GENERAL: Final = rf"""^(?P<indent>[ \t]*)
    (?:@[\w.]+(?:\([^)\n]*\))?[ \t]+)*
    (?:(?:{"|".join(_MODIFIERS.split())})(?:[(\[][\w.:, ]+[)\]])?[ \t]+)*
    (?:(?P<kind>{"|".join(_KINDS.split())})[ \t]+(?:<[^>\n]*>[ \t]*)?
      |(?=\w[\w-]*[ \t]*\(\)[ \t]*\{{))
    `?(?P<name>[A-Za-z_][\w.:?!]*)"""
_HASKELL: Final = r"""^(?P<indent>)
    (?:(?P<kind>data|newtype|type[ \t]+family|type|class)[ \t]+
        (?:[^=\n]*=>[ \t]*)?(?P<name>[A-Z][\w']*)
      |(?P<function>[a-z_][\w']*)[ \t]*::)"""
_ZIG: Final = r"""^(?P<indent>[ \t]*)(?:pub[ \t]+)?
    (?:(?:export|extern|inline|noinline)[ \t]+)*
    (?:(?P<kind>fn)[ \t]+(?P<name>\w+)
      |const[ \t]+(?P<type>\w+)[ \t]*=[ \t]*
        (?:packed[ \t]+|extern[ \t]+)?(?:struct|enum|union|opaque)\b)"""
_LUA: Final = r"""^(?P<indent>[ \t]*)
    (?:(?:local[ \t]+)?(?P<kind>function)[ \t]+(?P<name>[A-Za-z_][\w.:]*)
      |(?:local[ \t]+)?(?P<function>[A-Za-z_][\w.]*)[ \t]*=[ \t]*function\b)"""
_OBJECTIVE_C: Final = r"""^(?P<indent>)
    (?:@(?P<kind>interface|implementation|protocol)[ \t]+(?P<name>\w+)
      |[-+][ \t]*\([^)\n]*\)[ \t]*(?P<function>\w+))"""
_SHELL: Final = r"""^(?P<indent>[ \t]*)
    (?:(?P<kind>function)[ \t]+(?P<name>[\w:.-]+)
      |(?P<function>[A-Za-z_][\w:.-]*)[ \t]*\([ \t]*\)[ \t]*(?:\{|\n|$))"""

_ALL: Final = re.MULTILINE | re.VERBOSE


def _compiled(pattern: str, flags: int = 0) -> re.Pattern[bytes]:
    return re.compile(pattern.encode(), _ALL | flags)


_LIKE_GENERAL: Final = """
    kotlin scala swift elixir erlang dart r julia perl groovy clojure protobuf graphql
    terraform vue svelte python javascript typescript tsx go rust java ruby c cpp csharp php"""
PATTERNS: Final = {
    **dict.fromkeys(_LIKE_GENERAL.split(), _compiled(_GENERAL)),
    **dict.fromkeys(("sql", "powershell"), _compiled(_GENERAL, re.IGNORECASE)),
    "haskell": _compiled(_HASKELL),
    "zig": _compiled(_ZIG),
    "lua": _compiled(_LUA),
    "objective-c": _compiled(_OBJECTIVE_C),
    "shell": _compiled(_SHELL),
}
"""The pattern of each language: groups `indent`, and `kind` with `name`, `function` or `type`."""

_KIND_NAMES: Final = {
    "def": "function", "defp": "function", "defn": "function", "func": "function",
    "fun": "function", "fn": "function", "sub": "function", "procedure": "function",
    "defmacro": "macro", "defmacrop": "macro", "defguard": "macro", "defmodule": "module",
    "defprotocol": "protocol", "data": "type", "newtype": "type", "typealias": "type",
    "implementation": "class",
}  # fmt: skip


def definition_kind(keyword: str) -> str:
    """Return the kind of a definition by its keyword; "" is a function that has none."""
    return _KIND_NAMES.get(keyword, keyword) or "function"
