"""What TypeScript's type arguments tell: `Stack<Item>` gives an Item, whatever other stacks hold.

What they say of a result keeps objects of other classes out of it, and stands in for a value that
nobody knows.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.javascript.type_flow import JavaScriptTypeFlow
from toolroll_codegraph.resolve.javascript.type_table import UNKNOWN, Type, joined
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
    MODULE,
    TEXT,
)

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_OTHERS: Final = (FUNCTION, CLASS, BOUND, MODULE, TEXT)
"""What is no object of a class."""


class JavaScriptGenerics(JavaScriptFeature):
    """Limits results to what their types name, and fills them with it."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.flow = JavaScriptTypeFlow(rules)
        self.terms = self.flow.terms
        self.limits: dict[int, frozenset[int]] = {}
        """Result of a read or call → the classes that its objects are of."""

    # before anything is called

    def limit(self) -> None:
        """Find what declarations alone say of results, once the hierarchies are known."""
        if not self.terms.declared:
            return
        kinds = self.terms.declared_classes()
        self.terms.note_fields(kinds)
        self.flow.note_functions()
        self.flow.note_operations()
        self.flow.seed()
        self.flow.move(partial(self._declared, kinds))
        for slot in self.flow.chosen:
            classes = self._classes(self.flow.types.get(slot, UNKNOWN))
            if classes:
                self.limits[slot] = classes
        self.flow.chosen.clear()

    def _declared(self, kinds: dict[int, list[int]], slot: int) -> Type:
        """What a slot is declared as, or that it is the receiver of a method."""
        found = self.flow.types.get(slot)
        if found is not None:
            return found
        owner = self.solver.this_owner.get(slot)
        if owner is not None:
            return (self.terms.object(owner),)
        return joined(self.terms.value(("n", known), ()) for known in kinds.get(slot, ()))

    def _classes(self, types: Type) -> frozenset[int]:
        """The classes of a type that names nothing else."""
        flags, terms = self.program.flags, [self.terms.terms[item] for item in types]
        if any(term[0] != "c" for term in terms):
            return frozenset()
        found = frozenset[int](term[1] for term in terms)
        return frozenset() if any(flags[it] & ScopeFlag.INTERFACE for it in found) else found

    def give(self, source: int, result: int) -> None:
        """Let the result of a read or call have what its type leaves of the values of a slot."""
        if result in self.limits:
            self.solver.listen(source, (self._on_limited, result))
        else:
            self.solver.edge(source, result)

    @handler
    def _on_limited(self, value: int, listener: Listener) -> None:
        if self.allows(value, listener[1]):
            self.solver.add(listener[1], value)

    def allows(self, value: int, result: int) -> bool:
        """Whether a value may be of a class that the type of a limited result names."""
        kind, scope = self.solver.kind[value], value - self.program.scopes
        if kind == CONTAINER:
            return self.solver.detail[value][0] != ObjectKind.ARRAY
        if kind != INSTANCE or scope >= self.program.scopes:
            return kind not in _OTHERS or self._is_getter(value)
        if self.solver.kind[scope] != CLASS or self.program.flags[scope] & ScopeFlag.INTERFACE:
            return True
        return not self.limits[result].isdisjoint(self.rules.classes.order(scope))

    def _is_getter(self, value: int) -> bool:
        """Whether a member is no value, but what runs for one."""
        return self.solver.kind[value] == FUNCTION and bool(
            self.program.flags[value] & ScopeFlag.PROPERTY
        )

    # where nothing else tells

    def settle(self) -> None:
        """Let results have objects of what their type says, where nobody knows their value."""
        flow = self.flow
        if not self.terms.declared:
            return
        self.terms.forget()
        self._call_functions()
        flow.move(self._receivers)
        for slot, types in flow.types.items():
            if self.solver.is_unknown(slot) or (
                slot in flow.chosen and self._classes(types) and not self._has_object(slot)
            ):
                self._fill(slot, types)
        flow.types.clear()

    def suits(self, result: int, scope: int) -> bool:
        """Whether a class implements the type that a method is called on for a result.

        `repo: Repo<Foo>` is no object of a class that implements `Repo<Bar>`.
        """
        wanted = self.flow.receivers.get(result)
        return wanted is None or any(self._may_be(scope, item) for item in wanted)

    def _may_be(self, scope: int, item: int) -> bool:
        term = self.terms.terms[item]
        if term[0] != "c":
            return True
        own = self.terms.environment_in(self.terms.object(scope), term[1])
        for known, given in term[2]:
            for other, held in own:
                if other == known and not all(map(self._overlap, given, held)):
                    return False
        return True

    def _overlap(self, left: Type, right: Type) -> bool:
        """Whether a value may be of both of two types, unless one of them tells nothing."""
        order, terms = self.rules.classes.order, self.terms.terms
        if not left or not right or any(terms[item][0] != "c" for item in (*left, *right)):
            return True
        pairs = ((terms[one][1], terms[other][1]) for one in left for other in right)
        return any(one in order(other) or other in order(one) for one, other in pairs)

    def _receivers(self, slot: int) -> Type:
        found = self.flow.types.get(slot)
        return self.terms.plain(slot) if found is None else found

    def _call_functions(self) -> None:
        """Calls of generic functions, which no object has."""
        program = self.program
        if not self.flow.of_functions:
            return
        for identifier, call in enumerate(self.solver.calls):
            if call is None or not self._is_wanted(call.result):
                continue
            for function in call.fired:
                if function in self.flow.of_functions and not self._is_method(function):
                    told = self.terms.declared[program.ret[function]]
                    env = self.flow.own_arguments(function, identifier, call.result)
                    self.flow.result(call.result, self.terms.value(told, env))

    def _is_wanted(self, slot: int) -> bool:
        """Whether anything is done with the result of a call but to hand it on."""
        starts = self.solver.operations.flow_start
        if slot < 0 or slot >= self.program.slots:
            return False
        return (
            slot in self.flow.used
            or starts[slot] != starts[slot + 1]
            or (self.solver.points[slot] is None and self.solver.active[slot] == 1)
        )

    def _is_method(self, function: int) -> bool:
        return bool(self.program.flags[function] & ScopeFlag.METHOD)

    def _fill(self, slot: int, types: Type) -> None:
        for item in types:
            term = self.terms.terms[item]
            if term[0] == "c":
                self.solver.add(slot, term[1] + self.program.scopes)
            elif term[0] == "e":
                made = self.solver.container(("applied", term[1]), ObjectKind.ARRAY)
                self.solver.add(slot, made)
                self._fill(self.solver.field(made, self.flow.any_key), term[1])

    def _has_object(self, slot: int) -> bool:
        kind = self.solver.kind
        return any(kind[value] == INSTANCE for value in self.solver.points[slot] or ())
