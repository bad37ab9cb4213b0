"""What `is_a?` and `case` with classes admit, and what they keep out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Handler, Listener, handler
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
    MODULE,
    TEXT,
)
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_PLAIN_NAMES: Final = """
Array Class FalseClass Float Hash Integer Method Module NilClass Numeric Proc Regexp String Symbol
TrueClass
"""
_PLAIN: Final = frozenset(_PLAIN_NAMES.split())
"""Classes of Ruby whose values are told from all others here."""
_ANY_ERROR: Final = frozenset(("StandardError", "RuntimeError", "Exception"))
_ERRORS_BELOW: Final = {
    "ArgumentError": "UncaughtThrowError",
    "IOError": "EOFError",
    "IndexError": "ClosedQueueError KeyError StopIteration",
    "NameError": "NoMethodError",
    "RangeError": "FloatDomainError",
    "ScriptError": "LoadError NotImplementedError SyntaxError",
}
"""What derives from Ruby's own errors, beside what a program may."""
_OF_CONTAINERS: Final = {ObjectKind.SEQUENCE: "Array", ObjectKind.HASH: "Hash"}
Kinds = list[tuple[int, str]]
"""The slot of each class that is asked for, and how it is written."""


class RubyChecks(RubyFeature):
    """Lets through what a test admits of a variable's values."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self._kinds: dict[int, Kinds] = {}
        """Slot after a test → what was asked for."""
        self._tests: dict[int, tuple[int, Handler, tuple[Any, bool]]] = {}
        """Slot after a test → slot before, what tests each value, for what."""
        self.always: dict[int, bool] = {}
        """Method that does nothing but answer yes or no → which."""
        self.exact: set[int] = set()
        """Slots after a `rescue`: what is raised has been made of its very class."""

    def add(self, target: int, source: int, kind: tuple[int, str], *, refused: bool) -> None:
        """Note that a slot has the values of another that are of a class, or are not."""
        known = self._kinds.get(target)
        if known is not None:
            known.append(kind)
            return
        kinds = self._kinds[target] = [kind]
        self._test(source, target, self._on_value, (kinds, refused))

    def give_back(self, parameter: int, target: int) -> None:
        """Note that a parameter comes back to each caller as far as it is in a slot after tests."""
        tests = self.solver.passing.tested.setdefault(parameter, [])
        tests.append(partial(self._admitted, target))

    def _admitted(self, target: int, given: int) -> int:
        """The slot of what the tests before a slot admit of what a caller has given."""
        solver, known = self.solver, self._tests.get(target)
        if known is None or given < 0:
            return given
        source, test, asked = known
        before, found = self._admitted(source, given), solver.slot()
        solver.whole[found] = solver.whole.get(given, given)
        solver.listen(before, (test, found, *asked))
        return found

    def ask(self, target: int, source: int, name: int, *, refused: bool) -> None:
        """Note that a slot has the values of another that answer yes to a question, or no."""
        self._test(source, target, self._on_asked, (name, refused))

    def _test(self, source: int, target: int, test: Handler, asked: tuple[Any, bool]) -> None:
        self._tests[target] = source, test, asked
        self.solver.narrowed.setdefault(source, []).append(target)
        self.solver.whole[target] = self.solver.whole.get(source, source)
        self.solver.listen(source, (test, target, *asked))

    @handler
    def _on_asked(self, value: int, listener: Listener) -> None:
        _, target, name, refused = listener
        if self._answer(value, name) is not refused:
            self.solver.add(target, value)

    def _answer(self, value: int, name: int) -> bool | None:
        """What an object answers to a question, whenever it is asked; None where that may vary."""
        classes, scope = self.rules.classes, value - self.program.scopes
        if self.solver.kind[value] != INSTANCE or scope >= self.program.scopes:
            return None
        if scope not in classes.instantiated and classes.overriders(scope, name):
            return None
        slot = classes.find(scope, name)
        found = self.solver.points[slot] if slot >= 0 else None
        answers = {self.always.get(item) for item in found or ()}
        return answers.pop() if len(answers) == 1 else None

    @handler
    def _on_value(self, value: int, listener: Listener) -> None:
        _, target, kinds, refused = listener
        exact = target in self.exact
        answers = [self._is_a(value, *kind, exact=exact) for kind in kinds]
        if True not in answers if refused else answers.count(False) < len(answers):
            self.solver.add(target, value)

    def _is_a(self, value: int, slot: int, text: str, *, exact: bool) -> bool | None:
        """Whether a value is of a class; None where that isn't known."""
        solver = self.solver
        known = [item for item in solver.points[slot] or () if solver.kind[item] == CLASS]
        kind, plain = solver.kind[value], text in _PLAIN
        if kind == INSTANCE:
            error = exact or text.endswith("Error")
            if not (known or plain) and error and not self._may_be(value, text.removeprefix("::")):
                return False
            return self._is_instance(value - self.program.scopes, known, plain, exact)
        if kind == MODULE or not (known or plain):
            return None
        if known:
            return False
        if kind == TEXT and solver.key_text(value).isdigit():
            return text in ("Integer", "Numeric")
        if kind == TEXT or value == self.rules.texts.any:
            return None if text in ("String", "Symbol") else False
        if kind == CONTAINER:
            own = _OF_CONTAINERS.get(solver.detail[value][0])
            return None if own is None else own == text
        if kind in (FUNCTION, BOUND):
            return None if text in ("Proc", "Method") else False
        return text in ("Class", "Module") if kind == CLASS else None

    def _may_be(self, value: int, text: str) -> bool:
        """Whether an exception may be of a class that the project does not define."""
        scope, bases, found = value - self.program.scopes, self.program.bases, self.solver.points
        if text in _ANY_ERROR or not text[:1].isupper() or scope >= self.program.scopes:
            return True
        names = {text, *_ERRORS_BELOW.get(text, "").split()}
        return any(
            self.rules.imports.further.get(base, text) in names
            for known in self.rules.classes.order(scope)
            for base in bases[known]
            if found[base] is None
        )

    def _is_instance(self, scope: int, known: list[int], plain: bool, exact: bool) -> bool | None:
        if scope >= self.program.scopes:
            return None
        classes = self.rules.classes
        order = classes.order(scope)
        if any(item in order for item in known):
            return True
        if known and exact:
            return False
        if known:
            made = classes.instantiated if scope in classes.instantiated else ()
            near = (
                child
                for child in classes.below(scope)
                if child not in made and any(item in classes.order(child) for item in known)
            )  # what is made itself comes by itself
            return next((None for _ in near), False)
        bases, found = self.program.bases, classes.found_bases
        foreign = any(len(bases[item]) > len(found.get(item, ())) for item in order)
        return False if plain and not foreign else None
