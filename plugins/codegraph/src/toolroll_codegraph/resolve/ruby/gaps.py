"""Names of which only the beginning and the end are known: `send("visit_#{kind}")`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import POSSIBLE
from toolroll_codegraph.facts import PREFIX, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
    TEXT,
)
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

Gap = tuple[str, str]
"""How a name begins and ends."""
_NUMBERS: Final = {"integer", "numeric"}
_TEXTS: Final = {"string", "symbol"}
_CONTAINERS: Final = {
    ObjectKind.SEQUENCE: {"array"}, ObjectKind.HASH: {"hash"}, ObjectKind.STRING: {"string"},
    ObjectKind.RANGE: {"range"},
}  # fmt: skip
"""How Ruby's own classes are named in methods that visit them."""
_MOST_OUTERMOST: Final = 12
"""So many classes outside of all others `Object.const_get` with such a name may mean."""


def gap_of(text: str) -> Gap | None:
    """How a name with a gap begins and ends; None for a whole name."""
    if not text.endswith(PREFIX) or text.startswith("@"):
        return None
    beginning, _, end = text[: -len(PREFIX)].partition(PREFIX)
    return beginning, end


def _stem(text: str) -> str:
    """What names of one thing have in common: `Arel::If` as class, `visit_arel_if` as method."""
    return text.replace("_", "").replace(".", "").lower()


class RubyGaps(RubyFeature):
    """Calls and reads whatever may have such a name."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.const_get = rules.program.name("const_get")
        self.objects = frozenset(map(rules.program.name, ("method", "public_method")))
        """What gives a method of such a name, and does not call it."""
        self.full: set[Gap] = set()
        """Gaps that more may fill than a slot holds."""
        self._visits: dict[tuple[int, Gap, tuple[int, ...]], dict[int, int]] = {}
        """(slot of what is handed, gap, methods) → slot of what each of the methods is handed."""
        self._waiting: list[tuple[int, Call, int, Gap]] | None = []
        """(slot of the name, call, receiver, gap) until all whole texts have flowed."""

    def later(self, source: int, call: Call, value: int, gap: Gap) -> None:
        """Use a name with a gap, unless it turns out what fills that."""
        if self._waiting is not None:
            self._waiting.append((source, call, value, gap))
        else:
            self._answer(source, call, value, gap)

    def settle(self) -> None:
        """Use the names of which no more is known than how they begin and end."""
        waiting, self._waiting = self._waiting, None
        for row in waiting or ():
            self._answer(*row)

    def _answer(self, source: int, call: Call, value: int, gap: Gap) -> None:
        """Call or read whatever has such a name.

        Where each whole name that fills the gap is one of something, others are not read, and only
        those methods are called that nothing else calls.
        """
        solver, constant = self.solver, call.name == self.const_get
        texts = [
            text
            for key in solver.points[source] or ()
            if solver.kind[key] == TEXT
            and not (text := solver.key_text(key)).endswith(PREFIX)
            and text.startswith(gap[0])
            and text.endswith(gap[1])
        ]
        found = self._is_constant if constant else self._is_method
        known = texts and gap not in self.full and all(found(call, value, it) for it in texts)
        if not constant:
            if self._are_several(source):  # which of them returns what is not told
                alone = Call(-1, call.scope, call.line, call.name, call.positional,
                             call.keywords, call.flags)  # fmt: skip
                alone.stand_for(call)
                call = alone
            self._send(call, value, gap, alone=bool(known))
        elif not known:
            self._constants(call, value, gap)

    def _are_several(self, source: int) -> bool:
        """Whether names with a gap begin in several ways in one place."""
        solver = self.solver
        texts = (solver.key_text(key) for key in solver.points[source] or ()
                 if solver.kind[key] == TEXT)  # fmt: skip
        return sum(gap_of(text) is not None for text in texts) > 1

    def _is_constant(self, call: Call, value: int, text: str) -> bool:
        scope = value if self.solver.kind[value] == CLASS else call.scope
        return self.rules.imports.find(text.replace("::", "."), scope) is not None

    def _is_method(self, call: Call, value: int, text: str) -> bool:
        kind, find, name = self.solver.kind[value], self.rules.classes.find, self.program.name
        if kind == INSTANCE:
            return find(value - self.program.scopes, name(text)) >= 0
        return kind == CLASS and find(value, name("." + text)) >= 0

    def _send(self, call: Call, value: int, gap: Gap, *, alone: bool) -> None:
        """`send("visit_#{kind}")`: call every method whose name begins so, or those alone that
        nothing else calls."""
        kind, scopes = self.solver.kind[value], self.program.scopes
        texts, names, classes = self.program.texts, list[int](), self.rules.classes
        if kind == INSTANCE:
            names = classes.named(value - scopes, gap[0])
        elif kind == CLASS:
            named = classes.named(value, "." + gap[0])
            names = [self.program.name(texts[name][1:]) for name in named]
        names = [
            name
            for name in names
            if texts[name].endswith(gap[1]) and (gap[0] or texts[name][:1].isalpha())
        ]
        if not gap[0] and self.solver.confidence == POSSIBLE:
            return  # an end alone says too little of a receiver that is guessed
        if call.name in self.objects:
            for name in names:
                if not (alone and self._is_called(value, name)):
                    self.rules.reflection.method_object(call.result, value, name)
            return
        names = [name for name in names if self._takes(call, value, name)]
        first = call.positional[0] if call.positional and len(names) > 1 else -1
        handed = self._handed(first, gap, names) if first >= 0 else {}
        for name in names:
            if alone and self._is_called(value, name):
                continue
            positional = (handed[name], *call.positional[1:]) if handed else call.positional
            inner = Call(
                call.result, call.scope, call.line, name, positional, call.keywords, call.flags
            )
            inner.stand_for(call)
            self.rules.call_method(inner, value)

    def _handed(self, first: int, gap: Gap, names: list[int]) -> dict[int, int]:
        """Method → slot of what it is handed of the values of a slot."""
        key = first, gap, tuple(names)
        known = self._visits.get(key)
        if known is None:
            known = self._visits[key] = {name: self.solver.slot() for name in names}
            stems: dict[str, list[int]] = {}
            for name, slot in known.items():
                text = self.program.texts[name][len(gap[0]) :].removesuffix(gap[1])
                stems.setdefault(_stem(text), []).append(slot)
            self.solver.listen(first, (self._on_visited, stems, [*known.values()]))
        return known

    @handler
    def _on_visited(self, value: int, listener: Listener) -> None:
        """What is named as one of several methods, or whose nearest ancestor is, is handed to that
        one alone."""
        stems: dict[str, list[int]] = listener[1]
        found: list[int] = []
        for names in self._kinds_of(value):
            found = [slot for name in sorted(names) for slot in stems.get(name, ())]
            if found:
                break
        for slot in found or listener[2]:
            self.solver.add(slot, value)

    def _kinds_of(self, value: int) -> Iterator[set[str]]:
        """How the classes of a value are named, nearest first."""
        kind, detail = self.solver.kind[value], self.solver.detail
        scope = value - self.program.scopes
        if kind == INSTANCE and 0 <= scope < self.program.scopes:
            for known in self.rules.classes.order(scope):
                path = self.rules.imports.paths.get(known, "")
                yield {_stem(path), _stem(path.rpartition(".")[2])}
        elif kind == TEXT:
            yield _NUMBERS if self.solver.key_text(value).isdigit() else _TEXTS
        elif kind == CONTAINER:
            yield _CONTAINERS.get(detail[value][0], set())
        elif kind in (FUNCTION, BOUND):
            yield {"proc"}
        elif kind == CLASS:
            yield {"class", "module"}
        yield {"object"}

    def _is_called(self, value: int, name: int) -> bool:
        """Whether something has called a method of an object or class."""
        points, this = self.solver.points, self.program.this
        return any(points[this[function]] is not None for function in self._methods(value, name))

    def _methods(self, value: int, name: int) -> list[int]:
        """What an object or class runs under a name."""
        solver, scopes = self.solver, self.program.scopes
        if solver.kind[value] == INSTANCE:
            slot = self.rules.classes.find(value - scopes, name)
        else:
            slot = self.rules.classes.find(value, self.rules.static(name))
        found = (solver.points[slot] or ()) if slot >= 0 else ()
        return [item for item in found if solver.kind[item] == FUNCTION]

    def _takes(self, call: Call, value: int, name: int) -> bool:
        """Whether a method of such a name takes as many arguments as there are."""
        methods = self._methods(value, name)
        return not methods or any(self.rules.arguments.fit(call, it) for it in methods)

    def _constants(self, call: Call, value: int, gap: Gap) -> None:
        """`const_get("#{kind}Option")`: find every class inside whose name is such."""
        imports, names = self.rules.imports, self.program.scope_name
        inside = self.solver.kind[value] == CLASS
        found = [
            known
            for known in (imports.inside(value) if inside else imports.outermost())
            if len(name := self.program.texts[names[known]]) > len("".join(gap))
            and name.startswith(gap[0])
            and name.endswith(gap[1])
        ]
        for known in found if inside or len(found) <= _MOST_OUTERMOST else ():
            self.solver.add(call.result, known)
