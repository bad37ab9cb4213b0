"""Tree-sitter grammars and dispatch tables by node kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import thread_time
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Tree

H = TypeVar("H")
_MOST_ERRORS: Final = 1000
_SMALL: Final = 30_000
"""Bytes."""
_SECONDS: Final = 5.0
"""Of this thread's own: who else keeps the machine busy changes nothing."""
_CHUNK: Final = 1 << 16
_WORD: Final = 64
_STEPS: Final = 256
"""Between two looks at the clock, which cost as much as that many steps."""


@cache
def grammar(name: str) -> Language:
    """Load a grammar once for each process; imported on first use, it costs 30 ms."""
    from tree_sitter import Language

    if name == "python":
        import tree_sitter_python

        return Language(tree_sitter_python.language())
    if name == "javascript":
        import tree_sitter_javascript

        return Language(tree_sitter_javascript.language())
    if name == "typescript":
        import tree_sitter_typescript

        return Language(tree_sitter_typescript.language_typescript())
    if name == "tsx":
        import tree_sitter_typescript

        return Language(tree_sitter_typescript.language_tsx())
    import tree_sitter_ruby

    return Language(tree_sitter_ruby.language())


def parser_for(name: str) -> Parser:
    """A parser of its own for each file: parsers are cheap and must not be shared by threads."""
    from tree_sitter import Parser

    return Parser(grammar(name))


class NotInTime(Exception):
    """A text so far from the language that its parser looks for errors to pass over for ever."""


def parse(name: str, source: bytes) -> Tree:
    """Parse a file.

    What a small file takes is bounded anyway. A large one is read by a function, for only then can
    its parser be stopped. A node would ask that function for its text too, however short, so that
    a second parse, which finds nothing changed, binds the tree to the source.

    Raises:
        NotInTime: It takes more than some seconds, where what is mostly correct takes tenths.
    """
    parser = parser_for(name)
    if len(source) < _SMALL:
        return parser.parse(source)
    end, steps, size = thread_time() + _SECONDS, 0, _CHUNK

    def read(start: int, _: object) -> bytes:
        return source[start : start + size]

    def is_late(_: int, __: bool) -> bool:
        nonlocal steps
        steps += 1
        return not steps % _STEPS and thread_time() > end

    try:
        tree = parser.parse(read, progress_callback=is_late)
    except ValueError:
        raise NotInTime from None
    if tree.root_node.has_error:  # to parse it again may take as long as to parse it
        size = _WORD
        return tree
    return parser.parse(source, tree)


class Dispatch(Generic[H]):
    """Handlers by node kind, compiled to a list indexed by the grammar's numeric kind."""

    def __init__(self, grammar_name: str) -> None:
        self._grammar = grammar_name
        self._handlers: dict[str, H] = {}
        self._tables: dict[str, list[H | None]] = {}

    def on(self, *kinds: str) -> Callable[[H], H]:
        def register(handler: H) -> H:
            for kind in kinds:
                self._handlers[kind] = handler
            return handler

        return register

    def table(self, grammar_name: str | None = None) -> list[H | None]:
        name = grammar_name or self._grammar
        table = self._tables.get(name)
        if table is None:
            language = grammar(name)
            # ERROR nodes carry the highest symbol, 65535.
            found: list[H | None] = [None] * 65536
            for identifier in range(language.node_kind_count):
                if language.node_kind_is_named(identifier):
                    kind = language.node_kind_for_id(identifier)
                    found[identifier] = self._handlers.get(kind or "")
            table = self._tables[name] = found
        return table


def count_errors(root: Node) -> int:
    """Count the places where the parser had to recover, at most a thousand."""
    count = 0
    pending = [root]
    while pending and count < _MOST_ERRORS:
        node = pending.pop()
        if node.is_error or node.is_missing:
            count += 1
        elif node.has_error:
            pending += node.children
    return count
