"""What every family of languages answers the solver, each in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolroll_codegraph.facts import ScopeFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from toolroll_codegraph.resolve.calls import Call
    from toolroll_codegraph.resolve.classes import Classes
    from toolroll_codegraph.resolve.solver import Solver


_ONCE = (ScopeKind.MODULE, ScopeKind.FUNCTION)


class Rules:
    """How the values of a program are called, read and written."""

    imports: Any
    common: frozenset[str] = frozenset()
    """Names of methods that objects of too many kinds have to tell a class."""
    looking: frozenset[str] = frozenset()
    """Functions of libraries that take a function, and neither keep it nor call it."""

    def __init__(self, solver: Solver, classes: Classes) -> None:
        self.solver = solver
        self.program = solver.program
        self.classes = classes
        self.kind = solver.kind
        self.scopes = solver.program.scopes
        self.earlier: list[Any] = []
        """What resolving the program before told of what is to be known from the beginning."""
        self._statics: dict[int, int] = {}
        self._last_read = Read(-1, -1, -1, -1)
        self._marks: dict[int, tuple[int]] = {}

    def static(self, name: int) -> int:
        """The name that a class keeps its own member under, beside what its instances have."""
        found = self._statics.get(name)
        if found is None:
            found = self._statics[name] = self.program.name("." + self.program.texts[name])
            self.classes.unmixed.add(found)
        return found

    def mark(self, scope: int) -> tuple[int]:
        """What a call notes that has made an instance of a class: one for all calls."""
        mark = self._marks.get(scope)
        if mark is None:
            mark = self._marks[scope] = (-1 - scope,)
        return mark

    def reading(self, target: int, name: int, scope: int, line: int) -> Read:
        """What stands for a read in listeners: one for all values that come at once."""
        last = self._last_read
        if last.target != target or last.name != name or last.line != line or last.scope != scope:
            last = self._last_read = Read(target, name, scope, line)
        return last

    def is_later(self, function: int, read: Read) -> bool:
        """Whether a function is made behind a read by a module, which runs only once.

        `original = owner.method; owner.method = function …` calls what was there before.
        """
        program = self.program
        return (
            program.parent[function] == read.scope
            and program.first_line[function] > read.line > 0
            and program.kind[read.scope] in _ONCE
            and not program.flags[function] & ScopeFlag.HOISTED
        )

    def call_value(self, call: Call, value: int) -> None:
        """Call a value itself."""
        raise NotImplementedError

    def call_method(self, call: Call, value: int) -> None:
        """Call the method of a value that the call names."""
        raise NotImplementedError

    def load(self, value: int, name: int, target: int, scope: int, line: int) -> None:
        """Let a slot have a member of a value, read by this scope in this line."""
        raise NotImplementedError

    def store(self, value: int, name: int, source: int, scope: int, line: int) -> None:
        """Let a member of a value have what a slot has; setters are called by the scope.

        Without a scope, -1, nothing is called.
        """
        raise NotImplementedError

    def dynamic(
        self, value: int, key: int, result: int, source: int, attribute: int, scope: int
    ) -> None:
        """Read or write a member of a value under a computed key."""

    def prepare(self) -> None:
        """Bind what is known without any value."""

    def settle(self, step: int) -> None:
        """Use weaker evidence where the flow of values says nothing; -1 before calls are open."""

    def is_made(self, scope: int) -> bool:
        """Whether objects may be made of a class, so that one is handed over as such."""
        return True

    def settle_wrappers(self) -> None:
        """Decide what the calls of decorators return that decorate nothing."""

    def later(self, edges: Mapping[tuple[int, int], object]) -> list[Any]:
        """What a program is to know from the beginning that is resolved again, given its calls."""
        return []

    def extended(self) -> Mapping[int, Sequence[int]]:
        """Classes to the modules whose methods are methods of the class itself."""
        return {}

    def implemented(self) -> Mapping[int, Sequence[int]]:
        """Protocols to the topmost classes that have all their members."""
        return {}

    def handed(self) -> Iterable[tuple[int, int, int, int]]:
        """What libraries have by a name, or from an attribute of a class: (scope, line, slot, that
        class or -1)."""
        return ()

    def is_framed(self, scope: int) -> bool:
        """Whether a class derives from one of a library that is not the language's own, which runs
        its methods and reads its attributes."""
        return False

    def served(self, view: int, verb: str, *, inherited: bool) -> list[int]:
        """What a library's view calls for a request besides the method for its verb; `inherited`
        says that its class has none of its own for that."""
        return []

    def attribute_read(self, owner: int, name: int) -> int:
        """The attribute that a call of a class's own method only reads; -1 for other calls."""
        return -1

    def finish(self) -> None:
        """Judge what was found, once all values have moved."""
