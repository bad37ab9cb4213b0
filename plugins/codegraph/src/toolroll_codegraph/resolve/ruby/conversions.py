"""What Ruby's core asks of the objects it is given: `to_s`, `==`, `hash`, `<=>`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE
from toolroll_codegraph.resolve.ruby.core_methods import ENUMERABLE, MATCHING, ORDERING
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.formatting import FORMATTING, RubyFormatting

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_HASHING: Final = frozenset(("uniq", "uniq!", "-", "&", "|", "tally", "to_set", "difference"))
_BETWEEN: Final = frozenset(("include?", "member?", "cover?", "==="))
_EQUALITY: Final = frozenset(("include?", "member?", "index", "find_index", "delete", "count"))
_VALUED: Final = frozenset(("value?", "has_value?", "key"))
_KEYED: Final = frozenset(("[]", "[]=", "store", "fetch", "key?", "has_key?", "include?", "dig"))
_PRINTING: Final = {
    "puts": "to_s", "print": "to_s", "String": "to_s", "format": "to_s", "sprintf": "to_s",
    "p": "inspect", "Array": "to_a", "Integer": "to_i", "Float": "to_f",
}  # fmt: skip
_PRINTED: Final = -1 << 62
"""Among what a call entered: that its arguments were asked. Far from other numbers there."""
_HASHED: Final = _PRINTED + 1
"""The same of a key, whichever hash it is one of."""


class RubyConversions(RubyFeature):
    """Calls that no source writes down, of methods that the project's classes define."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.formatting = RubyFormatting(rules)
        name = rules.program.name
        self.printing = {name(text): name(method) for text, method in _PRINTING.items()}
        self.compare, self.equal, self.coerce = name("<=>"), name("=="), name("coerce")
        self.shown: set[tuple[int, int, int]] = set()
        """(scope, line, container) of what becomes text: it may be inside of itself."""
        self._compared: set[tuple[int, int, int, int]] = set()
        """(scope, line, container, method) of what is hashed or compared, which may be inside of
        itself; and so, with a slot instead, of the objects in another that it is compared with."""
        self._objects: dict[int, int] = {}
        """Container → slot of the containers and instances inside."""
        self.hash, self.same, self.text = name("hash"), name("eql?"), name("to_s")
        self.by_elements = frozenset((self.hash, self.same, self.equal, self.compare))
        """What arrays and hashes ask of what is inside of them."""
        self.match, self.copy = name("==="), name("initialize_copy")
        self.copying = frozenset((name("initialize_dup"), name("initialize_clone")))
        self.to_i, self.to_int = name("to_i"), name("to_int")
        self.inspect, self.succ, self.json = name("inspect"), name("succ"), name("to_json")

    def ask(self, call: Call, source: int, name: int, argument: int = -1, result: int = -1) -> None:
        """Call a method of whatever a slot holds, from where the core method is called."""
        arguments = () if argument == -1 else (argument,)
        inner = Call(result, call.scope, call.line, name, arguments, (), CallFlag.IMPLICIT)
        if source >= 0:
            self.solver.listen(source, (self._on_asked, inner))

    @handler
    def _on_asked(self, value: int, listener: Listener) -> None:
        call, rules = listener[1], self.rules
        if self.solver.kind[value] == CONTAINER:
            if call.name in (self.text, self.inspect):
                self.printed(call, value)
            elif call.name == self.json:
                self.printed(call, value, self.json)
            elif call.name in self.by_elements:
                self._of_elements(call, value)
        if self.solver.kind[value] != INSTANCE:
            return
        scope = value - rules.scopes
        if call.name == self.coerce and rules.program.owner_class(call.scope) == scope:
            return  # code of a number's own class asks what the other operand is before
        if call.name in self.by_elements and rules.classes.find(scope, call.name) < 0:
            kept = rules.collections.of(scope)
            if kept >= 0:
                self._of_elements(call, kept)
        comparable = call.name == self.equal and rules.protocols.compares(scope)
        whole = call.name == self.to_i and rules.classes.find(scope, self.to_int) >= 0
        name = self.to_int if whole else call.name  # Ruby's own conversion asks for that first
        if comparable or rules.classes.find(scope, name) >= 0:
            rules.instance_call(call, value, name)

    def _of_elements(self, call: Call, value: int) -> None:
        """An array or hash that is hashed or compared asks what is inside, of each with each."""
        place = call.scope, call.line, value, call.name
        if value == self.rules.texts.any or place in self._compared:
            return
        self._compared.add(place)
        if not call.positional:
            self.ask(call, self.objects_inside(value), call.name)
        elif call.positional[0] >= 0:  # objects are asked where there are some to compare with
            self.solver.listen(call.positional[0], (self._on_compared, call, value))

    @handler
    def _on_compared(self, other: int, listener: Listener) -> None:
        _, call, value = listener
        if self.solver.kind[other] == CONTAINER and other != self.rules.texts.any:
            objects = self.objects_inside(other)
            self.solver.listen(objects, (self._on_object, call, value, objects))

    @handler
    def _on_object(self, _: int, listener: Listener) -> None:
        _, call, value, others = listener
        place = call.scope, call.line, value, -1 - others
        if place not in self._compared:
            self._compared.add(place)
            self.ask(call, self.objects_inside(value), call.name, others)

    def printed(self, call: Call, value: int, name: int = -1) -> None:
        """An array or hash that becomes text asks what is inside to `inspect` itself."""
        place = call.scope, call.line, value
        if place not in self.shown:
            self.shown.add(place)
            self.ask(call, self.objects_inside(value), self.inspect if name < 0 else name)

    def copied(self, call: Call, value: int, name: str) -> None:
        """`dup` and `clone` run a hook on what they made, with the original.

        Behind `initialize_dup` and `initialize_clone` stands `initialize_copy`.
        """
        original = self.solver.slot()
        self.solver.add(original, value)
        hook = self.rules.program.name(f"initialize_{name}")
        own = self.solver.kind[value] == INSTANCE and (
            self.rules.classes.find(value - self.rules.scopes, hook) >= 0
        )
        self.ask(call, original, hook if own else self.copy, original)

    def kernel(self, call: Call) -> None:
        """`puts object` and the like, called on any receiver or none."""
        rules, name = self.rules, self.printing.get(call.name)
        if name is not None and not call.flags & CallFlag.BLOCK and call.once(_PRINTED):
            text = rules.program.texts[call.name]
            lines = text == "puts"
            if text == "Array":
                self._list(call, name)
                return
            if text in FORMATTING and self.formatting.fill_in(call):
                return
            for item in call.positional:
                if item < -1 and name == self.text:  # `format(form, *values)`
                    self.solver.listen(-item - 2, (self._on_line, call))
                    continue
                item = item if item >= 0 else -item - 2
                if lines:  # one for each element of an array
                    self.solver.listen(item, (self._on_line, call))
                self.ask(call, item, name)

    def _list(self, call: Call, name: int) -> None:
        """`Array(value)`: an array as it is, what `to_a` gives, or a new one of what is neither."""
        for item in call.positional[:1]:
            if item >= 0:
                self.ask(call, item, name, -1, call.result)
                self.solver.listen(item, (self._on_listed, call, name))

    @handler
    def _on_listed(self, value: int, listener: Listener) -> None:
        _, call, name = listener
        solver, rules = self.solver, self.rules
        kind = solver.kind[value]
        if kind == CONTAINER and value != rules.texts.any:
            if solver.detail[value][0] == ObjectKind.HASH:
                value = rules.containers.shapes.pairs(call, value)
            solver.add(call.result, value)
            return
        if kind == INSTANCE:
            scope = value - rules.scopes
            if rules.classes.find(scope, name) >= 0:
                return
            kept = rules.collections.of(scope)
            if kept >= 0:
                solver.add(call.result, kept)
                return
        made = solver.container(("listed", call.result), ObjectKind.SEQUENCE)
        solver.add(solver.field(made, rules.containers.any_key), value)
        solver.add(call.result, made)

    @handler
    def _on_line(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.ask(listener[1], self._inside(value), self.text)

    def container(self, call: Call, value: int, name: str, kind: object) -> None:
        """A method of an array or hash that compares, hashes or prints what is inside."""
        block = call.flags & CallFlag.BLOCK
        first = call.positional[0] if call.positional and not block else -1
        if name in MATCHING and len(call.positional) > bool(block):
            self.ask(call, call.positional[0], self.match, self._inside(value))
        if name == "to_json":
            self.printed(call, value, self.json)
        elif name == "inspect" and kind != ObjectKind.RANGE:
            self.printed(call, value)
        if call.name in self.by_elements and kind != ObjectKind.RANGE:
            self._of_elements(call, value)
        if kind == ObjectKind.HASH:
            if name in _KEYED and first >= 0 and call.once(_HASHED):
                self.ask(call, first, self.hash)
                self.ask(call, first, self.same, first)
            elif name in _VALUED and first >= 0:
                self.ask(call, self._inside(value), self.equal, first)
            return
        if kind == ObjectKind.RANGE:
            self._range(call, value, name)
            return
        if block:
            return
        if name in _EQUALITY:
            if first >= 0:
                self.ask(call, self._inside(value), self.equal, first)
        elif name in ORDERING:
            inside = self._inside(value)
            self.ask(call, inside, self.compare, inside)
        elif name in _HASHING:
            inside = self._inside(value)
            self.ask(call, inside, self.hash)
            self.ask(call, inside, self.same, inside)
        elif name == "join":
            self.ask(call, self._inside(value), self.text)

    def _range(self, call: Call, value: int, name: str) -> None:
        """A range runs from its first end by `succ`, and compares what it may include."""
        inside = self._inside(value)
        if name in _BETWEEN:
            self.ask(call, inside, self.compare, call.positional[0] if call.positional else -1)
        elif name in ENUMERABLE or name in ("each", "step"):
            self.ask(call, inside, self.compare, inside)
            self.ask(
                call, inside, self.succ, -1, self.solver.field(value, self.rules.containers.any_key)
            )

    def objects_inside(self, container: int) -> int:
        """One slot for all who print a container: most of what is inside answers them nothing."""
        objects = self._objects.get(container)
        if objects is None:
            objects = self._objects[container] = self.solver.slot()
            self.solver.listen(self._inside(container), (self._on_inside, objects))
        return objects

    @handler
    def _on_inside(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] in (INSTANCE, CONTAINER):
            self.solver.add(listener[1], value)

    def _inside(self, container: int) -> int:
        inside = self.solver.slot()
        self.rules.containers.elements(container, inside)
        return inside
