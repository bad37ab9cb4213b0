"""Functions and generators of JavaScript and TypeScript."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import RETURNED, SENT, Frame, ScopeFlag, ScopeKind
from toolroll_codegraph.languages.javascript.documentation import RESULT_TAG
from toolroll_codegraph.languages.javascript.expressions import JavaScriptExpressions
from toolroll_codegraph.languages.javascript.literals import EXPRESSIONS, FUNCTIONS

if TYPE_CHECKING:
    from tree_sitter import Node


class JavaScriptFunctions(JavaScriptExpressions):
    """Opens their scopes; a body is walked when the code around it is done."""

    def block(self, frame: Frame, node: Node) -> bool:
        """Walk the statements of a block."""
        raise NotImplementedError

    def function_value(self, frame: Frame, node: Node, name: bytes, flags: int = 0) -> Frame:
        """Open the scope of a function; its body is walked when the enclosing one is done."""
        line = node.start_point[0] + 1
        kind = ScopeKind.FUNCTION if name else ScopeKind.LAMBDA
        label = self.name(name) if name else self.lambda_name(frame)
        inner = self.open_frame(kind, label, frame, line)
        inner.end = node.end_point[0] + 1
        inner.flags |= flags
        if node.type == "arrow_function":
            inner.flags |= ScopeFlag.ARROW
        if node.children[0].type == "async":
            inner.flags |= ScopeFlag.ASYNC
        own = node.child_by_field_name("name") if node.type in FUNCTIONS else None
        if own is not None:
            self.assign(inner, self.name(self.text(own)), inner.value)
        self.deferred.append(partial(self.function_body, inner, node))
        return inner

    def function_body(self, frame: Frame, node: Node) -> None:
        frame.ret = self.slot()
        if any(child.type == "*" for child in node.children):
            self.open_generator(frame)
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        types = self.documented(node)
        self.declare_parameters(frame, node)
        if parameters is not None:
            held = self.bundled(frame, node, parameters)
            self.parameters(frame, parameters, types, held)
            self.give_out(frame, held)
        result = node.child_by_field_name("return_type")
        if result is not None:
            self.annotate(frame, frame.ret, result)
        self.annotate_text(frame, frame.ret, types.get(RESULT_TAG))
        body = node.child_by_field_name("body")
        if body is None:
            return
        self.predicate(frame, body)
        if body.type == "statement_block":
            self.block(frame, body)
            return
        for value in self.alternatives(frame, body):
            self.give_back(frame, value)

    @EXPRESSIONS.on("yield_expression")
    def yielded(self, frame: Frame, node: Node) -> int:
        value = self.last(frame, node)
        if frame.ret < 0 or not frame.flags & ScopeFlag.GENERATOR:
            return -1
        line = node.start_point[0] + 1
        if value >= 0 and len(node.children) > 1 and node.children[1].type == "*":
            delegate = value
            value = self.element(frame, delegate, node)
            result = self.load(frame, delegate, self.name(RETURNED.encode()), line)
            sent = self.name(SENT.encode())
            self.store(delegate, sent, self.load(frame, frame.env[-1], sent, line))
        else:
            result = self.load(frame, frame.env[-1], self.name(SENT.encode()), line)
        self.store(frame.env[-1], self.any_key, value)
        return result
