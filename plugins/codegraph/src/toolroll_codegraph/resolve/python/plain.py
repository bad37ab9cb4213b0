"""Which builtin classes the values of a project may be instances of."""

from __future__ import annotations

import builtins
import sys
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ImportKind, ObjectKind
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
    TEXT,
    WRAPPED,
)
from toolroll_codegraph.resolve.python.keys import MEMBERS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_BUILTINS: Final = {
    name: known for name, known in vars(builtins).items() if isinstance(known, type)
}
_PLAIN: Final = frozenset(
    (str, bytes, bytearray, int, float, complex, bool, list, tuple, dict, set, frozenset)
)
"""Builtin classes that neither functions, classes nor modules are instances of."""
_LIBRARY: Final[dict[str, type]] = {
    "OrderedDict": dict, "defaultdict": dict, "Counter": dict, "Dict": dict, "TypedDict": dict,
    "List": list, "Set": set, "FrozenSet": frozenset, "Tuple": tuple, "NamedTuple": tuple,
    "IntEnum": int, "IntFlag": int, "StrEnum": str, "HTTPStatus": int, "struct_time": tuple,
}  # fmt: skip
"""Classes of the standard library that derive from such."""
_KINDS: Final = {
    ObjectKind.SEQUENCE: (list, tuple, set, frozenset), ObjectKind.MAPPING: (dict,),
    ObjectKind.GENERATOR: (),
}  # fmt: skip


class PythonPlain:
    """Builtin classes that are named in the source, and those that classes derive from."""

    def __init__(self, rules: PythonRules) -> None:
        self.solver = rules.solver
        self.program = rules.program
        self.classes = rules.classes
        self._call = rules.dunder_call
        self.named: dict[int, type] = {}
        """Slot → the builtin class that its name means."""
        self.tests: set[int] = set()
        """Slots of the name `callable`."""
        self._known: dict[int, frozenset[type] | None] = {}
        self._outside: dict[int, type | None] = {}
        """Slot → what is known of a base from outside of the project; None: it derives from no
        builtin class but `object`."""

    def find(self) -> None:
        """Note the names that mean builtin classes, and where other names come from."""
        program = self.program
        wanted = {
            slot
            for scope in range(program.scopes)
            for slot in program.bases[scope]
            if self.solver.kind[scope] == CLASS
        }
        for index, facts in enumerate(program.facts):
            base, rename = program.slot_base[index], program.renames[index]
            for name, slot in program.free(index):
                known = _BUILTINS.get(program.texts[name])
                if known is not None:
                    self.named[slot] = known
                elif program.texts[name] == "callable":
                    self.tests.add(slot)
                elif program.texts[name] == "__path__":
                    self.solver.add(slot, program.scope_base[index])
            for slot, kind, level, module, name, _, _ in facts.imports:
                if level or module.partition(".")[0] not in sys.stdlib_module_names:
                    continue
                if kind == ImportKind.NAME and slot + base in wanted:
                    self._outside[slot + base] = _LIBRARY.get(program.texts[rename[name]])
                elif kind != ImportKind.NAME and kind != ImportKind.STAR and slot >= 0:
                    for _, target, known in self.solver.operations.reads_of(slot + base):
                        if target + base in wanted:
                            member = program.texts[rename[known]]
                            self._outside[target + base] = _LIBRARY.get(member)

    def of_class(self, scope: int) -> frozenset[type] | None:
        """The builtin classes that a class derives from; None where nobody knows."""
        if scope not in self._known:
            self._known[scope] = self._of_class(scope)
        return self._known[scope]

    def _of_class(self, scope: int) -> frozenset[type] | None:
        found: set[type] = set()
        for known in self.classes.order(scope):
            slots, inside = self.program.bases[known], self.classes.found_bases.get(known, ())
            if len(slots) <= len(inside):
                continue
            missing = len(slots) - len(inside)
            for slot in slots:
                if slot in self.named:
                    found.add(self.named[slot])
                elif slot in self._outside:
                    outside = self._outside[slot]
                    found |= {outside} if outside is not None else set()
                else:
                    continue
                missing -= 1
            if missing > 0:
                return None
        return frozenset(found)

    def is_callable(self, value: int) -> bool:
        """Whether a value may be called."""
        if self.solver.kind[value] == INSTANCE:
            scope = value - self.program.scopes
            return scope < self.program.scopes and self.classes.find(scope, self._call) >= 0
        if self.solver.kind[value] == CONTAINER:
            return self.solver.detail[value][0] == MEMBERS
        return self.solver.kind[value] in (FUNCTION, BOUND, WRAPPED, CLASS)

    def is_instance(self, value: int, known: type) -> bool | None:
        """Whether a value is an instance of a builtin class; None where nobody knows."""
        kind = self.solver.kind[value]
        if known is object:
            return True
        if kind == INSTANCE:
            scope = value - self.program.scopes
            derived = self.of_class(scope) if scope < self.program.scopes else None
            if derived is None:
                return None
            return any(issubclass(item, known) for item in derived)
        if known not in _PLAIN:
            return None
        if kind == TEXT:  # digits alone are a number's
            return known is (int if self.solver.key_text(value).isdigit() else str)
        if kind == CONTAINER:
            kinds = _KINDS.get(self.solver.detail[value][0])
            return None if kinds is None or known in kinds else False
        return False if kind in (FUNCTION, BOUND, WRAPPED, CLASS) else None
