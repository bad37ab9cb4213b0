"""What unittest and pytest run before and after each test of a class or module: `setUp` and others.

A test depends on what these call, so that who runs it is told to run them: nothing in the source
looks like a call, and the edge is of low confidence. Where a subclass has another `setUp` than the
class that a test is written in, the test runs that too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ScopeKind
from toolroll_codegraph.resolve.program import CLASS, FUNCTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolroll_codegraph.resolve.python.rules import PythonRules

_OF_CLASSES: Final = (
    "setUp", "setUpClass", "setUpTestData", "asyncSetUp", "setup_method", "setup_class", "tearDown",
    "tearDownClass", "asyncTearDown", "teardown_method", "teardown_class",
)  # fmt: skip
_OF_MODULES: Final = (
    "setUpModule", "tearDownModule", "setup_module", "teardown_module", "setup_function",
    "teardown_function",
)  # fmt: skip
_TEST: Final = "test"
_MOST_TESTS: Final = 1_000
"""What more tests are run through is a library of tests: of Django's 33,000 pairs of a test and
what is run around it, 23,000 are those of four methods of its `TestCase`."""


def find_setups(rules: PythonRules) -> None:
    """Note for each test what is run around it, as calls that are possible."""
    _Setups(rules).find()


class _Setups:
    def __init__(self, rules: PythonRules) -> None:
        self._solver = rules.solver
        self._program = rules.program
        self._classes = rules.classes

    def find(self) -> None:
        for text in _OF_CLASSES:
            self._tell(self._around_methods(self._program.names.get(text, -1)))
        for text in _OF_MODULES:
            self._tell(self._around_modules(self._program.names.get(text, -1)))

    def _tell(self, pairs: Iterator[tuple[int, int]]) -> None:
        """Note calls: (what is run, test)."""
        tests: dict[int, set[int]] = {}
        for hook, test in pairs:
            tests.setdefault(hook, set()).add(test)
        for hook, found in tests.items():
            for test in sorted(found) if len(found) <= _MOST_TESTS else ():
                self._solver.suppose(test, hook, self._program.first_line[test])

    def _around_methods(self, name: int) -> Iterator[tuple[int, int]]:
        classes, kind = self._classes, self._solver.kind
        having: set[int] = set()
        for definer in classes.definers(name) if name >= 0 else ():
            if kind[definer] == CLASS:
                having.update((definer, *classes.below(definer)))
        for owner in having:
            for hook in self._functions(classes.find(owner, name)):
                for known in classes.order(owner):
                    for test in self._tests(known):
                        yield hook, test

    def _around_modules(self, name: int) -> Iterator[tuple[int, int]]:
        program = self._program
        for definer in self._classes.definers(name) if name >= 0 else ():
            if program.kind[definer] == ScopeKind.MODULE:
                slot = (program.members[definer] or {}).get(name, -1)
                for hook in self._functions(slot):
                    for test in self._in_module(definer):
                        yield hook, test

    def _tests(self, owner: int) -> Iterator[int]:
        """The functions of a class or module that are tests."""
        texts = self._program.texts
        for name, slot in (self._program.members[owner] or {}).items():
            if texts[name].startswith(_TEST):
                yield from self._functions(slot)

    def _in_module(self, module: int) -> Iterator[int]:
        yield from self._tests(module)
        members = self._program.members[module] or {}
        for slot in list(members.values()):
            for value in self._solver.points[slot] or () if slot >= 0 else ():
                own = self._solver.kind[value] == CLASS and value < self._program.scopes
                if own and self._program.parent[value] == module:
                    yield from self._tests(value)

    def _functions(self, slot: int) -> Iterator[int]:
        program, solver = self._program, self._solver
        for value in (solver.points[slot] or ()) if slot >= 0 else ():
            inner = solver.innermost(value)
            if solver.kind[inner] == FUNCTION and inner < program.scopes:
                yield program.original(inner)
