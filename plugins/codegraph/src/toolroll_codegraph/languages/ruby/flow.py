"""Ruby's branches, loops, rescue clauses and ways to leave."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, Frame, ParamKind, ScopeFlag
from toolroll_codegraph.languages.ruby.blocks import EVALUATED
from toolroll_codegraph.languages.ruby.conditions import Known, OfClasses
from toolroll_codegraph.languages.ruby.nodes import NODES
from toolroll_codegraph.languages.ruby.patterns import GUARDS, RubyPatterns
from toolroll_codegraph.languages.ruby.scopes import ANY_METHOD

if TYPE_CHECKING:
    from tree_sitter import Node

_LEAVING: Final = frozenset(("return", "next", "break", "redo", "retry"))
_RAISE: Final = b"raise"
_MOST_COMMENTS: Final = 4
"""So many a method that does nothing but raise may have."""
_CALLS: Final = ("call", "identifier")
_DEFINED: Final = re.compile(rb"(?:self\.)?method_defined\?[ (]\s*:\"?(\w+[?!=]?)\"?\s*\)?")
_VERSION: Final = re.compile(rb"(?:::)?RUBY_VERSION\s*(<=?|>=?)\s*['\"](\d+(?:\.\d+)*)['\"]")
_CAPABLE: Final = re.compile(
    rb"""(?:(?:""|''|"[^"#]*"|'[^']*'|String\.new)\.respond_to\?"""
    rb"""|(?:::)?String\.(?:public_)?(?:method_defined\?|instance_methods\.include\?))"""
    rb"""[ (]\s*:"?(\w+[?!]?)"?\s*\)?"""
)
_OF_STRINGS: Final = frozenset((
    b"b", b"bytes", b"bytesize", b"byteslice", b"chars", b"each_char", b"encode", b"encoding",
    b"force_encoding", b"getbyte", b"lines", b"match?", b"ord", b"prepend", b"scrub",
    b"start_with?",
    b"unicode_normalize", b"unpack1", b"valid_encoding?",
))  # fmt: skip
"""What old Rubies' strings had not."""
_OLDEST: Final = 3, 0
"""The oldest Ruby that programs are read for."""


class RubyFlow(RubyPatterns):
    """Which variables hold what, branch by branch."""

    @NODES.on("if", "unless", "elsif", "conditional", "if_modifier", "unless_modifier",
               "rescue_modifier")  # fmt: skip
    def conditional(self, frame: Frame, node: Node) -> int:
        condition = node.child_by_field_name("condition")
        holds: Known | None = None
        fails: Known | None = None
        if condition is not None:
            self.expression(frame, condition)
            holds, fails = self.outcome(frame, condition)
            if node.type.startswith("unless"):
                holds, fails = fails, holds
        values: list[int] = []
        branches: list[dict[int, int] | None] = []
        never = () if condition is None else self.never(node, condition)
        before = self.outdated
        self.alternatives += 1
        for field in ("consequence", "alternative", "body", "handler"):
            part = node.child_by_field_name(field)
            if part is not None and field not in never:
                holding = field in ("consequence", "body")
                if condition is not None and before is not ANY_METHOD:
                    unless = node.type.startswith("unless")
                    self.outdated = self.old(condition, holds=holding != unless) or before
                known = holds if holding else fails
                walk = partial(self.arm, frame, part, values, known)
                branches.append(self.branch(frame, walk))
                self.forget(branches[-1])
                self.outdated = before
        self.alternatives -= 1
        alone = len(branches) < 2
        if alone:
            branches.append({})
        self.merge(frame, branches)
        if alone and branches[0] is None and fails is not None:  # it has been left where it holds
            self.narrow(frame, *self.typed(frame, fails))
        return self.join(values)

    def never(self, node: Node, condition: Node) -> tuple[str, ...]:
        """The parts of a conditional that a constant as condition keeps from running."""
        known = condition.type
        if known == "constant":
            known = self.switches.get(self.text(condition), known)
        elif known in ("binary", "call") and node.child_by_field_name("alternative") is not None:
            known = self.of_any_ruby(condition)  # of two; one alone is left as it is
        if known not in ("true", "false", "nil"):
            return ()
        unless = node.type.startswith("unless")
        return ("alternative",) if (known == "true") != unless else ("consequence", "body")

    def of_any_ruby(self, condition: Node) -> str:
        """Which literal a question is, that Ruby's version or what its strings have answers."""
        text = self.text(condition)
        capable = _CAPABLE.fullmatch(text)
        if capable is not None and capable[1] in _OF_STRINGS:
            return "true"
        version = _VERSION.fullmatch(text)
        if version is None or tuple(map(int, version[2].split(b"."))) > _OLDEST:
            return ""
        return "false" if version[1].startswith(b"<") else "true"

    def old(self, condition: Node, *, holds: bool) -> bytes | None:
        """What is defined only for a Ruby older than any that is in use, where a condition holds,
        or fails: a method that Ruby has by now, or any."""
        text = self.text(condition)
        defined = _DEFINED.fullmatch(text)
        if defined is not None:
            return None if holds else defined[1]
        version = _VERSION.fullmatch(text)
        if version is None or tuple(map(int, version[2].split(b"."))) > _OLDEST:
            return None
        return ANY_METHOD if version[1].startswith(b"<") == holds else None

    def always(self, body: Node) -> str:
        """The literal that a method does nothing but return, if it is `true` or `false`."""
        only = body.named_children[0].type if body.named_child_count == 1 else body.type
        return only if only in ("true", "false") else ""

    def arm(self, frame: Frame, node: Node, values: list[int], known: Known | None = None) -> bool:
        if known is not None:
            self.narrow(frame, *self.typed(frame, known))
        values.append(self.expression(frame, node))
        last = node.named_children[-1] if node.type in ("then", "else") and node.named_children \
            else node  # fmt: skip
        return self.leaves(last)

    def leaves(self, node: Node) -> bool:
        """Whether what follows a statement is not reached from it."""
        return node.type in _LEAVING or self.raises(node)

    def raises(self, node: Node) -> bool:
        if not self.source.startswith(_RAISE, node.start_byte):
            return False
        method = node.child_by_field_name("method") or node
        return method.end_byte == node.start_byte + len(_RAISE) and node.type in _CALLS

    def only_raises(self, body: Node) -> bool:
        """Whether a method does nothing else: subclasses are to have it."""
        if body.named_child_count > _MOST_COMMENTS:
            return False
        statements = [child for child in body.named_children if child.type != "comment"]
        return len(statements) == 1 and self.raises(statements[0])

    @NODES.on("while", "until", "while_modifier", "until_modifier", "for")
    def loop(self, frame: Frame, node: Node) -> int:
        source = node.child_by_field_name("value")
        element = -1
        if source is not None and source.named_children:
            value = self.expression(frame, source.named_children[0])
            if value >= 0:
                name = self.name(b"each")
                flags = CallFlag.IMPLICIT | CallFlag.ITERATE
                element = self.call(frame, node.start_point[0] + 1, value, name, flags=flags)
        self.open_loop(frame)

        def walk() -> bool:
            pattern = node.child_by_field_name("pattern")
            if pattern is not None:
                self.target(frame, pattern, element)
            for field in ("condition", "body"):
                part = node.child_by_field_name(field)
                if part is not None:
                    self.expression(frame, part)
            return False

        branch = self.branch(frame, walk)
        values = self.broken.pop((frame.index, len(frame.exits)), [])
        left = self.close_loop(frame, branch)
        self.merge(frame, [{}, *left])
        return self.join(values)

    @NODES.on("case", "case_match")
    def case(self, frame: Frame, node: Node) -> int:
        subject = node.child_by_field_name("value")
        value = -1 if subject is None else self.expression(frame, subject)
        name, rest = -1, -1
        if subject is not None and subject.type == "identifier":
            name = self.name(self.text(subject))
            known = self.local(frame, name)
            name = -1 if known is None else name
            rest = frame.env.get(name, -1)  # not of a variable from around a block
        values: list[int] = []
        branches: list[dict[int, int] | None] = [{}]
        for child in node.named_children:
            if child.type in ("when", "in_clause", "else"):
                taken: OfClasses = []
                left = rest if rest >= 0 and node.type == "case_match" else value
                walk = partial(self.case_arm, frame, child, left, values, (name, rest), taken)
                branches.append(self.branch(frame, walk))
                self.forget(branches[-1])
                rest = self.without(taken, rest)
        self.merge(frame, branches)
        return self.join(values)

    def case_arm(
        self,
        frame: Frame,
        node: Node,
        subject: int,
        values: list[int],
        rest: tuple[int, int],
        taken: OfClasses,
    ) -> bool:
        """One `when`: its variable is of the classes here, and of none that those before took."""
        name = rest[0]
        if rest[1] >= 0 and self.local(frame, name) != rest[1]:
            self.narrow(frame, *rest)
        if node.type == "else":
            return self.arm(frame, node, values)
        ends = False
        checked: Known | None = None
        demanded = taken
        for child in node.named_children:
            if child.type == "then":
                if name >= 0 and demanded:
                    checked = name, demanded, False
                ends = self.arm(frame, child, values, checked)
            elif node.type == "in_clause":
                self.pattern(frame, child, subject)
                if child.type in GUARDS:  # it may let others of these classes through
                    taken.clear()
                else:
                    demanded = self.demanded(frame, child)
                    taken += demanded if self.takes_all(child) else ()
            else:
                value = self.case_equal(frame, child, subject)
                if child.type == "pattern" and child.named_children:
                    if subject < 0:  # `case` alone: conditions
                        checked, _ = self.outcome(frame, child.named_children[0])
                    of_class = child.named_children[0]
                    if of_class.type in ("constant", "scope_resolution") and value >= 0:
                        taken.append((value, self.text(of_class)))
                    else:  # it may be of another class as well
                        name = -1
        return ends

    def case_equal(self, frame: Frame, node: Node, subject: int) -> int:
        """`when` asks its value's `===`."""
        value = self.expression(frame, node)
        if value >= 0 and node.type == "pattern":
            line = node.start_point[0] + 1
            name = self.name(b"===")
            self.call(frame, line, value, name, (subject,), flags=CallFlag.IMPLICIT)
        return value

    @NODES.on("return", "next", "break")
    def leave(self, frame: Frame, node: Node) -> int:
        value = self.handed_over(frame, node)
        scope: Frame | None = frame
        if node.type != "return":
            looping = bool(frame.exits)
            self.leave_loop(frame, again=node.type == "next")
            if looping or (node.type == "break" and frame.flags & ScopeFlag.BLOCK):
                if node.type == "break":
                    self.broken.setdefault((frame.index, len(frame.exits)), []).append(value)
                return -1
        else:
            while (
                scope is not None
                and scope.flags & ScopeFlag.BLOCK
                and (scope.this < 0 or scope.state == EVALUATED)
            ):
                scope = scope.parent
        if value >= 0 and scope is not None and scope.ret >= 0:
            self.copies += (value, scope.ret)
            if scope is frame and self.left_without_block(frame, node):
                self.relations.append(("blockless", frame.index, 0, value, 0))
        return -1

    def left_without_block(self, frame: Frame, node: Node) -> bool:
        """Whether a method begins with `return … unless block_given?`, and this is that."""
        guard = node.parent
        if guard is None or guard.type != "unless_modifier" or guard.parent is None:
            return False
        condition = guard.child_by_field_name("condition")
        if condition is None or guard.prev_named_sibling is not None:
            return False
        block = [name for name, _, shape in frame.params if shape == ParamKind.BLOCK]
        text = self.text(condition)
        return text == b"block_given?" or self.name(text) in block

    def handed_over(self, frame: Frame, node: Node) -> int:
        """What `return`, `next` and `break` give: of several values a list."""
        for child in node.named_children:
            inner = child.named_children
            if child.type != "argument_list":
                return self.expression(frame, child)
            if inner and inner[0].type == "pair":
                return self.hash(frame, child)
            if len(inner) > 1:
                return self.array(frame, child)
            return self.expression(frame, inner[0]) if inner else -1
        return -1
