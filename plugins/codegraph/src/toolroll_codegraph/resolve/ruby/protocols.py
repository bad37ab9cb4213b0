"""Methods that Ruby's modules give to classes that define one: Enumerable's, Comparable's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.ruby.core_methods import (
    COMPARABLE,
    ENUMERABLE,
    NEIGHBOURS,
    ORDERING,
)
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.objects import MIXINS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_KEPT: Final = CallFlag.BLOCK | CallFlag.IMPLICIT | CallFlag.QUIET
_ASKED: Final = {
    "max": "<=>", "min": "<=>", "minmax": "<=>", "include?": "==", "member?": "==", "uniq": "hash",
    "tally": "hash", "sum": "+",
}  # fmt: skip
"""What a method without a block calls on each element as it comes."""
_SAYING: Final = {
    "message": ("to_s",), "full_message": ("message", "to_s"),
    "detailed_message": ("message", "to_s"),
}  # fmt: skip
"""What an exception asks itself for what it says."""
_ORDERED: Final = frozenset((
    "Comparable", "Numeric", "Integer", "Float", "Rational", "String", "Date", "DateTime", "Time",
))  # fmt: skip
"""What of Ruby's own is comparable."""
_SIZED: Final = ("each_slice", "each_cons")
"""What asks how many there are, to make room for them."""
_SORTED: Final = ("tsort", "tsort_each")
_COMPONENTS: Final = ("strongly_connected_components", "each_strongly_connected_component")
"""What TSort gives of nodes, and of arrays of them."""
_COUNTED: Final = frozenset(("each_with_index", "each_with_object", "inject", "reduce"))
_PAIRED: Final = _COUNTED | NEIGHBOURS | frozenset(ORDERING)
"""What gives its block one element, and another thing or element beside it."""


def _is_paired(call: Call, name: str) -> bool:
    return bool(call.flags & CallFlag.BLOCK) and name in _PAIRED


class RubyProtocols(RubyFeature):
    """`map` runs `each`, `<` runs `<=>`, `!=` runs `==`."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        name = rules.program.name
        self._size, self._equal = name("size"), name("==")
        self._ordered: set[int] = set()
        """Classes and modules that include `Comparable`, or what nobody knows."""
        self._each_node, self._each_child = name("tsort_each_node"), name("tsort_each_child")

    def find(self) -> None:
        """Note who includes `Comparable`, while what classes include is at hand."""
        program = self.program
        for index, facts in enumerate(program.facts):
            for row in facts.relations:
                if row[0] in MIXINS and self._may_order(row[3] + program.slot_base[index]):
                    self._ordered.add(program.canonical[row[1] + program.scope_base[index]])

    def _may_order(self, slot: int) -> bool:
        """Whether what a class is made of, and the project does not define, is comparable."""
        further = self.rules.imports.further.get(slot, "Comparable")
        return self.solver.points[slot] is None and further in _ORDERED

    def compares(self, scope: int) -> bool:
        """Whether `<` and `==` of a class run the `<=>` that it has: `Comparable` makes them do."""
        if self.rules.classes.find(scope, self.rules.compare) < 0:
            return False
        paths, bases = self.rules.imports.paths, self.program.bases
        return self.rules.imports.orders_later or any(
            known in self._ordered
            or paths.get(known) in _ORDERED
            or any(map(self._may_order, bases[known]))
            for known in self.rules.classes.order(scope)
        )

    def _results(self, call: Call, value: int, name: str) -> None:
        """What `first`, `sort`, `map` return: of what `each` yields."""
        solver = self.solver
        made = solver.container(("yielded", value), ObjectKind.SEQUENCE)
        block = solver.slot()
        solver.add(block, made)
        inner = Call(-1, call.scope, call.line, self.rules.each, (block,), (),
                     CallFlag.BLOCK | CallFlag.QUIET)  # fmt: skip
        self.rules.call_method(inner, value)
        if not call.flags & CallFlag.BLOCK and name in ORDERING and name not in _ASKED:
            self.rules.conversions.container(call, made, name, ObjectKind.SEQUENCE)
        if _is_paired(call, name):
            self.rules.containers.container_method(call, made)
            return
        quiet = Call(
            call.result,
            call.scope,
            call.line,
            call.name,
            call.positional,
            call.keywords,
            call.flags | CallFlag.QUIET,
        )  # the block has been called by `each`
        self.rules.containers.results(quiet, made, name)

    def _asking(self, text: str, given: tuple[int, ...], flags: int) -> tuple[tuple[int, ...], int]:
        """The block that Ruby's own method gives to `each`: it compares or adds what is yielded."""
        if text in ("inject", "reduce"):
            return given, flags | CallFlag.BLOCK if given else flags
        asked = _ASKED.get(text)
        if asked is None:
            return (), flags
        block = self.solver.slot()
        self.solver.add(block, self.solver.text(self.program.name(asked)))
        return (block,), flags | CallFlag.BLOCK

    def protocol(self, call: Call, value: int, scope: int, name: int) -> bool:
        """Enumerable methods run `each`, Comparable ones `<=>`, `!=` runs `==`."""
        text = self.program.texts[name]
        classes = self.rules.classes
        if text in ENUMERABLE and classes.find(scope, self.rules.each) >= 0:
            return self._enumerate(call, value, text)
        if text in (*_SORTED, *_COMPONENTS) and classes.find(scope, self._each_node) >= 0:
            return self._sort(call, value, text)
        if text in COMPARABLE and self.compares(scope):
            inner = self.solver.derived_call(call, -1, call.positional)
            self.rules.instance_call(inner, value, self.rules.compare)
            if text == "clamp":
                self.solver.add(call.result, value)
                for item in call.positional:
                    self.solver.edge(item, call.result)
            return True
        if text in _SAYING and self.rules.objects.is_of_ruby(scope):
            return self._say(call, value, scope, _SAYING[text])
        if text == "!=":
            inner = self.solver.derived_call(call, -1, call.positional)
            if classes.find(scope, self._equal) >= 0:
                return self.rules.instance_call(inner, value, self._equal)
            if self.compares(scope):  # as Comparable's `==` does
                return self.rules.instance_call(inner, value, self.rules.compare)
        return False

    def of_class(self, call: Call, value: int) -> bool:
        """Enumerable methods of a class that it extends run the class's own `each`."""
        text, each = self.program.texts[call.name], self.rules.static(self.rules.each)
        return (
            text in ENUMERABLE
            and self.rules.classes.find(value, each) >= 0
            and self._enumerate(call, value, text)
        )

    def _enumerate(self, call: Call, value: int, text: str) -> bool:
        if text == "lazy":
            return self.rules.enumerators.make(call, value, lazy=True)
        given, flags = call.positional[-1:], call.flags & _KEPT
        if not flags & CallFlag.BLOCK:
            given, flags = self._asking(text, given, flags)
        elif _is_paired(call, text):  # by what is made of it
            given, flags = (), flags & ~CallFlag.BLOCK
        inner = Call(-1, call.scope, call.line, self.rules.each, given, (), flags)
        self.rules.call_method(inner, value)
        scope = value - self.program.scopes
        if text in _SIZED and scope >= 0 and self.rules.classes.find(scope, self._size) >= 0:
            self.rules.instance_call(self.solver.derived_call(call, -1, ()), value, self._size)
        if call.result >= 0 or text in ORDERING or text in _COUNTED:
            self._results(call, value, text)
        return True

    def _sort(self, call: Call, value: int, text: str) -> bool:
        """TSort, which calls both methods itself, gives what these yield."""
        solver, containers = self.solver, self.rules.containers
        found = solver.container(("sorted", value), ObjectKind.SEQUENCE)
        block, node = solver.slot(), solver.slot()
        solver.add(block, found)
        containers.elements(found, node)
        for name, given in ((self._each_node, (block,)), (self._each_child, (node, block))):
            inner = Call(-1, call.scope, call.line, name, given, (),
                         CallFlag.BLOCK | CallFlag.QUIET)  # fmt: skip
            self.rules.instance_call(inner, value, name)
        if text in _COMPONENTS:
            rows = solver.container(("components", value), ObjectKind.SEQUENCE)
            solver.add(solver.field(rows, containers.any_key), found)
            found = rows
        if call.flags & CallFlag.BLOCK:
            element = solver.slot()
            containers.elements(found, element)
            self.rules.procedures.run_block(call, (element,), -1)
        else:
            solver.add(call.result, found)
        return True

    def _say(self, call: Call, value: int, scope: int, names: tuple[str, ...]) -> bool:
        """Let an exception of the project's tell what it says."""
        for text in names:
            name = self.program.name(text)
            if self.rules.classes.find(scope, name) >= 0:
                inner = self.solver.derived_call(call, call.result, ())
                return self.rules.instance_call(inner, value, name)
        return False
