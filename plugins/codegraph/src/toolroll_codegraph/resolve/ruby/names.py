"""Names that are put together while the program runs, as `"visit_#{kind}"`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import POSSIBLE
from toolroll_codegraph.facts import PREFIX, CallFlag, ObjectKind, ParamKind, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
    TEXT,
)
from toolroll_codegraph.resolve.slots import MOST_VALUES

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

Gap = tuple[str, str]
"""How a name begins and ends."""
_NAME: Final = re.compile(r"@{0,2}\w[\w:]{0,63}(?:[?!]\w{1,63})?[?!=]?")
_CHANGES: Final[dict[str, Callable[[str], str]]] = {
    "capitalize": str.capitalize, "upcase": str.upper, "downcase": str.lower,
    "swapcase": str.swapcase, "strip": str.strip,
}  # fmt: skip
_CUTS: Final[dict[str, Callable[[str, str], str]]] = {
    "delete_prefix": str.removeprefix, "delete_suffix": str.removesuffix,
    "chomp": str.removesuffix, "+": str.__add__, "concat": str.__add__,
}  # fmt: skip
_NUMBERS: Final = {"integer", "numeric"}
_TEXTS: Final = {"string", "symbol"}
_CONTAINERS: Final = {
    ObjectKind.SEQUENCE: {"array"}, ObjectKind.HASH: {"hash"}, ObjectKind.STRING: {"string"},
    ObjectKind.RANGE: {"range"},
}  # fmt: skip
"""How Ruby's own classes are named in methods that visit them."""
_MOST_PARTS: Final = 4
"""So many names a text consists of, divided by something."""
_MOST_OUTERMOST: Final = 12
"""So many classes outside of all others `Object.const_get` with such a name may mean."""


def _stem(text: str) -> str:
    """What names of one thing have in common: `Arel::If` as class, `visit_arel_if` as method."""
    return text.replace("_", "").replace(".", "").lower()


class RubyNames:
    """Texts that become the names of methods and constants, whole or with a gap."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.const_get = rules.program.name("const_get")
        self.objects = frozenset(map(rules.program.name, ("method", "public_method")))
        """What gives a method of such a name, and does not call it."""
        self.sources: set[int] = set()
        """Slots that fill gaps, or are names themselves."""
        self._visits: dict[tuple[int, Gap, tuple[int, ...]], dict[int, int]] = {}
        """(slot of what is handed, gap, methods) → slot of what each of the methods is handed."""
        self._full: set[Gap] = set()
        """Gaps that more may fill than a slot holds."""
        self._waiting: list[tuple[int, Call, int, Gap]] | None = []
        """(slot of the name, call, receiver, gap) until all whole texts have flowed."""

    # whole texts

    def join(self, name: int, target: int, source: int) -> None:
        """Fill the gap of a text with whatever a slot gets."""
        beginning, _, end = self.program.texts[name][: -len(PREFIX)].partition(PREFIX)
        gap = beginning, end
        self.sources.add(source)
        self.solver.listen(source, (self._on_part, gap, target, source))

    def fill(self, target: int, source: int) -> None:
        """Fill the gap that names in a slot end with, each with whatever another slot gets."""
        self.sources.add(source)
        self.solver.listen(target, (self._on_gap, target, source))

    @handler
    def _on_gap(self, value: int, listener: Listener) -> None:
        _, target, source = listener
        gap = self.gap(self.solver.key_text(value)) if self.solver.kind[value] == TEXT else None
        if gap is not None:
            self.solver.listen(source, (self._on_part, gap, target, source))

    def is_used(self, block: int) -> bool:
        """Whether the first parameter of a block in a slot fills the gap of a name, or is one."""
        solver, params = self.solver, self.program.params
        if not solver.texts_flow or block < 0:
            return False
        return any(
            solver.kind[value] == FUNCTION
            and any(slot in self.sources for _, slot, _ in params[value][:1])
            for value in solver.points[block] or ()
        )

    @handler
    def _on_part(self, value: int, listener: Listener) -> None:
        _, gap, target, source = listener
        if self.solver.kind[value] == TEXT:
            if len(self.solver.points[source] or ()) >= MOST_VALUES:
                self._full.add(gap)
            self._add(target, f"{gap[0]}{self.solver.key_text(value)}{gap[1]}")

    def change(self, call: Call, value: int) -> bool:
        """What a method of a text makes of it; False where that isn't known."""
        name = self.program.texts[call.name]
        if name in _CHANGES:
            return self._add(call.result, _CHANGES[name](self.solver.key_text(value)))
        elif name in _CUTS and len(call.positional) == 1 and call.positional[0] >= 0:
            listener = (self._on_other, _CUTS[name], self.solver.key_text(value), call.result)
            self.solver.listen(call.positional[0], listener)
        elif name == "split" and len(call.positional) == 1 and call.positional[0] >= 0:
            self.solver.listen(call.positional[0], (self._on_separator, value, call.result))
        return False

    @handler
    def _on_separator(self, value: int, listener: Listener) -> None:
        """The parts of a text that are names: `"pages#show".split("#")`."""
        _, whole, target = listener
        solver = self.solver
        if solver.kind[value] != TEXT:
            return
        parts = solver.key_text(whole).split(solver.key_text(value) or None)
        if 1 < len(parts) <= _MOST_PARTS and all(map(_NAME.fullmatch, parts)):
            made = solver.container(("parts", whole, value), ObjectKind.SEQUENCE)
            for place, part in enumerate(parts):
                slot = solver.field(made, self.program.name(f"[{place}"))
                solver.add(slot, solver.text(self.program.name(part)))
            solver.add(target, made)

    @handler
    def _on_other(self, value: int, listener: Listener) -> None:
        _, cut, text, target = listener
        if self.solver.kind[value] == TEXT:
            other = self.solver.key_text(value)
            if not (text.isdigit() and other.isdigit()):  # numbers are added up
                self._add(target, cut(text, other))

    def _add(self, target: int, text: str) -> bool:
        if not _NAME.fullmatch(text.removesuffix(PREFIX)):
            return False
        self.solver.add(target, self.solver.text(self.program.name(text)))
        return True

    # texts with a gap

    def gap(self, text: str) -> Gap | None:
        """How a name with a gap begins and ends; None for a whole name."""
        if not text.endswith(PREFIX) or text.startswith("@"):
            return None
        beginning, _, end = text[: -len(PREFIX)].partition(PREFIX)
        return beginning, end

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
        known = texts and gap not in self._full and all(found(call, value, it) for it in texts)
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
        return sum(self.gap(text) is not None for text in texts) > 1

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
        given = len(call.positional) - bool(call.flags & CallFlag.BLOCK)
        most = given + bool(call.keywords)  # which may be a hash
        methods = self._methods(value, name)
        if not methods or min(call.positional, default=0) < -1:  # `*others`
            return True
        for function in methods:
            shapes = [shape for _, _, shape in self.program.params[function]]
            least = self.program.flags[function] // ScopeFlag.REQUIRED
            plain = shapes.count(ParamKind.POSITIONAL)
            if least <= most and (given <= plain or ParamKind.REST in shapes):
                return True
        return False

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
