"""What tests leave of a value: `instanceof`, `typeof`, and functions that ask these for others.

A value goes on where a test may have let it through. That it lacks a member is known only until
somebody gives it one: then it goes on after all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.javascript.judging import DEEPEST, JavaScriptJudging, Test
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_Asked = tuple[int, int, int]
"""A value, the slot that it may get into, and a test, by its identity."""
_JOINS: Final = {"&": 2, "|": 2, "!": 1}


class JavaScriptNarrowing(JavaScriptFeature):
    """Asks tests of values, and lets on what they leave."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.judging = JavaScriptJudging(rules)
        self.returned: dict[int, list[Test]] = {}
        """Parameter → the tests under each of which its function returns it."""
        self.roots = dict(self._roots())
        """Slot of what tests have left of a value → slot of all of it."""
        self._waiting: dict[int, dict[_Asked, Test]] = {}
        """Name → what was asked of values that lack a member."""
        self._listening: set[tuple[int, _Asked]] = set()
        """(name, what was asked): who gets a member is heard once."""

    def _roots(self) -> Iterator[tuple[int, int]]:
        for index, facts in enumerate(self.program.facts):
            base = self.program.slot_base[index]
            for kind, _, _, target, source in facts.relations:
                if kind.startswith("?"):
                    yield target + base, source + base

    def prepare(self) -> None:
        """Enter the tests of all files."""
        program, solver = self.program, self.solver
        for index, facts in enumerate(program.facts):
            base = program.slot_base[index]
            for kind, first, place, target, source in facts.relations:
                if kind[0] not in "?<=":
                    continue
                test = self._parsed(iter(kind[1:].split()), base)
                if kind[0] == "?":
                    if not first:
                        solver.narrowed.setdefault(source + base, []).append(target + base)
                        solver.whole[target + base] = source + base
                    solver.listen(source + base, (self._on_value, target + base, test))
                elif kind[0] == "<":
                    self.returned.setdefault(source + base, []).append(test)
                else:
                    scope = first + program.scope_base[index]
                    self.judging.predicates.setdefault(scope, {})[place] = test
        if solver.marks:
            self._mark_own()

    def _parsed(self, tokens: Iterator[str], base: int) -> Test:
        token = next(tokens)
        count = _JOINS.get(token, 0)
        if count:
            return (token, *(self._parsed(tokens, base) for _ in range(count)))
        head, rest = token[0], token[1:]
        if head in "ic":
            return head, int(rest) + base
        if head == "p":
            slot, place = rest.split(",")
            return head, int(slot) + base, int(place)
        if head == "m":
            slot, name = rest.split(":", 1)
            return head, int(slot) + base, self._member(name)
        if head in "hf":
            return head, self._member(rest[1:])
        return head, rest[1:]

    def _member(self, text: str) -> int:
        name = self.program.name(text)
        self.solver.marks.add(name)
        return name

    def _mark_own(self) -> None:
        """Note the members of whose values nothing is followed that methods write on themselves."""
        program, solver = self.program, self.solver
        operations = solver.operations
        items = iter(operations.stores)
        rows = zip(items, items, items, items, items, strict=True)
        for identifier, (target, name, source, _, _) in enumerate(rows):
            if source == -1:
                index = operations.store_file[identifier]
                name = program.renames[index][name]
                owner = solver.this_owner.get(target + program.slot_base[index], -1)
                if name in solver.marks and owner >= 0:
                    self.mark(owner + program.scopes, name)

    def mark(self, value: int, name: int) -> None:
        """Note that a value has a member that no value is known of."""
        having = self.judging.marked.setdefault(name, set())
        if value not in having:
            having.add(value)
            for (waiting, target, _), test in self._waiting.pop(name, {}).items():
                self._decide(waiting, target, test)

    # flow

    @handler
    def _on_value(self, value: int, listener: Listener) -> None:
        self._decide(value, listener[1], listener[2])

    def pass_on(self, source: int, parameter: int, call: Call) -> None:
        """Give a call back what it handed to a parameter, if that is returned under a test."""
        for test in self.returned.get(parameter, ()):
            self.solver.listen(source, (self._on_value, call.result, test))

    def _decide(self, value: int, target: int, test: Test) -> None:
        if self.judging.holds(test, value, 0) is not False:
            self.solver.add(target, value)
        else:
            self._wait(value, target, test, test, 0)

    def _wait(self, value: int, target: int, test: Test, part: Test, depth: int) -> None:
        """Ask again when a value gets a member that it lacks."""
        kind = part[0]
        if kind in _JOINS:
            for inner in part[1:]:
                self._wait(value, target, test, inner, depth)
        elif kind == "p":
            for inner in self.judging.definitions(part) if depth < DEEPEST else ():
                self._wait(value, target, test, inner, depth + 1)
        elif kind in "hfm" and self.judging.has(value, part[-1]) is False:
            name: int = part[-1]
            asked = value, target, id(test)
            self._waiting.setdefault(name, {})[asked] = test
            if (name, asked) in self._listening:
                return
            self._listening.add((name, asked))
            found = (self._on_member, value, target, test)
            if self.solver.kind[value] == INSTANCE:
                self.rules.classes.lookup(value - self.program.scopes, name, found)
            elif self.solver.kind[value] == CONTAINER:
                self.solver.listen(self.solver.field(value, name), found)

    @handler
    def _on_member(self, _: int, listener: Listener) -> None:
        _, value, target, test = listener
        if self.judging.holds(test, value, 0) is not False:
            self.solver.add(target, value)
