"""Python statements to facts: what order they run in, and what each leaves bound."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from keyword import iskeyword
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import RETURNED, CallFlag, Frame, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.python.assignments import makes_property
from toolroll_codegraph.languages.python.conditions import Known, Outcome
from toolroll_codegraph.languages.python.decided import decided, for_checkers
from toolroll_codegraph.languages.python.handlers import PythonHandlers
from toolroll_codegraph.languages.python.loops import STATEMENTS
from toolroll_codegraph.languages.statements import walk_statements

if TYPE_CHECKING:
    from tree_sitter import Node


_EXITS: Final = frozenset(
    [b"sys.exit", b"os._exit", b"os.abort", b"exit", b"quit", b"pytest.fail", b"pytest.skip"]
)
"""Functions that never return."""


class PythonStatements(PythonHandlers):
    """Walks statements; a handler tells whether control never passes the end of its own."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.statements = STATEMENTS.table()
        self.replacing: dict[int, bool] = {}
        """Function → whether it returns only what is defined in it."""

    def block(self, frame: Frame, node: Node) -> bool:
        return walk_statements(self, frame, node.named_children)

    @STATEMENTS.on("expression_statement")
    def expression_statement(self, frame: Frame, node: Node) -> bool:
        ends = False
        for child in node.named_children:
            if child.type != "string" or self.source[child.start_byte] not in b"\"'":
                self.expression(frame, child)
            if child.type == "call":
                ends = self._never_returns(frame, child.named_children[0].text or b"")
        return ends

    def _never_returns(self, frame: Frame, function: bytes) -> bool:
        """Whether a call is of a function that ends the program; not one of the file's own."""
        return function in _EXITS and (
            b"." in function or frame.binder(self.name(function)) is None
        )

    @STATEMENTS.on("comment", "pass_statement", "string", "future_import_statement")
    def nothing(self, frame: Frame, node: Node) -> None:
        return

    @STATEMENTS.on("assert_statement")
    def assert_statement(self, frame: Frame, node: Node) -> None:
        first, *message = node.named_children
        holds, fails = self.condition(frame, first)
        for child in message:
            self.assume(frame, fails, partial(self.expression, frame, child))
        self.learn(frame, holds)

    @STATEMENTS.on("raise_statement")
    def raise_statement(self, frame: Frame, node: Node) -> bool:
        slots: list[int] = []
        line = node.start_point[0] + 1
        for child in node.named_children:
            raised = self.expression(frame, child)
            if raised >= 0 and child.type in ("identifier", "attribute"):
                self.call(frame, line, raised, flags=CallFlag.IMPLICIT | CallFlag.NEW)
            slots.append(raised)
        if len(slots) == 2 and slots[1] >= 0:  # raise first from second
            self.write(frame, slots[0], self.name(b"__cause__"), slots[1], line)
        return True

    @STATEMENTS.on("type_alias_statement")
    def type_alias(self, frame: Frame, node: Node) -> None:
        """`type Rows = list[Row]`, whose right side Python reads when somebody asks for it."""
        named, value = (child.named_children[0] for child in node.named_children[:2])
        if named.type == "generic_type":
            named = named.named_children[0]
        self.target(frame, named, self.alias(frame, value))

    @STATEMENTS.on("delete_statement")
    def delete_statement(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            for item in child.named_children if child.type == "expression_list" else [child]:
                self.delete(frame, item)

    @STATEMENTS.on("return_statement")
    def return_statement(self, frame: Frame, node: Node) -> bool:
        for child in node.named_children:
            value = self.returned(frame, child)
            if node.parent is not None and node.parent.named_child_count == 1:
                self.note_predicate(frame, child)
            if makes_property(child):
                self.relations.append(("returns property", frame.index, 0, 0, 0))
            inner = self.defined.get(value)
            if inner is None or inner.parent is not frame:
                self.replacing[frame.index] = False
            else:
                self.replacing.setdefault(frame.index, True)
            if value >= 0 and frame.ret >= 0:
                if frame.flags & ScopeFlag.GENERATOR:
                    self.store(frame.env[-1], self.name(RETURNED.encode()), value)
                else:
                    self.copies += (self.whole.get(value, value), frame.ret)
        return True

    def returned(self, frame: Frame, node: Node) -> int:
        """Evaluate what a function returns."""
        asked = None
        if node.type == "conditional_expression" and node.named_child_count == 3:
            asked = self.presence(frame, node.named_children[1])
        if asked is None:
            value = self.expression(frame, node)
            self.note_result(frame, value)
            return value
        slots: list[int] = []

        def choose(place: int) -> bool:
            slots.append(self.expression(frame, node.named_children[place]))
            self.note_result(frame, slots[-1])
            return False

        self.where(frame, asked, partial(choose, 0), holds=True)
        self.where(frame, asked, partial(choose, 2), holds=False)
        return self.join(slots)

    @STATEMENTS.on("if_statement")
    def if_statement(self, frame: Frame, node: Node) -> bool:
        parts = [child for child in node.named_children if child.type != "comment"]
        checked = for_checkers(parts[0].text or b"")
        if checked is not None and [part.type for part in parts[2:]] == ["else_clause"]:
            bodies = [parts[1], parts[2].named_children[-1]]
            if not checked:
                bodies.reverse()
            self.block(frame, bodies[0])
            return self.block(frame, bodies[1])
        if checked and len(parts) == 2 and frame.kind == ScopeKind.CLASS:
            self.declared_only(frame, parts[1])
            return False
        asked = self.presence(frame, node.named_children[0])
        branches: list[dict[int, int] | None] = []
        holds: Known | None = None
        failed: dict[int, Known] = {}
        """What is known by name where no test so far holds."""
        constant = decided(node.named_children[0].text or b"", self.versions)
        complete, dead = constant is True, len(self.dead)
        for child in node.named_children:
            kind = child.type
            if kind == "comment":
                continue
            if kind == "block":
                walk = partial(self.narrow, frame, child, [holds])
                walk = partial(self.where, frame, asked, walk, holds=True)
                if constant is False:
                    walk = partial(self.never, frame, walk)
                branches.append(self.unlearn(self.branch(frame, walk)))
            elif kind == "elif_clause":
                parts = [part for part in child.named_children if part.type != "comment"]
                if parts:
                    before = [*failed.values()]
                    holds, fails = self.tested(frame, parts[0], before)
                    walk = partial(self.narrow, frame, parts[-1], [*before, holds])
                    if constant is True:
                        walk = partial(self.never, frame, walk)
                    branches.append(self.unlearn(self.branch(frame, walk)))
                    if fails is not None:
                        failed[fails.name] = fails
            elif kind == "else_clause":
                complete = True
                walk = partial(self.narrow, frame, child.named_children[-1], [*failed.values()])
                walk = partial(self.where, frame, asked, walk, holds=False)
                if constant is True:
                    walk = partial(self.never, frame, walk)
                branches.append(self.unlearn(self.branch(frame, walk)))
            elif not branches:
                holds, fails = self.condition(frame, child)
                if fails is not None:
                    failed[fails.name] = fails
        if not complete:
            branches.append({})
        self.bury(dead)
        self.merge(frame, branches)
        if not complete and all(branch is None for branch in branches[:-1]):
            if asked is not None:
                self.rest(frame, asked, node)
            for known in failed.values():  # what was otherwise has left
                self.learn(frame, known)
        return all(branch is None for branch in branches)

    def declared_only(self, frame: Frame, body: Node) -> None:
        """Walk what a class only tells type checkers: methods that others bring, and attributes."""
        bound = self.branch(frame, partial(self.block, frame, body)) or {}
        for name, slot in bound.items():
            stub = self.defined.get(slot)
            if stub is None or stub.kind != ScopeKind.FUNCTION:
                self.assign(frame, name, slot)
            elif frame.versions[name] == [slot]:
                del frame.versions[name]
            else:
                frame.versions[name].remove(slot)

    def tested(self, frame: Frame, node: Node, failed: list[Known]) -> Outcome:
        """Evaluate a test where others have failed."""
        if not failed:
            return self.condition(frame, node)
        return self.assume(frame, failed[0], partial(self.tested, frame, node, failed[1:]))

    def narrow(self, frame: Frame, body: Node, told: Iterable[Known | None]) -> bool:
        for known in told:
            self.learn(frame, known)
        return self.block(frame, body)

    @STATEMENTS.on("with_statement")
    def with_statement(self, frame: Frame, node: Node) -> None:
        """Walk a `with` statement; what is behind it is reached where exceptions end in it."""
        kind = b"__a" if node.children[0].type == "async" else b"__"
        for child in node.named_children:
            if child.type == "block":
                self.block(frame, child)
                continue
            for item in child.named_children:
                value = item.named_children[0] if item.named_children else item
                while value.type == "parenthesized_expression" and value.named_child_count == 1:
                    value = value.named_children[0]  # with (open(path) as file):
                target = None
                if value.type == "as_pattern":
                    target = value.child_by_field_name("alias")
                    value = value.named_children[0]
                manager = self.expression(frame, value)
                line = value.start_point[0] + 1
                if manager >= 0:
                    flags = CallFlag.IMPLICIT | CallFlag.ENTER
                    enter, leave = self.name(kind + b"enter__"), self.name(kind + b"exit__")
                    entered = self.call(frame, line, manager, enter, flags=flags)
                    self.call(frame, line, manager, leave, (-1, -1, -1), flags=CallFlag.IMPLICIT)
                    manager = entered
                if target is not None and target.named_children:
                    self.target(frame, target.named_children[0], manager)

    @STATEMENTS.on("match_statement")
    def match_statement(self, frame: Frame, node: Node) -> bool:
        subject, named, complete = -1, b"", False
        branches: list[dict[int, int] | None] = []
        for child in node.named_children:
            if child.type == "block":
                for case in child.named_children:
                    if case.type == "case_clause":
                        walk = partial(self.case_clause, frame, case, subject, named)
                        branches.append(self.branch(frame, walk))
                        complete = complete or self._takes_all(case)
            else:
                subject = self.expression(frame, child)
                named = (child.text or b"") if child.type == "identifier" else b""
        if not complete:
            branches.append({})
        self.merge(frame, branches)
        return all(branch is None for branch in branches)

    def _takes_all(self, case: Node) -> bool:
        """Whether a case matches anything: `case _:`, `case other:`."""
        parts = [child for child in case.named_children if child.type != "comment"]
        name = (parts[0].text or b"").decode()
        return [part.type for part in parts] == ["case_pattern", "block"] and (
            name.isidentifier() and not iskeyword(name)
        )

    def case_clause(self, frame: Frame, node: Node, subject: int, named: bytes) -> bool:
        ends = False
        patterns = [child for child in node.named_children if child.type == "case_pattern"]
        if len(patterns) > 1:  # `case a, b`
            self.sequence_pattern(frame, patterns, subject, node.start_point[0] + 1)
        elif patterns:
            matched = self.pattern(frame, patterns[0], subject)
            if named and matched not in (-1, subject):
                self.assign(frame, self.name(named), matched)
        for child in node.named_children:
            if child.type == "block":
                ends = self.block(frame, child)
            elif child.type != "case_pattern":
                self.expression(frame, child)
        return ends
