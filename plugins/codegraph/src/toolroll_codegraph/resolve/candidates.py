"""The classes that a value may be of, by the methods called on it and by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ScopeFlag
from toolroll_codegraph.resolve.program import CLASS, FUNCTION

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolroll_codegraph.resolve.classes import Classes
    from toolroll_codegraph.resolve.program import Program

_MOST_DEFINITIONS: Final = 24
_MOST_CLASSES: Final = 4
_ENOUGH: Final = 2
_RECEIVER: Final = "self"
"""The name of a parameter that is a method's receiver, also where the method is written outside of
its class: of that one method is enough."""
_LEAST_LETTERS: Final = 4
"""A name of fewer says nothing by what it ends with."""
_MOST_SEEN: Final = 96
_BUILTIN: Final = (
    str, bytes, list, dict, set, frozenset, tuple, int, float, object, BaseException,
)  # fmt: skip
_COMMON: Final = frozenset(
    [
        *[name for kind in _BUILTIN for name in dir(kind)],
        "read", "write", "close", "open", "seek", "tell", "flush", "readline", "readlines",
        "writelines", "fileno", "truncate", "name", "next", "send", "throw", "run", "start",
        "stop", "wait", "cancel", "acquire", "release", "put", "result", "call", "apply", "bind",
        "then", "catch", "finally", "push", "shift", "unshift", "slice", "splice", "concat",
        "map", "filter", "reduce", "forEach", "every", "some", "find", "indexOf", "includes",
        "toString", "valueOf", "hasOwnProperty", "keys", "values", "entries", "has", "delete",
        "set", "on", "off", "once", "emit", "addListener", "removeListener",
        "removeAllListeners", "listeners", "pipe", "end", "destroy", "resume", "test", "exec",
        "match", "search", "replace", "charAt", "charCodeAt", "substr", "substring",
        "toLowerCase", "toUpperCase", "trim", "each", "select", "reject", "to_s", "to_a", "to_h",
        "to_sym", "to_i", "inspect", "merge", "fetch", "size", "length", "empty?", "nil?",
        "is_a?", "new", "first", "last", "class", "respond_to?", "dup", "freeze", "include?",
        "key?", "each_with_index", "flat_map", "inject",
        "==", "!=", "<", ">", "<=", ">=", "<=>", "===", "=~", "+", "-", "*", "/", "%", "**", "<<",
        ">>", "&", "|", "^", "~", "!", "+@", "-@", "[]", "[]=", "to_str",
    ]
)  # fmt: skip
"""Methods that half of the standard libraries have too: they tell nothing."""


class Candidates:
    """Finds classes of the project by what they have and how they are named."""

    def __init__(self, program: Program, classes: Classes, common: frozenset[str]) -> None:
        """Look for candidates by names, but for those that are `common` in the language."""
        self.program = program
        self.classes = classes
        self._common = _COMMON | common
        self._definers: dict[int, list[int]] = {}
        """Name → the classes that define it, of the names that were asked for."""
        self._spelled: dict[str, list[int]] = {}
        """How classes are named, without regard to case and underscores → these classes."""

    def index(self) -> None:
        """Note how classes are named, and so begin."""
        program = self.program
        for scope, members in enumerate(self.classes.members):
            if members and self._makes_instances(scope):
                spelled = _spelling(program.texts[program.scope_name[scope]])
                self._spelled.setdefault(spelled, []).append(scope)

    def of_uses(self, called: set[int], loaded: set[int], name: str) -> list[int]:
        """The topmost classes that have everything called; none where that tells too little."""
        texts, definers = self.program.texts, self._definers_of
        called = {used for used in called if not texts[used].startswith(("__", "["))}
        telling = [used for used in called if texts[used] not in self._common]
        if not telling or not all(map(definers, called)):
            return []
        read = {used for used in loaded if not texts[used].startswith(("__", "["))}
        loaded = {used for used in loaded if texts[used] not in self._common and definers(used)}
        enough = 1 if name == _RECEIVER else _ENOUGH
        few = len(telling) + len(loaded) < enough
        ends = self.program.family == "python" and len(name) >= _LEAST_LETTERS
        if few and not ends and not self.named(name):
            return []
        rarest = min(telling, key=lambda used: (len(definers(used)), texts[used]))
        start = definers(rarest)
        if not 0 < len(start) <= _MOST_DEFINITIONS:
            return []
        covering = self._covering(start, called)
        inside = set(covering)
        roots = [
            scope for scope in covering if not inside.intersection(self.classes.order(scope)[1:])
        ]
        if len(roots) > 1 and loaded:  # what is read of it may tell them apart
            able = [scope for scope in roots if self.have(scope, read)]
            roots = able if len(able) == 1 else roots
        if not roots or len(roots) > _MOST_CLASSES:
            return []
        if len(roots) == 1:
            told = len(telling) + sum(self.have(roots[0], [used]) for used in loaded)
            if roots[0] in self.named(name):
                return roots
            if few:
                ends_alike = self._ends_alike(roots[0], name) and self.have(roots[0], read)
                return roots if ends_alike else []
            return roots if told >= enough and self.have(roots[0], read) else []
        return roots if len(telling) > _ENOUGH else []

    def _ends_alike(self, scope: int, name: str) -> bool:
        """Whether a class's name ends with that of a parameter: `manager`, a `FileManager`."""
        end = _spelling(name)
        text = self.program.texts[self.program.scope_name[scope]]
        return _spelling(text).endswith(end) and text[-len(end) :][:1].isupper()

    def _covering(self, start: Iterable[int], names: set[int]) -> list[int]:
        """The classes that have all the names: those given, or else what is below them."""
        pending = list(start)
        seen = set(pending)
        found: list[int] = []
        while pending and len(seen) < _MOST_SEEN:
            scope = pending.pop()
            if self.have(scope, names):
                found.append(scope)
                continue
            for child in self.classes.subclasses.get(scope, ()):
                if child not in seen:
                    seen.add(child)
                    pending.append(child)
        return sorted(found)

    def named(self, text: str) -> Sequence[int]:
        """The classes that are named so, however it is spelled."""
        return self._spelled.get(_spelling(text), ())

    def tells(self, name: int) -> bool:
        """Whether a method of this name says which class its receiver is of."""
        if self.program.texts[name] in self._common:
            return False
        return 0 < len(self._definers_of(name)) <= _MOST_DEFINITIONS

    def _definers_of(self, name: int) -> list[int]:
        """The classes that define a member of a name."""
        found = self._definers.get(name)
        if found is None:
            own, flags = self.program.own_scopes, self.program.flags
            found = self._definers[name] = sorted(
                scope
                for scope in self.classes.definers(name)
                if self._makes_instances(scope) and scope < own and not flags[scope] & ScopeFlag.OWN
            )
        return found

    def _makes_instances(self, scope: int) -> bool:
        """Whether a scope with members is a class, or a function of JavaScript with a prototype."""
        kind = self.program.object_kind[scope]
        constructs = kind == FUNCTION and self.program.family == "scripts"
        return (kind == CLASS or constructs) and self.program.canonical[scope] == scope

    def have(self, scope: int, names: Iterable[int]) -> bool:
        """Whether a class has members of all the names."""
        return all(self.classes.find(scope, name) >= 0 for name in names)


def _spelling(name: str) -> str:
    """A name without what tells only how it is written."""
    return name.replace("_", "").lower()
