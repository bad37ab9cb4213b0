"""Methods that code puts in the place of others while it is loaded: `Timing.wrap(Job, :run)`.

Which they are is known only when values have moved, and calls have found what was there before by
then. A program that is resolved twice knows it the second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import CERTAIN
from toolroll_codegraph.facts import ScopeKind
from toolroll_codegraph.languages.registry import is_test
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import FUNCTION
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

Replaced = tuple[int, int, str, bool]
"""(file, class of the file, method, whether a module comes before it)."""
_Places = dict[tuple[int, int], set[int]]
_DEEPEST: Final = 3
"""So many methods call one another until one is called where a file is loaded."""


def _told_apart(places: _Places) -> Iterator[tuple[tuple[int, int], set[int]]]:
    """The pairs of which either part is the only one wherever they come from: where several classes
    meet several names, which belong together is not known."""
    firsts: dict[int, set[int]] = {}
    seconds: dict[int, set[int]] = {}
    for (first, second), scopes in places.items():
        for scope in scopes:
            firsts.setdefault(scope, set()).add(first)
            seconds.setdefault(scope, set()).add(second)
    for pair, scopes in places.items():
        if all(len(firsts[scope]) == 1 or len(seconds[scope]) == 1 for scope in scopes):
            yield pair, scopes


class RubyReplaced(RubyFeature):
    """Notes what replaces methods, as long as it follows from how values flow."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.certain: set[int] = set()
        """Slots of names under which methods are defined whatever there is."""
        self._lent: set[int] = set()
        self._defined: _Places = {}
        """(class, method) → where it is defined anew."""
        self._written: _Places = {}
        """The same of methods that are written in a block."""
        self._prepended: _Places = {}
        """(class, module) → where the module is prepended."""

    @handler
    def lend(self, value: int, _: Listener) -> None:
        """Note a class that stands for one without a name which derives from it."""
        self._lent.add(value)

    def define(self, owner: int, name: int, where: int, *, written: bool = False) -> None:
        """A class gets a method: to be called before it has that."""
        if self.solver.confidence == CERTAIN and self._had(owner, name):
            places = self._written if written else self._defined
            places.setdefault((owner, name), set()).add(where)

    def prepend(self, owner: int, module: int, where: int) -> None:
        """A module comes before a class."""
        if self.solver.confidence == CERTAIN:
            self._prepended.setdefault((owner, module), set()).add(where)

    def _had(self, owner: int, name: int) -> bool:
        """Whether a class of the project has a method, its own or inherited, that is written."""
        slot = self.rules.classes.find(owner, name)
        values = self.solver.points[slot] if slot >= 0 else None
        return owner < self.program.own_scopes and any(
            self.solver.kind[value] == FUNCTION and self.program.kind[value] == ScopeKind.FUNCTION
            for value in values or ()
        )

    def told(self, edges: Mapping[tuple[int, int], object]) -> list[Replaced]:
        """What is replaced whenever the program runs, given the calls that were found."""
        if not (self._defined or self._written or self._prepended):
            return []
        callers: dict[int, set[int]] = {}
        for caller, callee in edges:
            callers.setdefault(callee, set()).add(caller)
        defined = [*_told_apart(self._defined), *self._written.items()]
        found = {
            self._named(owner, name, behind=False): None
            for (owner, name), places in defined
            if owner not in self._lent and all(self._is_loaded(where, callers) for where in places)
        }
        program = self.program
        written = {
            (program.canonical[program.parent[scope]], program.scope_name[scope])
            for scope in range(program.own_scopes if self._prepended else 0)
            if program.kind[scope] == ScopeKind.FUNCTION
        }
        for (owner, module), places in _told_apart(self._prepended):
            if owner not in self._lent and all(self._is_loaded(where, callers) for where in places):
                for name in program.members[module] or ():
                    if (owner, name) in written:
                        found[self._named(owner, name, behind=True)] = None
        return list(found)

    def _named(self, owner: int, name: int, *, behind: bool) -> Replaced:
        index = self.program.file_of[owner]
        return index, owner - self.program.scope_base[index], self.program.texts[name], behind

    def _is_loaded(self, scope: int, callers: Mapping[int, set[int]], depth: int = 0) -> bool:
        """Whether code runs where files are loaded, and nowhere else; not in tests, which put back
        what they replace."""
        program = self.program
        scope = program.caller[scope]
        if is_test(program.paths[program.file_of[scope]]):
            return False
        if program.kind[scope] != ScopeKind.FUNCTION:
            return True
        known = callers.get(scope)
        return (
            known is not None
            and depth < _DEEPEST
            and all(self._is_loaded(caller, callers, depth + 1) for caller in known)
        )

    def take(self, earlier: list[Replaced]) -> None:
        """Let nothing but what keeps them find the methods that an earlier resolution told of."""
        program = self.program
        for index, scope, text, behind in earlier:
            owner = program.canonical[scope + program.scope_base[index]]
            self.rules.wrapping.replace(owner, program.name(text), behind=behind)
