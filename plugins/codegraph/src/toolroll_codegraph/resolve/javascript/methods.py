"""Methods of JavaScript's own prototypes as values, and proxies, which run methods of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.arrays import CALLBACKS, MAPPED, REDUCED, REPLACED
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

METHOD: Final = "method"
"""A container of this kind is a method without its receiver: `[].slice`."""
BOUND_METHOD: Final = "bound method"
PROXY: Final = "proxy"
_OWNERS: Final = frozenset(["Array", "Function", "Map", "Set", "Promise", "String", "Number"])


class JavaScriptMethods(JavaScriptFeature):
    """`[].slice.call(list)`, `call.bind(method)`, and the traps of `new Proxy(target, traps)`."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.made: list[tuple[int, int, int]] = []
        """Proxies: target, traps and the slot that each is first in."""
        self._called: list[tuple[Call, int]] = []
        """Calls of methods without their receiver, and the slot of that."""
        self._receivers: dict[int, int] = {}
        """Object that a method or a trap runs on → a slot of it alone."""

    def load_prototype(self, owner: str, name: int, target: int) -> bool:
        """Read `Array.prototype`, or a method of it; False for what is no prototype."""
        if owner in _OWNERS and self.program.texts[name] == "prototype":
            self.solver.add(target, self.solver.make(CONTAINER, "prototype"))
            return True
        return False

    def load_method(self, name: int, target: int) -> None:
        self.solver.add(target, self.solver.make(CONTAINER, METHOD, name))

    def load_added(self, name: int, listener: Listener) -> None:
        """A method that the project adds to `Array.prototype`."""
        made = self.solver.made[CONTAINER].get(("prototype",), -1)
        if made >= 0:
            self.solver.listen(self.solver.field(made, name), listener)

    def added(self) -> dict[int, int]:
        """The slots of all methods that the project adds to such prototypes, by name."""
        made = self.solver.made[CONTAINER].get(("prototype",), -1)
        return dict(self.solver.fields_of(made)) if made >= 0 else {}

    def redirect(self, call: Call, value: int) -> None:
        """`call`, `apply` or `bind` of a method without its receiver."""
        method: int = self.solver.detail[value][1]
        how, positional = self.program.texts[call.name], call.positional
        if not positional or (how == "bind" and positional[0] < 0):
            return
        if how == "bind":
            bound = self.solver.make(CONTAINER, BOUND_METHOD, method, positional[0])
            self.solver.add(call.result, bound)
            return
        rest = positional[1:]
        if how == "apply":
            rest = tuple(-item - 2 for item in rest[:1] if item >= 0)
        elif how != "call":
            return
        inner = Call(call.result, call.scope, call.line, method, rest, (), 0)
        if positional[0] >= 0:
            self.solver.listen(positional[0], (self._on_method_receiver, inner))
        self._called.append((inner, positional[0]))

    def bound(self, method: int, receiver: int) -> int:
        """A method of arrays or generators that is read from one of these, to be called on it."""
        of = self._alone(receiver)
        return self.solver.make(CONTAINER, BOUND_METHOD, self.solver.detail[method][1], of)

    def _alone(self, value: int) -> int:
        """A slot of an object alone."""
        of = self._receivers.get(value)
        if of is None:
            of = self._receivers[value] = self.solver.slot()
            self.solver.add(of, value)
        return of

    def call_bound(self, call: Call, value: int) -> None:
        """Call what `method.bind(receiver)` returned."""
        _, method, receiver = self.solver.detail[value]
        self._call_on(call, method, receiver, call.positional)

    def _call_on(self, call: Call, method: int, receiver: int, positional: tuple[int, ...]) -> None:
        inner = Call(call.result, call.scope, call.line, method, positional, (), 0)
        self.solver.listen(receiver, (self._on_receiver, inner))

    def _on_receiver(self, value: int, listener: Listener) -> None:
        self.rules.call_method(listener[1], value)

    def _on_method_receiver(self, value: int, listener: Listener) -> None:
        """Run an array's method, even on what has one of its own under that name."""
        call: Call = listener[1]
        kind, arrays = self.solver.kind[value], self.rules.models.arrays
        if call.name not in arrays.names or kind not in (CONTAINER, INSTANCE):
            self.rules.call_method(call, value)
        elif kind == INSTANCE:
            self.rules.contents.call(call, value)
        elif self.solver.detail[value][0] != ObjectKind.RECORD:
            self.rules.call_method(call, value)
        elif self._has_positions(value) and call.once(-2 - value):
            arrays.call(call, value, self.program.texts[call.name])

    def _has_positions(self, value: int) -> bool:
        """Whether an object is written like an array: `{ length: 2, 0: first, 1: second }`."""
        texts, points = self.program.texts, self.solver.points
        return any(
            texts[name][:1] == "[" and texts[name][1:].isdigit() and points[slot]
            for name, slot in self.solver.fields_of(value).items()
        )

    def _settle_called(self) -> None:
        """`[].forEach.call(nodes, f)`: a text, or what is like an array, has elements, too."""
        solver, models = self.solver, self.rules.models
        for call, receiver in self._called:
            name = self.program.texts[call.name]
            known = solver.points[receiver] if receiver >= 0 else None
            if name not in CALLBACKS or any(solver.kind[it] == CONTAINER for it in known or ()):
                continue
            result = call.result if name in REDUCED else -1
            if name in MAPPED and call.result >= 0:
                result = solver.field(models.result(call), models.any_key)
            place = 1 if name in REPLACED else 0
            for function in call.positional[place : place + 1]:
                models.callback(call, function, (), result)
                models.callback_receiver(call, function)
        self._called.clear()

    # proxies

    def settle(self) -> None:
        """What no trap answers, the target of a proxy does."""
        self._settle_called()
        solver = self.solver
        names = {self.program.name(name) for name in ("get", "apply", "construct")}
        for target, traps, result in self.made:
            known = [solver.fields_of(value) for value in solver.points[traps] or ()]
            asked = (fields.get(name, -1) for fields in known for name in names)
            if not any(solver.points[slot] for slot in asked if slot >= 0):
                solver.edge(target, result)
        self.made.clear()

    def make_proxy(self, call: Call) -> None:
        """A proxy runs traps."""
        if len(call.positional) > 1 and min(call.positional[:2]) >= 0:
            target, traps = call.positional[:2]
            self.solver.add(call.result, self.solver.make(CONTAINER, PROXY, target, traps))
            self.made.append((target, traps, call.result))

    def is_proxy(self, value: int) -> bool:
        return self.solver.detail[value][0] == PROXY

    def trap(self, call: Call, value: int, name: str, rest: tuple[int, ...]) -> None:
        """Run a trap with the target and what it is told, at the place of a call."""
        _, target, traps = cast("tuple[str, int, int]", self.solver.detail[value])
        inner = Call(
            call.result, call.scope, call.line, self.program.name(name), (target, *rest), (),
            CallFlag.IMPLICIT,
        )  # fmt: skip
        self.solver.listen(traps, (self._on_receiver, inner))

    def trap_get(self, value: int, name: int, result: int, scope: int, line: int) -> None:
        call = Call(result, scope, line, -1, (), (), CallFlag.IMPLICIT)
        self.trap(call, value, "get", (self._key(name), self._alone(value)))

    def trap_set(self, value: int, name: int, source: int, scope: int, line: int) -> None:
        call = Call(-1, scope, line, -1, (), (), CallFlag.IMPLICIT)
        self.trap(call, value, "set", (self._key(name), source, -1))

    def trap_call(self, call: Call, value: int) -> None:
        made = self.solver.container(("passed", call.result), ObjectKind.ARRAY)
        for place, item in enumerate(call.positional):
            if item >= 0:
                self.solver.edge(item, self.solver.field(made, self.program.name(f"[{place}")))
        passed = self.solver.slot()
        self.solver.add(passed, made)
        if call.flags & CallFlag.NEW:
            self.trap(call, value, "construct", (passed, -1))
        else:
            self.trap(call, value, "apply", (-1, passed))

    def _key(self, name: int) -> int:
        slot = self.solver.slot()
        self.solver.add(slot, self.solver.text(name))
        return slot
