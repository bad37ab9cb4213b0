"""Functions handed to `map`, `forEach`, `then`… of values that nothing is known about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import LIKELY
from toolroll_codegraph.facts import CallColumn, ScopeKind
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.javascript.arrays import (
    CALLBACKS,
    MAPPED,
    PROMISE,
    REDUCED,
    REPLACED,
)
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.javascript.functions import WRAPPED
from toolroll_codegraph.resolve.javascript.models import WRAPPING
from toolroll_codegraph.resolve.program import BOUND, CLASS, CONTAINER, EXTERNAL, FUNCTION, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_SPLITTING: Final = ("split", "match", "matchAll")
"""What texts return arrays of."""
_SAME: Final = ("filter", "slice", "sort", "reverse", "concat", "splice")
_LATER: Final = PROMISE | {"tap", "spread"}
"""Methods of promises; bluebird's `tap` gives on what it was given."""
_SETTLED: Final = ("catch", "finally")
"""These give on what they do not handle."""
_PASSING: Final = (*REDUCED, "replace")
_FUNCTIONS: Final = (BOUND, FUNCTION)
_CALLABLE: Final = frozenset([BOUND, CLASS, FUNCTION])
_PRIMITIVE: Final = frozenset([BOUND, CONTAINER, FUNCTION, TEXT])


class JavaScriptCallbacks(JavaScriptFeature):
    """Takes such methods for those of arrays, promises or a library's collections."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.models = rules.models
        self.undecided: list[tuple[Call, bool]] = []
        """Calls such as `this.map(f)` with nothing known of `this`; whether f is called at once."""

    def settle(self) -> None:
        """Functions handed to `map`, `forEach`… of a receiver nothing is known about."""
        self.models.methods.settle()
        program, solver = self.program, self.solver
        solver.confidence = LIKELY
        names = {program.name(name) for name in CALLBACKS | _LATER}
        splitting = {program.name(name) for name in _SPLITTING}
        same = {program.name(name) for name in _SAME}
        lists, bound = set[int](), dict[int, int]()
        chain, inherits = program.name("chain"), program.name("inherits")
        bind = program.name("bind")
        added = self.models.methods.added()
        operations = solver.operations
        names_called = operations.column(CallColumn.NAME)
        sources = operations.column(CallColumn.SOURCE)
        outside, chained, returned = self._libraries(), set[int](), set[int]()
        modelled = {slot for slot in outside if self._is_modelled(slot)}
        own = {this for this in program.this if this >= 0 and solver.points[this] is None}
        results = operations.column(CallColumn.RESULT)
        for identifier, index in enumerate(operations.call_file):
            source = sources[identifier]
            value = source + program.slot_base[index] if source >= 0 else -1
            name = names_called[identifier]
            name = program.renames[index][name] if name >= 0 else -1
            if value in outside and (
                name == chain or value in chained or (name < 0 and self._wraps(value))
            ):  # what a library returns is mostly an array; `_(items)` is the library's again
                chained.add(results[identifier] + program.slot_base[index])
                outside.add(results[identifier] + program.slot_base[index])
            if name in splitting or (name in same and value in lists):
                lists.add(results[identifier] + program.slot_base[index])
            if value in bound or (name == bind and self._may_promise(value)):
                self._follow_bound(solver.translate(identifier), value, bound)
            if name in added:
                self._call_added(solver.translate(identifier), value, added[name])
            if name == inherits and value in outside:
                self._inherit(solver.translate(identifier))
            if name not in names:
                wraps = value in outside and value not in modelled
                if wraps or (name < 0 and value in returned):
                    self._wrap(solver.translate(identifier))
                    if results[identifier] >= 0:
                        returned.add(results[identifier] + program.slot_base[index])
                continue
            call, text = solver.translate(identifier), program.texts[name]
            if call.fired or not call.positional or (text == "tap" and call.positional[1:]):
                continue
            if value in own:  # `this.filter(f)`: what that is may turn out yet
                self.undecided.append((call, text not in _PASSING and text not in _LATER))
                continue
            items = value in outside and not self._is_array(call, value, chained)
            self._hand_over(call, text, value, value in outside, items, value in lists)

    def _hand_over(
        self, call: Call, text: str, source: int, outside: bool, items: bool, is_list: bool
    ) -> None:
        """Let the functions that a call is given be called, by itself or by a library.

        Args:
            call: What hands them over.
            text: The name of the method that is called.
            source: The slot of its receiver.
            outside: Whether that is a library.
            items: Whether the library is given what it goes through.
            is_list: Whether the receiver is a list.
        """
        solver, quiet, result = self.solver, text in _LATER, call.result
        argument = (source,) if quiet else ()
        if items:
            # `_.map(items, f)`: the library calls, with an element.
            argument, quiet = (solver.slot(),), True
            inner = solver.derived_call(call, argument[0], ())
            if call.positional[0] >= 0:
                solver.listen(call.positional[0], (self._on_collection, inner))
        if text in _SETTLED:
            solver.edge(source, result)
            argument, result = (), -1 if text == "finally" else result
        elif text == "spread":
            argument = (-source - 2,)
        elif text == "tap":
            solver.edge(source, result)
            result = -1
        if text in MAPPED and result >= 0:
            result = solver.field(self.models.result(call), self.models.any_key)
            if not is_list:  # of a library's observables `map` gives no list
                result, elements = solver.slot(), result
                solver.edge(result, elements)
                solver.edge(result, call.result)
        elif text in REDUCED and not outside:  # it gets what it made before
            result, total = solver.slot(), solver.slot()
            for made in (*call.positional[1:2], result):
                solver.edge(made, total)
            solver.edge(total, call.result)
            argument = (total,)
        own_place = 1 if text in REPLACED else 0
        for place, function in enumerate(call.positional):
            # `_.map(items, f)` where nobody knows `_`: who has f in another place calls it.
            away = quiet or place != own_place
            self.models.callback(call, function, argument, result, quiet=away)
        if text not in _LATER and text not in _PASSING:
            self.models.callback_receiver(call, call.positional[0])

    def _may_promise(self, slot: int) -> bool:
        """Whether no function is known that `bind` would bind."""
        known = self.solver.points[slot] if slot >= 0 else ()
        return not any(self.solver.kind[value] in _CALLABLE for value in known or ())

    def _follow_bound(self, call: Call, source: int, bound: dict[int, int]) -> None:
        """`promise.bind(receiver).then(f).catch(g)`, as bluebird has it: f and g run on that.

        `bound` has the slots of such promises, with that of the receiver.
        """
        receiver = bound.get(source, (*call.positional, -1)[0])
        if receiver < 0:
            return
        bound[call.result] = receiver
        for function in call.positional if source in bound else ():
            inner = self.solver.derived_call(call, -1, (function, receiver))
            self.models.callback_receiver(inner, function)

    def _call_added(self, call: Call, source: int, method: int) -> None:
        """Texts, numbers and functions have what the project adds to their prototypes."""
        if call.fired:
            return
        for value in (self.solver.points[source] if source >= 0 else None) or (-1,):
            if value < 0 or self.solver.kind[value] in _PRIMITIVE:
                self.solver.listen(method, (self.rules.on_member, call, value))

    def _wrap(self, call: Call) -> None:
        """`save = debounce(f)`: what a library makes of a function is mostly another that calls it.

        The library calls, but with the receiver and the arguments that it gets. So it is with what
        a library's function returns: `connect(state)(Component)`. What a module makes once, and
        then calls, it calls for that; inside a function it may be what ends a subscription.
        """
        if call.positional and call.positional[0] >= 0:
            self.solver.listen(call.positional[0], (self._on_wrapping, call))

    def _on_wrapping(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] in _CALLABLE:
            call: Call = listener[1]
            lasting = self.program.kind[call.scope] == ScopeKind.MODULE
            made = self.solver.make(CONTAINER, WRAPPED, call.positional[0], lasting)
            self.solver.add(call.result, made)

    def _inherit(self, call: Call) -> None:
        """Libraries hand on Node's `util.inherits`, under that name."""
        if len(call.positional) == 2 and min(call.positional) >= 0:
            self.models.statics.run(call, "util", "inherits")

    def settle_own(self) -> None:
        """The same where the receiver is a `this` that nothing was found out about."""
        for call, receives in self.undecided:
            if not call.fired:
                for function in call.positional:
                    self.models.callback(call, function, (), call.result, quiet=not receives)
        self.undecided.clear()

    def _wraps(self, slot: int) -> bool:
        """Whether calling a library wraps a collection: `_(items)`, `$(selector)`."""
        solver = self.solver
        return any(
            solver.kind[value] == EXTERNAL and solver.detail[value][0] in WRAPPING
            for value in solver.points[slot] or ()
        )

    def _is_modelled(self, slot: int) -> bool:
        """Whether it is of a library of whose functions it is known what they do."""
        solver, known = self.solver, self.models.statics.externals
        return any(
            solver.kind[value] == EXTERNAL and solver.detail[value][0] in known
            for value in solver.points[slot] or ()
        )

    def _is_array(self, call: Call, slot: int, chained: set[int]) -> bool:
        """Whether an import is an array, as in `methods.forEach(f)`: nothing stands before f."""
        first = call.positional[0] if call.positional else -1
        if first < 0 or slot in chained or len(call.positional) > 2 or self._wraps(slot):
            return False
        return any(
            self.solver.kind[value] in _FUNCTIONS for value in self.solver.points[first] or ()
        )

    def _libraries(self) -> set[int]:
        """The slots of imported modules that are not of this project."""
        return {
            slot
            for imported in self.program.imported
            for slot in imported
            if self.solver.is_unknown(slot)
        }

    def _on_collection(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.models.elements(value, listener[1].result)
