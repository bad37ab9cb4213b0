"""Whether a test holds for a value, as far as that is known before a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolroll_codegraph.facts import ANY_KEY, ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
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
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

Test = tuple[Any, ...]
"""A kind of test, or of a join of tests, with what belongs to it."""
DEEPEST: Final = 6
"""So many functions that test for one another are followed."""
_CALLABLE: Final = (METHOD, BOUND_METHOD, WRAPPED)
_OBJECTS: Final = (ObjectKind.RECORD, ObjectKind.ARRAY, ObjectKind.GENERATOR)
_OF_FUNCTIONS: Final = frozenset(
    ["call", "apply", "bind", "name", "length", "prototype", "toString", "constructor"]
)


class JavaScriptJudging(JavaScriptFeature):
    """Answers tests of values from their classes, kinds and members."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self._any_key = self.program.name(ANY_KEY)
        self.predicates: dict[int, dict[int, Test]] = {}
        """Function → position of a parameter → what its result says of that."""
        self.marked: dict[int, set[int]] = {}
        """Name → what has a member of it whose value nobody follows."""

    def holds(self, test: Test, value: int, depth: int) -> bool | None:
        """Whether a test holds for a value; None where a run tells."""
        kind = test[0]
        if kind == "!":
            inner = self.holds(test[1], value, depth)
            return None if inner is None else not inner
        if kind in ("&", "|"):
            ends = kind == "|"
            left = self.holds(test[1], value, depth)
            if left is ends:
                return ends
            right = self.holds(test[2], value, depth)
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
            return self.has(value, test[1])
        if kind in "fm":
            return False if self.has(value, test[-1]) is False else None
        if kind == "p" and depth < DEEPEST:
            answers = {self.holds(it, value, depth + 1) for it in self.definitions(test)}
            return answers.pop() if len(answers) == 1 else None
        return None

    def definitions(self, test: Test) -> list[Test]:
        """What the functions say that may be called to test; nothing where one says nothing."""
        found: list[Test] = []
        slot: int = test[1]
        for function in self.solver.points[slot] or ():
            known = self.predicates.get(function, {}).get(test[2])
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

    def has(self, value: int, name: int) -> bool | None:
        """Whether a value has a member; None where a run tells."""
        solver, classes, scopes = self.solver, self.rules.classes, self.program.scopes
        kind = solver.kind[value]
        marked = self.marked.get(name, ())
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
        return None if self._any_key in fields else False
