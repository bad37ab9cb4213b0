"""Classes of the project that derive from `Array`, `Hash` or `Set`: what their instances keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.ruby.core_methods import ADD, CORE
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

COLLECTIONS: Final = {
    "Array": ObjectKind.SEQUENCE, "Hash": ObjectKind.HASH, "Set": ObjectKind.SEQUENCE,
}  # fmt: skip
_OPERATORS: Final = frozenset(("[]", "[]=", "+", "-", "|", "&", "*"))
_ITSELF_NAMES: Final = """
each each_pair each_with_index each_index each_key each_value reverse_each each_entry concat merge!
update replace delete_if keep_if map! sort! sort_by! uniq! compact! flatten! select! filter!
reject! reverse! shuffle! rotate! clear merge
"""
_ITSELF: Final = ADD | frozenset(_ITSELF_NAMES.split())
"""What returns the receiver, of the class that it is."""


class RubyCollections(RubyFeature):
    """The instances of each such class keep what they are given in one array, hash or set."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.kinds: dict[int, int] = {}
        """Class → what it derives from."""

    def find(self) -> None:
        """Note the classes of which a base is one of Ruby's collections."""
        program, known = self.rules.program, self.rules.imports.collections
        for scope, slots in enumerate(program.bases) if known else ():
            for slot in slots:
                if slot in known:
                    self.kinds[program.canonical[scope]] = known[slot]

    def share(self, scope: int, value: int) -> None:
        """Let an array or hash with methods of its own have in these what is in it."""
        kind = self.solver.detail[value][0]
        if kind in COLLECTIONS.values():
            self.kinds.setdefault(scope, kind)
            source = self.solver.slot()
            self.solver.add(source, value)
            self.rules.containers.take_in(self._kept(scope, scope), source)

    def of(self, scope: int) -> int:
        """The array, hash or set that instances of a class are; -1 for those of other classes."""
        order = self.rules.classes.order(scope) if self.kinds else ()
        return next((self._kept(scope, known) for known in order if known in self.kinds), -1)

    def _kept(self, scope: int, base: int) -> int:
        return self.solver.container(("kept", scope), self.kinds[base])

    def answer(self, call: Call, value: int, base: int, name: str) -> bool:
        """A method that such a class has from Ruby; False for any other."""
        if name not in CORE and name not in ADD and name not in _OPERATORS:
            return False
        solver, kept = self.solver, self._kept(value - self.rules.scopes, base)
        result = call.result
        if result >= 0 and name in _ITSELF:
            result = solver.slot()
            solver.listen(result, (self._on_result, kept, value, call.result))
        inner = Call(result, call.scope, call.line, self.rules.program.name(name), call.positional,
                     call.keywords, call.flags & ~CallFlag.SUPER)  # fmt: skip
        inner.stand_for(call)
        self.rules.containers.container_method(inner, kept)
        return True

    @handler
    def _on_result(self, item: int, listener: Listener) -> None:
        _, kept, value, result = listener
        self.solver.add(result, value if item == kept else item)
