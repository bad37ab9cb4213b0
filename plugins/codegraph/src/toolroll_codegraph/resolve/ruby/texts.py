"""Ruby's texts: what their methods return, and hand to a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, CallFlag, ObjectKind, numbers
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.core_methods import OPERATORS
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.operands import PATHS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_SAME: Final = frozenset(("to_sym", "to_s", "to_proc", "freeze", "dup", "itself", "intern"))
_TEXT_NAMES: Final = """
% + * +@ -@ << [] b byteslice capitalize capitalize! center chomp chomp! chop chop! chr clone concat
crypt delete delete! delete_prefix delete_prefix! delete_suffix delete_suffix! downcase downcase!
dump each_char each_grapheme_cluster each_line encode encode! force_encoding gsub gsub! insert
ljust lstrip lstrip! next next! prepend replace reverse reverse! rjust rstrip rstrip! scrub scrub!
slice slice! squeeze squeeze! strip strip! sub sub! succ succ! swapcase swapcase! to_str tr tr! tr_s
tr_s! undump unicode_normalize unicode_normalize! upcase upcase! upto
"""
_TEXT: Final = frozenset(_TEXT_NAMES.split())
"""What returns a text."""
_TEXTS: Final = frozenset(
    ("chars", "grapheme_clusters", "lines", "partition", "rpartition", "scan", "split")
)
"""What returns an array of texts, or hands them to its block."""
_BLOCK: Final = frozenset(
    ("each_char", "each_grapheme_cluster", "each_line", "gsub", "gsub!", "scan", "sub", "sub!",
     "upto")
)  # fmt: skip
"""What hands a text to its block."""
_TAKING_NAMES: Final = """
<=> casecmp casecmp? center concat count delete delete! delete_prefix delete_prefix! delete_suffix
delete_suffix! end_with? gsub gsub! include? index insert ljust match match? partition prepend
replace rindex rjust rpartition scan split squeeze squeeze! start_with? sub sub! tr tr! tr_s tr_s!
"""
_TAKING: Final = frozenset(_TAKING_NAMES.split())
"""What takes texts, beside the operators."""


_ASKING: Final = ("to_s", "inspect", "to_str")
"""What gives a text by Ruby's protocols."""


class RubyTexts(RubyFeature):
    """A text that is written down is one by itself; all others are one, of which only the class
    is known."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.any = rules.solver.literal(ObjectKind.STRING)
        self.asking = frozenset(rules.program.name(text) for text in _ASKING)
        """Calls of these give texts, whoever answers them."""
        self._asked: dict[int, Call] = {}
        self._given: set[int] = set()
        """Slots of what such calls give, of which only texts go on."""

    def asked(self, call: Call) -> Call:
        """`object.to_s`, as a call that returns nothing but texts."""
        if call.result < 0 or call.result in self._given:
            return call
        inner = self._asked.get(call.result)
        if inner is None:
            given = self.solver.slot()
            self.solver.listen(given, (self._on_text, call.result))
            inner = Call(given, call.scope, call.line, call.name, call.positional, call.keywords,
                         call.flags)  # fmt: skip
            inner.stand_for(call)
            self._given.add(given)
            self._asked[call.result] = inner
        return inner

    @handler
    def _on_text(self, value: int, listener: Listener) -> None:
        """Ruby takes no object for a text, unless its class may derive from `String`."""
        kind = self.solver.kind[value]
        if kind in (CONTAINER, TEXT) or (
            kind == INSTANCE and self._may_be(value - self.program.scopes)
        ):
            self.solver.add(listener[1], value)

    def _may_be(self, scope: int) -> bool:
        bases, points, imports = self.program.bases, self.solver.points, self.rules.imports
        return any(
            imports.paths.get(known) == "String"
            or any(
                points[slot] is None and imports.further.get(slot, "String") == "String"
                for slot in bases[known]
            )
            for known in self.rules.classes.order(scope)
        )

    def prepare(self) -> None:
        """Where texts do not flow, those that are asked for something are still known as texts."""
        program, solver = self.program, self.solver
        if solver.texts_flow:
            return
        operations, asked = solver.operations, set[int]()
        for index, name, source in operations.rows(CallColumn.NAME, CallColumn.SOURCE):
            if min(name, source) >= 0:
                asked.add(source + program.slot_base[index])
        for index, facts in enumerate(program.facts):
            items = iter(numbers(facts.constants))
            for slot, name in zip(items, items, strict=True):
                slot += program.slot_base[index]
                text = program.texts[program.renames[index][name]]
                if slot in asked and not text.isdigit():
                    solver.add(slot, self.any)

    def method(self, call: Call, value: int) -> None:
        """Answer a method of a text, symbol or number that is written down."""
        name = self.program.texts[call.name]
        if self.solver.key_text(value) in PATHS:
            self.rules.operands.take_paths(call)
            return
        if name in _SAME:
            self.solver.add(call.result, value)
        elif name in ("call", "()"):  # `&:name`, kept as a parameter
            self.rules.call_value(call, value)
        elif name in OPERATORS:
            self.rules.operands.operand(call, self.solver.key_text(value))
        elif name in _TAKING:
            self.rules.operands.take_texts(call)
        changed = self.rules.names.change(call, value)
        self.rules.library.make(call, value)
        if not changed and not self.solver.key_text(value).isdigit():
            self._answer(call, name)

    def method_of_any(self, call: Call) -> None:
        """Answer a method of a text of which nothing is known."""
        name = self.program.texts[call.name]
        if name in _SAME:
            self.solver.add(call.result, self.any)
        elif name in OPERATORS:
            self.rules.operands.operand(call, "")
        elif name in _TAKING:
            self.rules.operands.take_texts(call)
        self._answer(call, name)

    def _answer(self, call: Call, name: str) -> None:
        if name in _TEXT:
            self.solver.add(call.result, self.any)
        elif name in _TEXTS:
            made = self.solver.container(("texts",), ObjectKind.SEQUENCE)
            self.solver.add(self.solver.field(made, self.rules.containers.any_key), self.any)
            self.solver.add(call.result, made)
        if name in _BLOCK and call.flags & CallFlag.BLOCK:
            given = self.solver.slot()
            self.solver.add(given, self.any)
            self.rules.procedures.run_block(call, (given,), -1)
