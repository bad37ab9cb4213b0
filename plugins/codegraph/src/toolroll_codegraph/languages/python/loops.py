"""Python's loops, and how control leaves them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolroll_codegraph.facts import Frame
from toolroll_codegraph.languages.grammar import Dispatch
from toolroll_codegraph.languages.python.conditions import Known
from toolroll_codegraph.languages.python.decided import TRUE
from toolroll_codegraph.languages.python.patterns import PythonPatterns

if TYPE_CHECKING:
    from tree_sitter import Node

Handler = Callable[[Any, Frame, Any], "bool | None"]
STATEMENTS: Final[Dispatch[Handler]] = Dispatch("python")


class PythonLoops(PythonPatterns):
    """Joins what a loop leaves bound: at its end, and wherever it is left."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.dead: list[tuple[Frame, int, set[int]]] = []
        """(scope, name, slots) of what only code that never runs has defined so far."""

    def inner_block(self, frame: Frame, node: Node) -> bool:
        ends = False
        for child in node.named_children:
            if child.type == "block":
                ends = self.block(frame, child) or ends
        return ends

    def never(self, frame: Frame, walk: Callable[[], object]) -> bool:
        """Walk what never runs for what it defines: names that have a value keep that alone.

        Others have what it defines until they get something else, which `bury` sees.
        """
        before = {name: len(versions) for name, versions in frame.versions.items()}
        ended = self.unreached(walk)
        for name, versions in frame.versions.items():
            if count := before.get(name, 0):
                del versions[count:]
            elif versions:
                self.dead.append((frame, name, {*versions}))
        return ended

    def bury(self, begin: int) -> None:
        """Forget what only defines names in code that never runs, noted from `begin` on, if what
        runs defines them too."""
        for frame, name, slots in self.dead[begin:]:
            versions = frame.versions.get(name, [])
            if living := [slot for slot in versions if slot not in slots]:
                versions[:] = living
        del self.dead[begin:]

    @STATEMENTS.on("break_statement", "continue_statement")
    def leave(self, frame: Frame, node: Node) -> bool:
        self.leave_loop(frame, again=node.type == "continue_statement")
        return True

    @STATEMENTS.on("for_statement")
    def for_statement(self, frame: Frame, node: Node) -> bool:
        target = node.child_by_field_name("left")
        source = node.child_by_field_name("right")
        element = self.element(frame, self.expression(frame, source), node) if source else -1
        return self.loop(frame, node, target, element, source)

    @STATEMENTS.on("while_statement")
    def while_statement(self, frame: Frame, node: Node) -> bool:
        return self.loop(frame, node, None, -1, None)

    def loop(
        self, frame: Frame, node: Node, target: Node | None, element: int, source: Node | None
    ) -> bool:
        condition = node.child_by_field_name("condition")
        endless = condition is not None and condition.text in TRUE
        ended: list[Known | None] = []
        self.open_loop(frame)

        def body() -> bool:
            if target is not None and source is not None:
                self.bind(frame, target, element, source)
                self.note_items(frame, node, target)
            if condition is not None:
                holds, fails = self.condition(frame, condition)
                self.learn(frame, holds)
                ended.append(fails)
            inner = node.child_by_field_name("body")
            return inner is not None and self.block(frame, inner)

        after = self.unlearn(self.branch(frame, body))
        left = self.close_loop(frame, after, endless=endless)
        branches: list[dict[int, int] | None] = [*map(self.unlearn, left)]
        otherwise = node.child_by_field_name("alternative")
        if otherwise is not None:
            branches.append(self.branch(frame, partial(self.inner_block, frame, otherwise)))
        elif not endless:
            branches.append({})
        self.merge(frame, branches)
        if ended and not left and not endless:
            self.learn(frame, ended[0])
        return all(branch is None for branch in branches)
