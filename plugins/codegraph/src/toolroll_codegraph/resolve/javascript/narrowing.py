"""What tests leave of a value: `instanceof`, `typeof`, and functions that ask these for others.

A value goes on where a test may have let it through. That it lacks a member is known only until
somebody gives it one: then it goes on after all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolroll_codegraph.facts import ANY_KEY, ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.functions import WRAPPED
from toolroll_codegraph.resolve.javascript.methods import BOUND_METHOD, METHOD
from toolroll_codegraph.resolve.program import (
    BOUND,
    BUILTIN,
    CLASS,
    CONTAINER,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    TEXT,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_Test = tuple[Any, ...]
"""A kind of test, or of a join of tests, with what belongs to it."""
_Asked = tuple[int, int, int]
"""A value, the slot that it may get into, and a test, by its identity."""
_JOINS: Final = {"&": 2, "|": 2, "!": 1}
_DEEPEST: Final = 6
"""So many functions that test for one another are followed."""
_CALLABLE: Final = (METHOD, BOUND_METHOD, WRAPPED)
_OBJECTS: Final = (ObjectKind.RECORD, ObjectKind.ARRAY, ObjectKind.GENERATOR)
_OF_FUNCTIONS: Final = frozenset(
    ["call", "apply", "bind", "name", "length", "prototype", "toString", "constructor"]
)


class JavaScriptNarrowing:
    """Asks tests of values."""

    def __init__(self, rules: JavaScriptRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.any_key = self.program.name(ANY_KEY)
        self.returned: dict[int, list[_Test]] = {}
        """Parameter → the tests under each of which its function returns it."""
        self.roots = dict(self._roots())
        """Slot of what tests have left of a value → slot of all of it."""
        self._predicates: dict[int, dict[int, _Test]] = {}
        """Function → position of a parameter → what its result says of that."""
        self._marked: dict[int, set[int]] = {}
        """Name → what has a member of it whose value nobody follows."""
        self._waiting: dict[int, dict[_Asked, _Test]] = {}
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
                    self._predicates.setdefault(scope, {})[place] = test
        if solver.marks:
            self._mark_own()

    def _parsed(self, tokens: Iterator[str], base: int) -> _Test:
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
        having = self._marked.setdefault(name, set())
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

    def _decide(self, value: int, target: int, test: _Test) -> None:
        if self._holds(test, value, 0) is not False:
            self.solver.add(target, value)
        else:
            self._wait(value, target, test, test, 0)

    def _wait(self, value: int, target: int, test: _Test, part: _Test, depth: int) -> None:
        """Ask again when a value gets a member that it lacks."""
        kind = part[0]
        if kind in _JOINS:
            for inner in part[1:]:
                self._wait(value, target, test, inner, depth)
        elif kind == "p":
            for inner in self._definitions(part) if depth < _DEEPEST else ():
                self._wait(value, target, test, inner, depth + 1)
        elif kind in "hfm" and self._has(value, part[-1]) is False:
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
        if self._holds(test, value, 0) is not False:
            self.solver.add(target, value)

    # tests

    def _holds(self, test: _Test, value: int, depth: int) -> bool | None:
        """Whether a test holds for a value; None where a run tells."""
        kind = test[0]
        if kind == "!":
            inner = self._holds(test[1], value, depth)
            return None if inner is None else not inner
        if kind in ("&", "|"):
            ends = kind == "|"
            left = self._holds(test[1], value, depth)
            if left is ends:
                return ends
            right = self._holds(test[2], value, depth)
            return right if right is ends or left is not None else None
        if kind == "v":
            return True
        if kind == "i":
            return self._is_instance(value, test[1])
        if kind == "c":
            return self._may_be_cast(value, test[1])
        if kind == "t":
            known = self._type_of(value)
            return None if known is None else known == test[1]
        if kind == "a":
            known = self._type_of(value)
            is_array = self.solver.kind[value] == CONTAINER and (
                self.solver.detail[value][0] == ObjectKind.ARRAY
            )
            return is_array or (None if self._is_foreign(value) or known is None else False)
        if kind == "h":
            return self._has(value, test[1])
        if kind in "fm":
            return False if self._has(value, test[-1]) is False else None
        if kind == "p" and depth < _DEEPEST:
            answers = {self._holds(it, value, depth + 1) for it in self._definitions(test)}
            return answers.pop() if len(answers) == 1 else None
        return None

    def _definitions(self, test: _Test) -> list[_Test]:
        """What the functions say that may be called to test; nothing where one says nothing."""
        found: list[_Test] = []
        slot: int = test[1]
        for function in self.solver.points[slot] or ():
            known = self._predicates.get(function, {}).get(test[2])
            if known is None:
                return []
            found.append(known)
        return found

    def _type_of(self, value: int) -> str | None:
        kind = self.solver.kind[value]
        if kind in (FUNCTION, CLASS, BOUND):
            return "function"
        if kind == INSTANCE:
            return "object"
        if kind == TEXT:
            return "symbol" if self.solver.key_text(value).startswith("@@") else "string"
        if kind == CONTAINER:
            of = self.solver.detail[value][0]
            return "function" if of in _CALLABLE else "object" if of in _OBJECTS else None
        return None

    def _is_instance(self, value: int, slot: int) -> bool | None:
        kind, scopes = self.solver.kind, self.program.scopes
        classes = self.rules.classes
        scope = value - scopes
        own = kind[value] == INSTANCE and scope < scopes
        if not own and (self._type_of(value) is None or value in self.rules.prototypes.having):
            return None
        answers: set[bool | None] = set()
        for known in self.solver.points[slot] or ():
            if kind[known] not in (CLASS, FUNCTION):
                if kind[known] not in (BUILTIN, EXTERNAL):
                    return None
                answers.add(None)
            elif not own:
                answers.add(False)
            elif known in classes.order(scope):
                answers.add(True)
            else:
                hooked = self.program.names.get(".@@hasInstance", -1)
                asks = hooked >= 0 and classes.find(known, hooked) >= 0
                below = scope in classes.order(known)  # it may stand for what is below it
                answers.add(None if asks or below else False)
        return answers.pop() if len(answers) == 1 else None

    def _may_be_cast(self, value: int, slot: int) -> bool | None:
        """Whether a value may be of a type that the source says it has.

        An object is of its class or of one above that, or else stands for one below it, which the
        type names.
        """
        scope, kind = value - self.program.scopes, self.solver.kind
        if kind[value] != INSTANCE or scope >= self.program.scopes:
            return None
        order = self.rules.classes.order(scope)
        known = self.solver.points[slot] or ()
        if any(kind[it] != CLASS or self.program.flags[it] & ScopeFlag.INTERFACE for it in known):
            return None
        return any(it in order for it in known) if known else None

    def _is_foreign(self, value: int) -> bool:
        """Whether an object is of a class with a base that the project does not define."""
        scope = value - self.program.scopes
        if self.solver.kind[value] != INSTANCE or scope >= self.program.scopes:
            return False
        bases, found = self.program.bases, self.rules.classes.found_bases
        return any(
            len(bases[known]) > len(found.get(known, ()))
            for known in self.rules.classes.order(scope)
            if known < len(bases)
        )

    def _has(self, value: int, name: int) -> bool | None:
        solver, classes, scopes = self.solver, self.rules.classes, self.program.scopes
        kind = solver.kind[value]
        marked = self._marked.get(name, ())
        if value in marked:
            return True
        if kind == INSTANCE and value - scopes < scopes:
            scope = value - scopes
            slot = classes.find(scope, name)
            if slot >= 0:
                return True if solver.points[slot] else None
            if any(known + scopes in marked for known in classes.order(scope)):
                return True
            return None if self._is_foreign(value) else False
        if kind in (FUNCTION, CLASS, BOUND):
            if self.program.texts[name] in _OF_FUNCTIONS or kind == CLASS:
                return None
            slot = solver.fields_of(value).get(name, -1)
            return (True if solver.points[slot] else None) if slot >= 0 else False
        if kind == CONTAINER:
            return self._has_property(value, name)
        return None

    def _has_property(self, value: int, name: int) -> bool | None:
        solver = self.solver
        fields = solver.fields_of(value)
        slot = fields.get(name, -1)
        if slot >= 0 and solver.points[slot]:
            return True
        of = solver.detail[value][0]
        if of == ObjectKind.ARRAY:
            return False if self.program.texts[name].startswith(("@@", "_")) else None
        if of != ObjectKind.RECORD or value in self.rules.prototypes.having:
            return None
        return None if self.any_key in fields else False
