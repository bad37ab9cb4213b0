"""Functions that store one argument under another, or return what is kept under one.

`function on(name, handler) { this.handlers[name] = handler }` keeps each handler under the name
that came with it, and `get(name) { return this.handlers[name] }` returns the one of that name. What
flows through the parameters themselves would keep every handler under every name.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, ParamKind, numbers
from toolroll_codegraph.facts.packing import pack_numbers
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.applying import JavaScriptApplying
from toolroll_codegraph.resolve.javascript.boxes import JavaScriptBoxes
from toolroll_codegraph.resolve.javascript.defining import JavaScriptDefining
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.program import TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_MOST_CALLS: Final = 256
_MOST_JOINED: Final = 6
"""So many slots may be between what is read and what is returned."""
_Row = tuple[int, int, int, int]
"""Slots: owner, key, result or -1, stored value or -1."""


class JavaScriptPairs(JavaScriptFeature):
    """Follows such reads and writes for each call by itself."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.rows: dict[int, list[_Row]] = {}
        """Function → what it reads and writes under one of its parameters."""
        self._entered: dict[int, int] = {}
        """Function → how many calls were followed by themselves."""
        self._asked: list[tuple[int, int, int, int]] = []
        """Slots of owner, key and result, and the scope, of what single calls read."""
        self.functions: set[int] = set()
        """Functions whose calls are followed by themselves."""
        for index, facts in enumerate(self.program.facts):
            if facts.dynamic:
                facts.dynamic = self._take(index, facts.dynamic)
        self.boxes = JavaScriptBoxes(rules)
        self.defining = JavaScriptDefining(self)
        self.applying = JavaScriptApplying(rules)
        self._using_maps: dict[int, list[Call]] = {item: [] for item in self._find_maps()}
        """Function that puts things into maps or takes them → the calls that have entered it."""
        self.functions.update(self.rows, self.boxes.names, self.applying.places, self._using_maps)

    def _take(self, index: int, packed: bytes) -> bytes:
        """Take the rows of one file that are followed by call, and return the others."""
        program = self.program
        base, items = program.slot_base[index], iter(numbers(packed))
        rows = list(zip(items, items, items, items, items, strict=True))
        roots = self.rules.narrowing.roots
        keys = {roots.get(row[2] + base, row[2] + base) for row in rows}
        first = program.scope_base[index]
        last = program.scope_base[index + 1] if index + 1 < len(program.facts) else program.scopes
        places = {
            slot: scope
            for scope in range(first, last)
            for _, slot, shape in program.params[scope]
            if slot in keys and shape == ParamKind.POSITIONAL
        }
        left: list[int] = []
        for row in rows:
            result, owner, key, source, _ = row
            function = places.get(roots.get(key + base, key + base), -1)
            if function >= 0 and (
                self.position(function, source + base) >= 0
                if result < 0
                else self._is_returned(result + base, function)
            ):
                known = (
                    owner + base, key + base, result + base if result >= 0 else -1,
                    source + base if source >= 0 else -1,
                )  # fmt: skip
                self.rows.setdefault(function, []).append(known)
            else:
                left += row
        return pack_numbers(left)

    def position(self, function: int, slot: int) -> int:
        """At which position a function is given what a slot has; -1 if it is no parameter."""
        slot = self.rules.narrowing.roots.get(slot, slot)
        for place, (_, known, shape) in enumerate(self.program.params[function]):
            if known == slot and shape == ParamKind.POSITIONAL:
                return place
        return -1

    def _is_returned(self, slot: int, function: int) -> bool:
        """Whether all that happens to a slot is that a function returns it, may it be joined
        before with what else that returns.
        """
        if not 0 <= slot < self.program.slots:  # of a call that no file has
            return False
        operations, returned = self.solver.operations, self.program.ret[function]
        found = [slot]
        for known in found:
            if operations.wait_start[known + 1] > operations.wait_start[known]:
                return False
            begin, end = operations.flow_start[known], operations.flow_start[known + 1]
            onward = operations.flow[begin:end]
            if not onward or len(found) > _MOST_JOINED:
                return False
            found += [item for item in onward if item != returned and item not in found]
        return True

    def reflect(self, call: Call) -> bool:
        """`return Reflect.get(object, name)` in a function of such a parameter, as proxies have.

        False if it reads for all calls at once.
        """
        owner, key = call.positional[:2]
        function = call.scope
        if self.position(function, key) < 0 or self._entered.get(function, 0) < 0:
            return False
        if not self._is_returned(call.result, function):
            return False
        if call.once(-1 - function):
            row = (owner, key, call.result, -1)
            self.rows.setdefault(function, []).append(row)
            self.functions.add(function)
            for entered in self.entered_before(function):
                self._enter_row(entered, function, row)
        return True

    def of_map(self, call: Call, value: int, key: int, result: int, source: int) -> bool:
        """`map.set(key, source)` or `return map.get(key)` in a function of these parameters.

        False if it is followed for all calls at once.
        """
        function = call.scope
        if function not in self._using_maps or self._entered.get(function, 0) < 0:
            return False
        if self.position(function, key) < 0:
            return False
        if result >= 0:
            if not self._is_returned(result, function):
                return False
        elif self.position(function, source) < 0:
            return False
        owner = self.solver.slot()
        self.solver.add(owner, value)
        row = (owner, key, result, source)
        self.rows.setdefault(function, []).append(row)
        for entered in self._using_maps[function]:
            self._enter_row(entered, function, row)
        return True

    def _find_maps(self) -> Iterator[int]:
        """The functions that ask something for what it has under a key that they are given."""
        program, operations = self.program, self.solver.operations
        columns = (CallColumn.NAME, CallColumn.SCOPE)
        names, scopes = map(operations.column, columns)
        asked = [program.names[text] for text in ("get", "set") if text in program.names]
        for index, rename in enumerate(program.renames):
            wanted = {rename.index(name) for name in asked if name in rename}
            if not wanted:
                continue
            first = bisect_left(operations.call_file, index)
            last = bisect_right(operations.call_file, index)
            base = program.slot_base[index]
            for number in range(first, last):
                if names[number] in wanted:
                    function = scopes[number] + program.scope_base[index]
                    positional, _ = operations.arguments_of(number)
                    if positional and self.position(function, positional[0] + base) >= 0:
                        yield function

    def entered_before(self, function: int) -> Iterator[Call]:
        """The calls that have entered a function already."""
        for call in self.solver.calls:
            if call is not None and function in call.fired:
                yield call

    def enter(self, call: Call, function: int) -> None:
        """Follow what a function does with the arguments of one call."""
        if function in self.boxes.names:
            self.boxes.enter(call, function)
        if function in self.applying.places:
            self.applying.enter(call, function)
        self.defining.enter(call, function)
        if function in self._using_maps:
            self._using_maps[function].append(call)
        if function in self.rows:
            self._enter_rows(call, function)

    def _enter_rows(self, call: Call, function: int) -> None:
        count = self._entered.get(function, 0)
        if count < 0:
            return
        places = (self.position(function, row[1]) for row in self.rows[function])
        if count >= _MOST_CALLS or call.hides(max(places)):
            self._follow_together(function)
            return
        if self._asks_further(call, function):
            return
        self._entered[function] = count + 1
        for row in self.rows[function]:
            self._enter_row(call, function, row)

    def _asks_further(self, call: Call, function: int) -> bool:
        """Whether a function asks another of its kind for what it was itself asked for.

        `return has(this.names, name) ? this.names[name] : this.outer.get(name)`: who asks for one
        name gets nothing else, from however far away.
        """
        if call.scope != function or not self._is_returned(call.result, function):
            return False
        roots = self.rules.narrowing.roots
        for _, key, _, _ in self.rows[function]:
            given = self.given(call, function, key)
            if roots.get(given, given) != roots.get(key, key):
                return False
        return True

    def _enter_row(self, call: Call, function: int, row: _Row) -> None:
        owner, key, result, source = (self.given(call, function, slot) for slot in row)
        if row[2] >= 0:
            result = call.result
        if result >= 0:
            self._asked.append((owner, key, result, function))
        if result >= 0 or (source >= 0 and row[2] < 0):
            self.solver.listen(owner, (self._on_owner, key, result, source, function))

    def given(self, call: Call, function: int, slot: int) -> int:
        """What a call gives for a slot: its argument, if that is a parameter.

        Where it gives none, a default may be that, which is among what the parameter gets.
        """
        place = self.position(function, slot) if slot >= 0 else -1
        if place < 0 or place >= len(call.positional):
            return slot
        return call.positional[place]

    def _follow_together(self, function: int) -> None:
        """Follow it for all calls in common: what they give is not told apart."""
        self._entered[function] = -1
        for owner, key, result, source in self.rows[function]:
            self.solver.listen(owner, (self._on_owner_of_all, key, result, source, function))

    @handler
    def _on_owner(self, value: int, listener: Listener) -> None:
        _, key, result, source, scope = listener
        self.solver.listen(key, (self.rules.keys.on_key, value, result, source, scope))

    @handler
    def _on_owner_of_all(self, value: int, listener: Listener) -> None:
        _, key, result, source, scope = listener
        self.rules.keys.follow(value, key, result, source, scope)

    def settle(self) -> None:
        """What is kept may be under any name where no call tells one, or for those that do not."""
        kind, points = self.solver.kind, self.solver.points
        for function, rows in self.rows.items():
            if self._entered.get(function, 0) >= 0 and not any(
                kind[value] == TEXT for row in rows for value in points[row[1]] or ()
            ):
                self._follow_together(function)
        for owner, key, result, scope in self._asked:
            listed = points[owner] or () if owner >= 0 else ()
            names = points[key] or () if key >= 0 else ()
            if all(self.rules.keys.lists(name, listed) for name in names):
                key = key if key >= 0 else self.solver.slot()  # a text that is not followed
                self.solver.listen(owner, (self._on_owner_of_all, key, result, -1, scope))
        self._asked.clear()
