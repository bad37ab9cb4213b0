"""What comes with a class or a function that is handed over.

A class takes its constructor along and what nobody calls of its methods, as `dispatch` of a
middleware; a function what it makes and returns, as `(store) => (next) => (action) => …`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ScopeFlag, ScopeKind
from toolroll_codegraph.resolve.program import CLASS, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.solver import Solver

_MOST_PLACES: Final = 20
"""So many functions that hand over a class hand over its methods too; more are not listed."""
_MOST_RETURNED: Final = 4
_CONSTRUCTORS: Final = {"python": "__init__", "scripts": "constructor", "ruby": "initialize"}
_OF_CLASS: Final = ScopeFlag.STATIC | ScopeFlag.CLASSMETHOD | ScopeFlag.SINGLETON
_RETURNING: Final = (ScopeKind.FUNCTION, ScopeKind.LAMBDA)
Places = Mapping[tuple[int, int], set[int]]
"""(who hands it over, class or function) → lines."""


class HandedClasses:
    """Looks into the classes and functions that are handed over."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._program = solver.program
        self._constructor = solver.program.name(_CONSTRUCTORS[solver.program.family])
        self._called = solver.edges.callees()

    def is_of_library(self, values: Sequence[int]) -> bool:
        """Whether values are classes that derive from a library's, which has what is asked of them:
        `Show.as_view()`."""
        solver, bases = self._solver, self._program.bases
        return all(
            solver.kind[value] == CLASS
            and any(
                solver.is_unknown(above)
                for known in solver.rules.classes.order(value)
                for above in bases[known]
            )
            for value in values
        )

    def members(self, handed: Places, *, made: bool = False) -> Iterator[tuple[int, int, set[int]]]:
        """(who hands a class over, what comes with it, lines).

        With an object come neither its constructor, nor methods of its class, nor what the language
        itself calls.
        """
        places = Counter(known for _, known in handed)
        methods = self._methods_of(places)
        for (caller, known), lines in handed.items():
            for function in self._members(known, methods, places[known] <= _MOST_PLACES, made):
                yield caller, function, lines

    def _methods_of(self, handed: Iterable[int]) -> dict[int, list[int]]:
        """Methods of classes that are handed over, and of those that they inherit from."""
        program, order = self._program, self._solver.rules.classes.order
        found: dict[int, list[int]] = {base: [] for known in handed for base in order(known)}
        for scope in range(program.own_scopes) if found else ():
            parent = program.parent[scope]
            if parent in found and program.kind[scope] == ScopeKind.FUNCTION:
                found[parent].append(scope)
        return found

    def _members(
        self, known: int, methods: dict[int, list[int]], few: bool, made: bool
    ) -> Iterator[int]:
        program, seen = self._program, {self._constructor} if made else set[int]()
        for base in self._solver.rules.classes.order(known):
            for function in methods.get(base, ()):
                text = program.texts[program.scope_name[function]].rpartition(".")[2]
                name = program.name(text)
                if made and (text.startswith("__") or program.flags[function] & _OF_CLASS):
                    continue
                if name not in seen and (
                    name == self._constructor or (few and function not in self._called)
                ):
                    yield function
                seen.add(name)
        if self._constructor not in seen:
            yield known

    def returned(self, handed: set[int]) -> Iterator[tuple[int, int, set[int]]]:
        """(function that nobody calls, what it makes and returns, its line)."""
        program, solver, seen = self._program, self._solver, set(handed)
        pending = [function for function in sorted(seen) if function not in self._called]
        while pending:
            function = pending.pop()
            result = program.ret[function] if program.kind[function] in _RETURNING else -1
            values = (solver.points[result] or ()) if result >= 0 else ()
            for inner in values if len(values) <= _MOST_RETURNED else ():
                if solver.kind[inner] != FUNCTION or inner >= program.scopes or inner in seen:
                    continue
                if program.parent[inner] == function:
                    yield function, inner, {program.first_line[inner]}
                    seen.add(inner)
                    if inner not in self._called:
                        pending.append(inner)
