"""Methods that a project adds to Ruby's own classes, which it opens or refines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION, TEXT
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.library import TASK

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_TEXTS: Final = ("String", "Symbol", "Comparable")
_LISTS: Final = ("Array", "Enumerable")
_OF_CONTAINERS: Final[dict[object, tuple[str, ...]]] = {
    ObjectKind.HASH: ("Hash", "Enumerable"), ObjectKind.STRING: _TEXTS,
    ObjectKind.RANGE: ("Range", "Enumerable"), TASK: ("Thread",),
}  # fmt: skip
_INTEGERS: Final = ("Integer", "Numeric", "Comparable")
_OPENED: Final = ("Hash", "Proc", "Range", "Thread", *_INTEGERS, *_LISTS, *_TEXTS)


class RubyReopened(RubyFeature):
    """Calls of such methods, on what has no class of the project's."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self._refined: dict[str, list[int]] = {}
        self.grown: set[int] = set()
        """Ruby's own classes that methods are defined on by calls, perhaps later."""
        self.procs = "Proc" in rules.imports.table
        """Whether the project adds methods to procs."""

    def grow(self) -> None:
        """Note Ruby's own classes that get methods under computed names, of their own or of what
        they include."""
        table, defining = self.rules.imports.table, self.rules.missing.defining
        for scope in [table[name] for name in _OPENED if name in table] if defining else ():
            if not defining.keys().isdisjoint(self.rules.classes.order(scope)):
                self.grown.add(scope)

    def refine(self, scope: int) -> None:
        name = self.program.texts[self.program.scope_name[scope]]
        self._refined.setdefault(name, []).append(scope)

    def call(self, call: Call, value: int) -> None:
        """A method that the project adds to the class of a literal."""
        if not (self.grown or self.rules.classes.definers(call.name)):
            return
        kind = self.solver.kind[value]
        names: tuple[str, ...] = ()
        if kind == TEXT:
            names = _INTEGERS if self.solver.key_text(value).isdigit() else _TEXTS
        elif kind == CONTAINER:
            names = _OF_CONTAINERS.get(self.solver.detail[value][0], _LISTS)
        elif kind == FUNCTION:
            names = ("Proc",)
        table, classes = self.rules.imports.table, self.rules.classes
        is_used = self.rules.refinements.is_used
        for name in names:
            refined = self._refined.get(name, ())
            for scope in (*refined, *([table[name]] if name in table else ())):
                if classes.find(scope, call.name) >= 0 and (
                    scope not in refined or is_used(scope, call)
                ):
                    classes.lookup(scope, call.name, (self.rules.on_member, call, value))
                    return
                if scope in self.grown:
                    classes.lookup(scope, call.name, (self.rules.on_member, call, value))
        if call.name in self.rules.imports.common:
            self.rules.toplevel.call_common(call, value, call.name)
