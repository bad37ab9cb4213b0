"""What implements a protocol: the classes that have its members, and can be used as it says.

A name alone is no evidence: what has a method of that name for other arguments is something else.
The rules are those of type checkers ("Protocols" in the typing specification), as far as
parameters tell; what is decorated may take anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind, ParamKind, ScopeFlag, ScopeKind
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_ATTRIBUTE: Final = -1
_UNKNOWN: Final = -2
_NOT_ASKED: Final = frozenset(["__init__", "__new__", "__slots__", "__init_subclass__"])
"""What a protocol may have without asking for it."""


class PythonImplementing(PythonFeature):
    """The topmost classes that stand for each protocol."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self._found: dict[int, list[int]] = {}

    def of(self, protocol: int) -> list[int]:
        """The topmost classes that implement a protocol.

        None where a protocol asks for too little: many things can be called, have a length, or
        have one attribute of that name.
        """
        found = self._found.get(protocol)
        if found is None:
            order, is_protocol = self.classes.order, self.rules.kinds.is_protocol
            wanted = {
                name: slot
                for known in reversed(order(protocol))
                if is_protocol(known)
                for name, slot in (self.program.members[known] or {}).items()
                if self.program.texts[name] not in _NOT_ASKED
            }
            having: list[int] = []
            if len(wanted) > 1 or any(map(self._tells, wanted, wanted.values())):
                having = self._agreeing(protocol, wanted)
            inside = set(having)
            found = [scope for scope in having if inside.isdisjoint(order(scope)[1:])]
            self._found[protocol] = found
        return found

    def _tells(self, name: int, slot: int) -> bool:
        """Whether a member alone tells what has it."""
        return not self.program.texts[name].startswith("__") and self._method(slot) != _ATTRIBUTE

    def _agreeing(self, protocol: int, wanted: dict[int, int]) -> list[int]:
        """The classes that have all members in a shape that fits.

        What is asynchronous where the protocol is not may be meant all the same, as it may say
        that it returns something to await; but not where others are as it says.
        """
        having: list[int] = []
        alike: list[int] = []
        for scope in self._with_rarest(wanted):
            heir = protocol in self.classes.order(scope)
            same = True
            for name, slot in wanted.items():
                own = self.classes.find(scope, name)
                if own < 0 or not (heir or self._fits(slot, own)):
                    break
                same = same and (heir or self._is_alike(slot, own))
            else:
                having.append(scope)
                if same:
                    alike.append(scope)
        return alike or having

    def _with_rarest(self, names: dict[int, int]) -> list[int]:
        """The classes that have the one of some members that the fewest define."""
        classes, is_protocol = self.classes, self.rules.kinds.is_protocol
        definers = min(map(classes.definers, names), key=len, default=())
        having = {scope for known in definers for scope in (known, *classes.below(known))}
        kind = self.program.kind
        return [
            scope
            for scope in sorted(having)
            if kind[scope] == ScopeKind.CLASS and not is_protocol(scope)
        ]

    def _method(self, slot: int) -> int:
        """The function that a member is, or what it is instead of one."""
        values, kind, flags = self.solver.points[slot] or (), self.solver.kind, self.program.flags
        functions = [value for value in values if kind[value] == FUNCTION]
        if any(flags[value] & ScopeFlag.PROPERTY for value in functions):
            return _ATTRIBUTE
        if len(functions) == len(values) == 1 and flags[functions[0]] & ScopeFlag.METHOD:
            return functions[0]
        called = any(
            kind[value] == CONTAINER and self.solver.detail[value][0] == ObjectKind.CALLABLE
            for value in values
        )
        return _UNKNOWN if functions or called else _ATTRIBUTE

    def _is_alike(self, slot: int, own: int) -> bool:
        """Whether both of two methods are asynchronous, or none; True where that is not known."""
        wanted, had, flags = self._method(slot), self._method(own), self.program.flags
        return wanted < 0 or had < 0 or not (flags[wanted] ^ flags[had]) & ScopeFlag.ASYNC

    def _fits(self, slot: int, own_slot: int) -> bool:
        """Whether a member can be used as one of a protocol is."""
        wanted, had = self._method(slot), self._method(own_slot)
        if wanted < 0 or had < 0:
            return wanted != _ATTRIBUTE or had < 0
        arguments, flags, params = self.rules.arguments, self.program.flags, self.program.params
        _, rest, keywords = arguments.signature(wanted)
        if (flags[wanted] | flags[had]) & ScopeFlag.DECORATED or rest >= 0 or keywords >= 0:
            return True
        named = {name for name, _, shape in params[wanted] if shape == ParamKind.KEYWORD}
        given, taken = self._bounds(wanted), self._bounds(had)
        own = params[had][self._is_bound(had) :]
        untold = [name for name, _, _ in own[given[0] : taken[0]] if name not in named]
        if untold or taken[1] < given[1]:
            return False
        return arguments.signature(had)[2] >= 0 or named <= {name for name, _, _ in own}

    def _bounds(self, function: int) -> tuple[int, int]:
        """The fewest and the most arguments by position, without the receiver."""
        fewest, most = self.rules.arguments.bounds(function)
        bound = self._is_bound(function)
        return max(fewest - bound, 0), most - bound

    def _is_bound(self, function: int) -> bool:
        """Whether the first parameter is the receiver."""
        flags = self.program.flags[function]
        return not flags & ScopeFlag.STATIC or bool(flags & ScopeFlag.CLASSMETHOD)
