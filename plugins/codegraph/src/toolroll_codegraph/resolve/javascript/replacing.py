"""Methods that are replaced by what wraps them: `api.load = timed(api.load)`.

What runs behind that, and a decorator at once, calls the wrapper alone; the wrapper calls what was
there before, and not itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import CERTAIN, LIKELY, POSSIBLE
from toolroll_codegraph.facts import Operation, ScopeKind, numbers
from toolroll_codegraph.facts.model import LOAD_WIDTH, STORE_WIDTH
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.places import rows_of
from toolroll_codegraph.resolve.program import FUNCTION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolroll_codegraph.resolve.calls import Call
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_Place = tuple[int, int]
_Places = tuple[dict[int, _Place], dict[_Place, set[int]]]
_CONFIDENCES: Final = (CERTAIN, LIKELY, POSSIBLE)
_NONE: Final[frozenset[int]] = frozenset()


class JavaScriptReplacing(JavaScriptFeature):
    """Tells what a member was before from what it is afterwards."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.later: dict[int, list[int]] = {}
        """Slot of what a member was → slots of what a module then puts in its place."""
        self._replaced: list[tuple[int, int, int, int]] = []
        """Slots of what was there and of what replaces it, the file, and the line or 0."""
        self._dynamic: dict[int, list[tuple[int, _Place]]] = {}
        self._put: dict[int, list[tuple[_Place, int]]] = {}
        """File → what is read and written under computed keys."""
        self._places: dict[int, _Places] = {}
        self._wrappers: dict[int, set[int]] = {}
        """Slot of what a member was → functions that call it and are kept in its place."""
        for index, facts in enumerate(self.program.facts):
            base = self.program.slot_base[index]
            items = iter(numbers(facts.dynamic))
            for result, owner, key, source, _ in zip(
                items, items, items, items, items, strict=True
            ):
                place = owner + base, -2 - key - base  # a slot, not a name
                if result >= 0:
                    self._dynamic.setdefault(index, []).append((result + base, place))
                elif source >= 0:
                    self._put.setdefault(index, []).append((place, source + base))
            for kind, line, _, old, new in facts.relations:
                if kind == "replaced":
                    self._replaced.append((old + base, new + base, index, line))
                    if line:
                        self.later.setdefault(old + base, []).append(new + base)

    def is_later(self, function: int, target: int, scope: int) -> bool:
        """Whether a function is only kept where a read has been."""
        points = self.solver.points
        if any(function in (points[slot] or ()) for slot in self.later.get(target, ())):
            return True
        if self.program.parent[function] != scope or not self._calls(function, target):
            return False
        if not self._takes_place(function, target):
            return False
        self._wrappers.setdefault(target, set()).add(function)
        return True

    def _takes_place(self, function: int, target: int) -> bool:
        """Whether a function is written where something was read."""
        index = self.program.file_of[function]
        places = self._places.get(index)
        if places is None:
            places = self._places[index] = self._places_in(index)
        read, written = places
        place = read.get(target)
        return place is not None and self.program.value[function] in written.get(place, ())

    def _places_in(self, index: int) -> _Places:
        """(object, name or key) of what a file reads to a slot, and what it writes there."""
        operations, base = self.solver.operations, self.program.slot_base[index]
        read, written = dict(self._dynamic.get(index, ())), dict[_Place, set[int]]()
        for place, source in self._put.get(index, ()):
            written.setdefault(place, set()).add(source)
        for row in rows_of(operations.loads, operations.load_file, index, LOAD_WIDTH):
            read[row[0] + base] = row[1] + base, row[2]
        for row in rows_of(operations.stores, operations.store_file, index, STORE_WIDTH):
            if row[2] >= 0:
                written.setdefault((row[0] + base, row[1]), set()).add(row[2] + base)
        return read, written

    def _calls(self, function: int, slot: int) -> bool:
        """Whether a function calls what is in a slot of the one around it."""
        if slot >= self.program.slots:
            return False
        operations, calls = self.solver.operations, self.solver
        start = operations.wait_start
        return any(
            calls.translate(entry >> Operation.SHIFT).scope == function
            for entry in operations.wait[start[slot] : start[slot + 1]]
            if entry & Operation.MASK == Operation.CALL
        )

    def finish(self) -> None:
        """Forget the calls of what was replaced, and of what was not there yet."""
        known: dict[int, list[tuple[frozenset[int], int, int]]] = {}
        for old, new, index, line in self._replaced:
            olds, news = self._functions(old), self._functions(new)
            if line:
                olds -= news
            else:  # a descriptor has the method to begin with
                news -= olds
            for function in olds if news else ():
                known.setdefault(function, []).append((news, index, line))
        for old, news, index, line in self._wrapped():
            for function in self._functions(old) - news:
                known.setdefault(function, []).append((news, index, line))
        if not known:
            return
        gone: set[tuple[int, int, int, int]] = set()
        wrapped: dict[int, set[int]] = {}
        for function, places in known.items():
            for news, *_ in places:
                for new in news:
                    wrapped.setdefault(new, set()).add(function)
        for call in self.solver.calls:
            if call is not None and len(call.fired) > 1 and call.name >= 0:
                caller = self.program.caller[call.scope]
                for function in call.fired:
                    for news, index, line in known.get(function, ()):
                        instead = news.intersection(call.fired)
                        if not instead:
                            continue
                        before = self._is_before(call, index, line)
                        gone.update(
                            (caller, item, call.line, confidence)
                            for item in (news if before else (function,))
                            for confidence in _CONFIDENCES
                        )
                        for new in () if before else instead:
                            self.solver.standing.of(caller, new).stands_for.add(function)
        self.solver.edges.remove(gone)
        self._note_wrapped(wrapped)

    def _note_wrapped(self, wrapped: Mapping[int, set[int]]) -> None:
        """Note for which callers a wrapper calls each of the functions that it wraps."""
        for call in self.solver.calls if wrapped else ():
            if call is not None:
                caller = self.program.caller[call.scope]
                for function in wrapped.get(caller, _NONE).intersection(call.fired):
                    self.solver.standing.of(caller, function).passes_on.add(function)

    def _wrapped(self) -> Iterator[tuple[int, frozenset[int], int, int]]:
        """What functions wrap that only code outside of functions calls, and from which line on."""
        program = self.program
        places: dict[int, set[tuple[int, int]]] = {
            program.parent[item]: set() for items in self._wrappers.values() for item in items
        }
        inside: set[int] = set()
        for call in self.solver.calls if places else ():
            for function in call.fired if call is not None else ():
                if call is not None and function in places:
                    places[function].add((program.file_of[call.scope], call.line))
                    if program.kind[call.scope] not in (ScopeKind.MODULE, ScopeKind.CLASS):
                        inside.add(function)
        for old, functions in self._wrappers.items():
            makers = {program.parent[item] for item in functions}
            found = sorted(set[tuple[int, int]]().union(*(places[maker] for maker in makers)))
            if found and not makers & inside and found[0][0] == found[-1][0]:
                yield old, frozenset(functions), *found[0]

    def _functions(self, slot: int) -> frozenset[int]:
        values = self.solver.points[slot] or ()
        return frozenset(value for value in values if self.solver.kind[value] == FUNCTION)

    def _is_before(self, call: Call, index: int, line: int) -> bool:
        program = self.program
        return (
            program.kind[call.scope] == ScopeKind.MODULE
            and program.file_of[call.scope] == index
            and call.line < line
        )
