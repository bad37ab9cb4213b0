"""What Ruby's conditions tell of a variable: its class, what it answers, a list that it is in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, TypeHint
from toolroll_codegraph.languages.ruby.scopes import RubyScopes
from toolroll_codegraph.languages.ruby.spelling import of_expression, of_literals

if TYPE_CHECKING:
    from tree_sitter import Node

OfClasses = list[tuple[int, bytes]]
"""The slot of each class, and how it is written."""
Known = tuple[int, OfClasses, bool]
"""(variable, classes, whether it is of none of them).

Or of a question; or the slot of a list that it is in, and what asked that."""
Outcome = tuple[Known | None, Known | None]
_CHECKS: Final = frozenset((b"is_a?", b"kind_of?", b"instance_of?"))
_ANSWERED: Final = frozenset((b"nil?", b"empty?", b"any?", b"zero?", b"block_given?"))
"""Mostly asked of what is no object of the program."""
_LISTED: Final = frozenset((b"include?", b"member?", b"key?", b"has_key?"))
_LISTS: Final = ("constant", "scope_resolution", "string_array", "symbol_array", "array")
_SPELLED: Final = -2
"""In place of a class's slot: what is asked is how a name is spelled."""
_LITERALS: Final = ("simple_symbol", "string", "bare_string", "bare_symbol")
_NAMING: Final = (b"to_sym", b"to_s", b"intern")
"""What may be asked of a name before it is looked for in a list."""


class RubyConditions(RubyScopes):
    """Narrows variables where a test holds, and where it fails."""

    def typed(self, frame: Frame, known: Known) -> tuple[int, int]:
        """A local variable and the slot that it is in where a test has told of its class."""
        name, classes, refused = known
        before, slot = self.local(frame, name), self.slot()
        if before is not None and before >= 0:
            self.settled[slot] = before  # what is returned of it is each caller's own
        for kind, text in classes:
            if kind == _SPELLED:
                if before is not None and before >= 0:
                    relation = "misspelled" if refused else "spelled"
                    self.relations.append((relation, 0, self.name(text), slot, before))
                continue
            if kind < 0:  # what an object answers to a question of the program's own
                if before is not None and before >= 0:
                    relation = "denied" if refused else "affirmed"
                    self.relations.append((relation, 0, self.name(text), slot, before))
                continue
            if text in _LISTED:
                if before is not None and before >= 0:
                    relation = "unlisted" if refused else "listed"
                    self.relations.append((relation, 0, kind, slot, before))
                continue
            if not refused:
                self.types += (slot, kind, TypeHint.DECLARED)
            if before is not None and before >= 0:
                relation = "refused" if refused else "checked"
                self.relations.append((relation, kind, self.name(text), slot, before))
        return name, slot

    def without(self, classes: OfClasses, before: int) -> int:
        """What of a slot is of none of some classes."""
        if not classes or before < 0:
            return before
        slot = self.slot()
        self.settled[slot] = before  # what is returned of it is each caller's own
        for kind, text in classes:
            self.relations.append(("refused", kind, self.name(text), slot, before))
        return slot

    def within(self, classes: OfClasses, before: int) -> int:
        """What of a slot is of one of some classes."""
        if not classes or before < 0:
            return before
        slot = self.slot()
        self.settled[slot] = before
        for kind, text in classes:
            self.types += (slot, kind, TypeHint.DECLARED)
            self.relations.append(("checked", kind, self.name(text), slot, before))
        return slot

    def narrow(self, frame: Frame, name: int, slot: int) -> None:
        """Begin a branch in which a variable is what a condition told."""
        if name in frame.env:
            self.narrowed[slot] = name
            self.assign(frame, name, slot)
        else:  # one from around a block
            self.set_local(frame, name, slot)

    def outcome(self, frame: Frame, condition: Node) -> Outcome:
        """What is known of a variable where a condition holds, and where it does not."""
        while condition.type == "parenthesized_statements" and condition.named_child_count == 1:
            condition = condition.named_children[0]
        operator = condition.child_by_field_name("operator")
        text = b"" if operator is None else self.text(operator)
        if condition.type == "unary" and text in (b"!", b"not"):
            holds, fails = self.outcome(frame, condition.named_children[-1])
            return fails, holds
        if condition.type == "binary" and text in (b"&&", b"and", b"||", b"or"):
            left, right = condition.named_children[0], condition.named_children[-1]
            one, other = self.outcome(frame, left), self.outcome(frame, right)
            both = text in (b"&&", b"and")
            return (one[0] or other[0], None) if both else (None, one[1] or other[1])
        known = self.checked(frame, condition, text)
        return (known, None if known is None else (known[0], known[1], True))

    def checked(self, frame: Frame, condition: Node, operator: bytes) -> Known | None:
        """What `variable.is_a?(Name)`, `Name === variable` or `variable.class == Name` tells."""
        if condition.type == "binary":
            known, subject = condition.named_children[0], condition.named_children[-1]
            if operator == b"=~" or known.type == "regex":
                sides = (known, subject) if known.type == "regex" else (subject, known)
                return self.spelled(frame, of_expression(self.text(sides[0])), sides[1])
            if operator == b"==":
                method = known.child_by_field_name("method")
                asked = known.child_by_field_name("receiver")
                if method is None or asked is None or self.text(method) != b"class":
                    return None
                known, subject = subject, asked
            elif operator != b"===":
                return None
        else:
            method = condition.child_by_field_name("method")
            arguments = condition.child_by_field_name("arguments")
            receiver = condition.child_by_field_name("receiver")
            if condition.type != "call" or method is None or receiver is None:
                return None
            if arguments is None:
                return self.answered(frame, self.text(method), receiver)
            pattern = self._pattern(self.text(method), arguments.named_children)
            if pattern is not None:
                return self.spelled(frame, pattern, receiver)
            if arguments.named_child_count != 1:
                return None
            if self.text(method) in _LISTED:
                return self.listed(frame, self.text(method), receiver, arguments)
            if self.text(method) not in _CHECKS:
                return None
            known, subject = arguments.named_children[0], receiver
        own = self.text(known) == b"self.class"
        if subject.type != "identifier":
            return None
        if not own and known.type not in ("constant", "scope_resolution"):
            return None
        name = self.name(self.text(subject))
        slot = self.expression(frame, known) if own else self.constant_slot(frame, known)
        if slot < 0 or self.local(frame, name) is None:
            return None
        return name, [(slot, self.text(known))], False

    def answered(self, frame: Frame, method: bytes, receiver: Node) -> Known | None:
        """What `variable.leaf?` tells, where methods of that name answer nothing but yes or no."""
        if not method.endswith(b"?") or receiver.type != "identifier" or method in _ANSWERED:
            return None
        name = self.name(self.text(receiver))
        return None if self.local(frame, name) is None else (name, [(-1, method)], False)

    def _pattern(self, method: bytes, arguments: list[Node]) -> bytes | None:
        """What a name is to match, as a method asks."""
        if method in (b"match?", b"match") and len(arguments) == 1:
            return of_expression(self.text(arguments[0]))
        literals = [self.text(it)[1:-1] for it in arguments if it.type == "string"]
        return of_literals(method, literals) if len(literals) == len(arguments) else None

    def spelled(self, frame: Frame, pattern: bytes | None, subject: Node) -> Known | None:
        """What `name.start_with?("…")` or `name =~ /…/` tells of a name."""
        asked = subject.child_by_field_name("method")
        if subject.type == "call" and asked is not None and self.text(asked) in _NAMING:
            subject = subject.child_by_field_name("receiver") or subject
        if pattern is None or subject.type != "identifier":
            return None
        name = self.name(self.text(subject))
        return None if self.local(frame, name) is None else (name, [(_SPELLED, pattern)], False)

    def listed(self, frame: Frame, method: bytes, receiver: Node, arguments: Node) -> Known | None:
        """What `NAMES.include?(variable)` tells, of a constant or of literals."""
        subject = arguments.named_children[0]
        asked = subject.child_by_field_name("method")
        if subject.type == "call" and asked is not None and self.text(asked) in _NAMING:
            subject = subject.child_by_field_name("receiver") or subject
        if subject.type != "identifier" or receiver.type not in _LISTS:
            return None
        name = self.name(self.text(subject))
        if self.local(frame, name) is None:
            return None
        if receiver.type in _LISTS[:2]:
            slot = self.constant_slot(frame, receiver)
        elif all(child.type in _LITERALS for child in receiver.named_children):
            slot = self.expression(frame, receiver)
        else:
            return None
        return None if slot < 0 else (name, [(slot, method)], False)
