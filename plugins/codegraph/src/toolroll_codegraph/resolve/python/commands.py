"""argparse: a function kept with `set_defaults(func=…)` is called as `args.func(…)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.program import CONTAINER

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import PythonModels

PARSER: Final = "argparse.ArgumentParser"
_KIND: Final = "parser"
_PARTS: Final = frozenset(
    ["add_subparsers", "add_parser", "add_argument_group", "add_mutually_exclusive_group"]
)
_PARSE: Final = frozenset(["parse_args", "parse_intermixed_args"])
_PARSE_KNOWN: Final = frozenset(["parse_known_args", "parse_known_intermixed_args"])


class PythonCommands:
    """Parsers; a parser, its parts and what it returns are one object with one set of fields.

    Objects that are made of names (`SimpleNamespace`) are of this kind too.
    """

    def __init__(self, models: PythonModels) -> None:
        self.rules = models.rules
        self.solver = models.solver
        self.program = models.program

    def make(self, call: Call) -> int:
        made = self.solver.make(CONTAINER, _KIND, call.result)
        self.solver.add(call.result, made)
        return made

    def fill(self, call: Call, value: int) -> None:
        """Keep what is given by name, as `set_defaults` and `SimpleNamespace` do."""
        pairs = iter(call.keywords)
        for key, slot in zip(pairs, pairs, strict=True):
            if key >= 0:
                self.solver.edge(slot, self.solver.field(value, key))

    def is_parser(self, value: int) -> bool:
        return self.solver.detail[value][0] == _KIND

    def method(self, call: Call, value: int) -> None:
        """A method of a parser, or a call of what parsed arguments hold."""
        solver = self.solver
        name = self.program.texts[call.name]
        if name in _PARTS or name in _PARSE:
            solver.add(call.result, value)
        elif name in _PARSE_KNOWN:
            both = solver.container((_KIND, call.result), ObjectKind.SEQUENCE)
            solver.add(solver.field(both, self.program.name("[0")), value)
            solver.add(call.result, both)
        elif name == "set_defaults":
            self.fill(call, value)
        else:
            solver.listen(solver.field(value, call.name), (self._on_member, call))

    def _on_member(self, value: int, listener: Listener) -> None:
        self.rules.call_value(listener[1], value)

    def load(self, value: int, name: int, target: int) -> None:
        """Read what parsed arguments hold."""
        self.solver.edge(self.solver.field(value, name), target)
