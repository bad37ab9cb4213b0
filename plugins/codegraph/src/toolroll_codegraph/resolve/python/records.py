"""Classes that are made of their fields: what a call gives them, and what they are unpacked to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import BUILTIN, CONTAINER, EXTERNAL, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_AFTER: Final = ("__post_init__", "__attrs_post_init__")
_FACTORY: Final = "factory"
_ATTRIBUTE: Final = "attribute of attrs"
ATTRIBUTES: Final = ("attr.attrib", "attr.field", "attr.ib", "attrs.field")
_LISTED: Final = ("attr.validators.and_", "attrs.validators.and_", "attr.converters.pipe",
                  "attrs.converters.pipe")  # fmt: skip
_RUN: Final = ("converter", "validator")
_DECORATING: Final = ("default", "validator")
ADDING: Final = "decorator of an attribute"
_SAME: Final = ("attr.validators.optional", "attrs.validators.optional",
                "attr.converters.optional", "attrs.converters.optional")  # fmt: skip


class PythonRecords:
    """The fields of data classes and named tuples, in order."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.program = rules.program
        self.classes = rules.classes
        self.functions = {
            **dict.fromkeys(ATTRIBUTES, self._attribute),
            **dict.fromkeys(_LISTED, self._all),
            **dict.fromkeys(_SAME, self._first),
        }
        self._own: dict[int, list[int]] = {}
        """Class → the names of the fields that it adds."""
        names = self.program.names
        self._after = [names[name] for name in _AFTER if name in names]
        self._runs = any(name in names for name in _RUN)
        """Whether anything may be run on what a field is given."""
        self._decorates = self._decorators()
        """Names of the attributes' own decorators, where anything is called so."""
        self._made: set[tuple[int, int, int]] = set()
        """(scope, field, factory): which scopes have called what gives a field its value."""
        self._factories: list[tuple[Call, int]] = []
        """(call of `field` in a class, what it is given to make a value)."""
        self._tuples: set[int] = set()
        for index, facts in enumerate(self.program.facts):
            base, rename = self.program.scope_base[index], self.program.renames[index]
            for kind, scope, name, is_tuple, _ in facts.relations:
                if kind == "field":
                    self._own.setdefault(scope + base, []).append(rename[name])
                    if is_tuple:
                        self._tuples.add(scope + base)

    def _decorators(self) -> list[int]:
        names = self.program.names
        modules = {row[3].partition(".")[0] for it in self.program.facts for row in it.imports}
        uses = not modules.isdisjoint(("attr", "attrs"))
        return [names[name] for name in _DECORATING if uses and name in names]

    def make(self, call: Call, scope: int) -> None:
        """Let the fields of a class have what it is made with, and run what that runs then."""
        if not self._own:
            return
        fields = self._fields(scope)
        if not fields:
            return
        given: set[int] = set()
        for name, item in zip(fields, call.positional, strict=False):
            if item < -1:
                given.update(fields)
                break
            given.add(name)
            self._give(scope, name, item)
        for name, item in call.named():
            given.add(name)
            if name in fields:
                self._give(scope, name, item)
        if -1 not in given:
            for name in fields:
                slot = self.classes.find(scope, name) if name not in given else -1
                if slot >= 0:
                    self.rules.solver.listen(slot, (self._on_default, call, slot))
        for name in fields if self._runs or self._decorates else ():
            slot = self.classes.find(scope, name)
            if slot >= 0:
                self.rules.solver.listen(slot, (self._on_attribute, call, slot, scope))
        for name in self._after:
            inner = self.rules.solver.derived_call(call, -1, (), name)
            inner.stand_for(call)  # a class may be its own `__post_init__`
            self.rules.invoke_member(inner, scope + self.program.scopes, name)

    def replace(self, call: Call, value: int) -> None:
        """Return a record of which some fields have what is given by their names."""
        scope = value - self.program.scopes
        fields = self._fields(scope) if self._own and scope < self.program.scopes else ()
        for name, item in call.named():
            if name in fields:
                self._give(scope, name, item)
        self.rules.solver.add(call.result, value)

    def field(self, call: Call, default: int, factory: int) -> None:
        """`field(default=…)` and `field(default_factory=…)`: what a class is made with if it is
        given nothing."""
        solver = self.rules.solver
        solver.edge(default, call.result)
        if factory >= 0:
            solver.listen(factory, (self._on_factory, call))

    def _attribute(self, call: Call, arguments: list[int]) -> None:
        """What attrs' `field(converter=…, validator=…)` says of an attribute."""
        models, solver = self.rules.models, self.rules.solver
        default = models.keyword(call, "default")
        self.field(call, default if default >= 0 else (arguments or [-1])[0],
                   models.keyword(call, "factory"))  # fmt: skip
        run = [models.keyword(call, name) for name in _RUN]
        if max(run) >= 0 or self._decorates:
            made = solver.make(EXTERNAL, _ATTRIBUTE, call.result)
            solver.add(call.result, made)
            for slot in run:
                if slot >= 0:
                    solver.edge(slot, self._run_by(made))
                    solver.edge(models.elements_of(call, slot), self._run_by(made))

    def load(self, value: int, name: int, target: int) -> bool:
        """Read `validator` or `default` of an attribute, to decorate a method with it; False for
        other values."""
        solver = self.rules.solver
        if solver.detail[value][0] != _ATTRIBUTE:
            return False
        if self.program.texts[name] in _DECORATING:
            solver.add(target, solver.make(CONTAINER, ADDING, value, name))
        return True

    def add(self, call: Call, value: int) -> None:
        """Decorate a method that makes or checks what an attribute is given."""
        _, attribute, name = self.rules.solver.detail[value]
        for item in call.positional[:1]:
            self.rules.solver.edge(item, call.result)
            self.rules.solver.edge(item, self.rules.solver.field(attribute, name))

    def _run_by(self, attribute: int) -> int:
        """The slot of what is run on what an attribute is given."""
        return self.rules.solver.field(attribute, self.rules.any_key)

    def _first(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.rules.solver.edge(item, call.result)

    def _all(self, call: Call, arguments: list[int]) -> None:
        for item in arguments:
            self.rules.solver.edge(item, call.result)

    @handler
    def _on_attribute(self, value: int, listener: Listener) -> None:
        _, call, slot, scope = listener
        solver = self.rules.solver
        made = call.scope, slot, value
        is_one = solver.kind[value] == EXTERNAL and solver.detail[value][0] == _ATTRIBUTE
        if is_one and made not in self._made:
            self._made.add(made)
            inner = solver.derived_call(call, slot, ())
            solver.listen(self._run_by(value), (self._on_run, inner))
            for name in self._decorates:
                positional = (-1, slot) if self.program.texts[name] == "validator" else ()
                inner = solver.derived_call(call, -1 if positional else slot, positional)
                receiver = scope + self.program.scopes
                solver.listen(solver.field(value, name), (self.rules.on_member, inner, receiver))

    @handler
    def _on_run(self, value: int, listener: Listener) -> None:
        self.rules.call_value(listener[1], value)

    @handler
    def _on_factory(self, value: int, listener: Listener) -> None:
        """Call a builtin class here; what is the project's own is called by who makes the class."""
        call: Call = listener[1]
        solver = self.rules.solver
        if solver.kind[value] == BUILTIN:
            self.rules.call_value(solver.derived_call(call, call.result, ()), value)
        else:
            solver.add(call.result, solver.make(CONTAINER, _FACTORY, value))
            if self.program.kind[call.scope] == ScopeKind.CLASS:
                self._factories.append((call, value))

    def settle(self) -> None:
        """Let what nobody in the project makes have what it would be made with: no one calls it."""
        factories, self._factories = self._factories, []
        made = self.classes.instantiated
        for call, value in factories:
            owner = self.program.canonical[call.scope]
            if made.isdisjoint((owner, *self.classes.below(owner))):
                inner = self.rules.solver.derived_call(call, call.result, ())
                inner.flags |= CallFlag.QUIET
                self.rules.call_value(inner, value)

    @handler
    def _on_default(self, value: int, listener: Listener) -> None:
        _, call, slot = listener
        detail = self.rules.solver.detail[value]
        made = call.scope, slot, value
        if (
            self.rules.solver.kind[value] == CONTAINER
            and detail[0] == _FACTORY
            and made not in self._made
        ):
            self._made.add(made)  # a class may have a field of its own kind
            self.rules.call_value(self.rules.solver.derived_call(call, slot, ()), detail[1])

    def is_tuple(self, value: int) -> bool:
        """Whether an instance is a named tuple."""
        scope = value - self.program.scopes
        return bool(self._tuples) and not self._tuples.isdisjoint(self.classes.order(scope))

    def item(self, scope: int, key: str) -> int:
        """The slot of what a named tuple has at a position; -1 for other classes."""
        if not key.isdigit() or not self.is_tuple(scope + self.program.scopes):
            return -1
        fields = self._fields(scope)
        return self.classes.find(scope, fields[int(key)]) if int(key) < len(fields) else -1

    def matched(self, scope: int, position: str) -> int:
        """The name of what a pattern takes by position: `__match_args__` says, or else a field."""
        known = self.classes.find(scope, self.program.name("__match_args__"))
        solver = self.rules.solver
        wanted = self.program.name("[" + position)
        for value in (solver.points[known] or ()) if known >= 0 else ():
            slot = solver.fields_of(value).get(wanted)
            for text in (solver.points[slot] or ()) if slot is not None else ():
                if solver.kind[text] == TEXT:
                    return solver.key_name(text)
        fields = self._fields(scope)
        index = int(position)
        return fields[index] if index < len(fields) else -1

    def _fields(self, scope: int) -> list[int]:
        order = self.classes.order(scope)
        return [
            *dict.fromkeys(name for known in reversed(order) for name in self._own.get(known, ()))
        ]

    def _give(self, scope: int, name: int, source: int) -> None:
        slot = self.classes.find(scope, name)
        if source >= 0 and slot >= 0:
            self.rules.arguments.admit(source, slot)
