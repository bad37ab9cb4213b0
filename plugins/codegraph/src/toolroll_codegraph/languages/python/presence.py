"""What a function returns with an argument that may be left out, and what without it.

`@cached` and `@cached(size=3)` are one function: the first call returns a wrapper, the second a
decorator, and a test of the argument (`if function is None`) tells which is which.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ScopeFlag
from toolroll_codegraph.facts.model import Returned
from toolroll_codegraph.languages.python.loops import PythonLoops

if TYPE_CHECKING:
    from tree_sitter import Node

_COUNTED: Final = re.compile(rb"len\(\w+\)\s*==\s*1\s+and\s+callable\(")
_DEFAULTS: Final = ("default_parameter", "typed_default_parameter")


class PythonPresence(PythonLoops):
    """Tells apart what runs with and without the optional arguments of a function."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.optional: dict[int, dict[int, int]] = {}
        """Function → the slots of the parameters whose default is `None`, and of `*`, by name."""
        self.called: set[int] = set()
        """Functions that ask whether such an argument can be called."""
        self.present: dict[int, tuple[int, bool]] = {}
        """Function → (parameter, whether it is there) of the statements that are walked."""
        self.results: dict[int, list[tuple[int, int, int]]] = {}
        """Function → (parameter or -1, whether it is there, slot) of what it returns."""

    def note_optional(self, frame: Frame, child: Node, slots: dict[int, int]) -> None:
        """Remember a parameter whose default is `None`, or that there may be any number of."""
        if frame.this >= 0 or not (
            child.type == "list_splat_pattern"
            or (child.type in _DEFAULTS and child.children[-1].type == "none")
        ):
            return
        name = self.name(child.named_children[0].text or b"")
        self.optional.setdefault(frame.index, {})[name] = slots.get(name, -1)

    def presence(self, frame: Frame, node: Node) -> tuple[int, bool] | None:
        """(parameter, whether it is there where the test holds), None for other tests."""
        optional = self.optional.get(frame.index)
        if not optional:
            return None
        there = True
        while node.type in ("not_operator", "parenthesized_expression") and node.named_children:
            there ^= node.type == "not_operator"
            node = node.named_children[0]
        parts = node.named_children
        if node.type == "boolean_operator" and _COUNTED.match(node.text or b""):
            node = parts[-1]  # `len(arguments) == 1 and callable(arguments[0])`
            parts = node.named_children
        if node.type == "comparison_operator" and len(parts) == 2 and parts[1].type == "none":
            operator = node.children[1].type
            if operator not in ("is", "is not"):
                return None
            there ^= operator == "is"
            node = parts[0]
        elif node.type == "call" and parts[0].text == b"callable":
            if parts[1].named_child_count != 1:
                return None
            node = parts[1].named_children[0]
            if node.type == "subscript" and node.named_children[-1].text == b"0":
                node = node.named_children[0]  # the first of `*arguments`
            self.called.add(frame.index)
        if node.type != "identifier":
            return None
        name = self.name(node.text or b"")
        slot = optional.get(name, -1)
        return (name, there) if slot >= 0 and frame.env.get(name) == slot else None

    def where(
        self, frame: Frame, asked: tuple[int, bool] | None, walk: Callable[[], bool], *, holds: bool
    ) -> bool:
        """Walk what runs only where a test of an optional argument holds, or where it does not."""
        if asked is None or frame.index in self.present:
            return walk()
        self.present[frame.index] = asked[0], asked[1] == holds
        ends = walk()
        del self.present[frame.index]
        return ends

    def rest(self, frame: Frame, asked: tuple[int, bool], node: Node) -> None:
        """Let the rest of a function be what runs where the test does not hold."""
        block = node.parent
        function = None if block is None else block.parent
        if function is not None and function.type == "function_definition":
            self.present.setdefault(frame.index, (asked[0], not asked[1]))

    def note_result(self, frame: Frame, value: int) -> None:
        """Remember what is returned, and whether with an argument or without."""
        if frame.index in self.optional or frame.index in self.defaults:
            name, there = self.present.get(frame.index, (-1, False))
            self.results.setdefault(frame.index, []).append((name, there, value))

    def tell_results(self, frame: Frame) -> None:
        """Write down what a function returns with an argument and without, if a test tells."""
        self.present.pop(frame.index, None)
        results = self.results.pop(frame.index, ())
        known = {name for name, _, _ in results if name >= 0}
        if frame.flags & ScopeFlag.GENERATOR:
            return
        if not known:
            self._tell_default(frame, [slot for _, _, slot in results])
        if len(known) != 1:
            return
        parameter = known.pop()
        for name, there, slot in results:
            told = Returned.WITH if there else Returned.WITHOUT
            kind = Returned.EITHER if name < 0 else told
            by_calling = int(frame.index in self.called)
            self.relations.append((kind, frame.index, parameter, slot, by_calling))

    def _tell_default(self, frame: Frame, returned: list[int]) -> None:
        """A parameter that is returned as it is: without an argument that is its default."""
        for slot, (name, default) in self.defaults.pop(frame.index, {}).items():
            if slot in returned:
                either = [(Returned.EITHER, other) for other in returned if other != slot]
                for kind, found in [(Returned.WITHOUT, default), *either]:
                    self.relations.append((kind, frame.index, name, found, 0))
                return
