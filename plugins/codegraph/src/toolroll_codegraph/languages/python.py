"""Python syntax to facts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolroll_codegraph.facts import (
    RETURNED,
    CallFlag,
    FileFacts,
    Frame,
    ImportKind,
    ScopeFlag,
    ScopeKind,
    TypeHint,
)
from toolroll_codegraph.languages.grammar import Dispatch, count_errors, parser_for
from toolroll_codegraph.languages.python_factories import mark_factories
from toolroll_codegraph.languages.python_patterns import PythonPatterns
from toolroll_codegraph.languages.python_records import TUPLES, makes_record
from toolroll_codegraph.languages.python_signatures import is_abstract

if TYPE_CHECKING:
    from tree_sitter import Node

_METHOD_DECORATORS: Final = {
    b"staticmethod": ScopeFlag.STATIC,
    b"classmethod": ScopeFlag.CLASSMETHOD,
    b"property": ScopeFlag.PROPERTY,
    b"cached_property": ScopeFlag.PROPERTY,
    b"functools.cached_property": ScopeFlag.PROPERTY,
    b"abstractmethod": ScopeFlag.ABSTRACT,
    b"abc.abstractmethod": ScopeFlag.ABSTRACT,
    b"abc.abstractproperty": ScopeFlag.PROPERTY | ScopeFlag.ABSTRACT,
}
_OVERLOADS: Final = (b"overload", b"typing.overload", b"typing_extensions.overload", b"t.overload")
_Handler = Callable[["_Python", Frame, Any], "bool | None"]
_STATEMENTS: Final[Dispatch[_Handler]] = Dispatch("python")


def extract_python(source: bytes) -> FileFacts:
    """Turn one Python file into facts; a file with syntax errors gives what could be parsed."""
    tree = parser_for("python").parse(source)
    return _Python(source).run(tree.root_node)


class _Python(PythonPatterns):
    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.statements = _STATEMENTS.table()
        self.module = self.open_frame(ScopeKind.MODULE, self.name(b"<module>"), None, 1)

    def run(self, root: Node) -> FileFacts:
        self.module.end = root.end_point[0] + 1
        if root.has_error:
            self.parse_errors = count_errors(root)
        try:
            self.block(self.module, root)
        except RecursionError:
            self.parse_errors += 1
        self.run_deferred()
        mark_factories(self)
        return self.finish()

    # statements

    def block(self, frame: Frame, node: Node) -> bool:
        """Walk statements; True when control never passes the end of the block."""
        table = self.statements
        ends = False
        for child in node.named_children:
            handler = table[child.kind_id]
            if handler is None:
                self.expression(frame, child)
            elif handler(self, frame, child):
                ends = True
        return ends

    @_STATEMENTS.on("expression_statement")
    def expression_statement(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            self.expression(frame, child)

    @_STATEMENTS.on("comment", "pass_statement", "string", "future_import_statement")
    def nothing(self, frame: Frame, node: Node) -> None:
        return

    @_STATEMENTS.on("assert_statement")
    def assert_statement(self, frame: Frame, node: Node) -> None:
        first, *message = node.named_children
        narrowed = self.condition(frame, first)
        for child in message:
            self.expression(frame, child)
        if narrowed is not None:
            self.assign(frame, *narrowed)

    @_STATEMENTS.on("break_statement", "continue_statement")
    def leave(self, frame: Frame, node: Node) -> bool:
        return True

    @_STATEMENTS.on("raise_statement")
    def raise_statement(self, frame: Frame, node: Node) -> bool:
        for child in node.named_children:
            raised = self.expression(frame, child)
            if raised >= 0 and child.type in ("identifier", "attribute"):
                self.call(frame, node.start_point[0] + 1, raised, flags=CallFlag.IMPLICIT)
        return True

    @_STATEMENTS.on("delete_statement")
    def delete_statement(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            for item in child.named_children if child.type == "expression_list" else [child]:
                self.delete(frame, item)

    @_STATEMENTS.on("return_statement")
    def return_statement(self, frame: Frame, node: Node) -> bool:
        for child in node.named_children:
            value = self.expression(frame, child)
            if value >= 0 and frame.ret >= 0:
                if frame.flags & ScopeFlag.GENERATOR:
                    self.store(frame.env[-1], self.name(RETURNED.encode()), value)
                else:
                    self.copies += (value, frame.ret)
        return True

    @_STATEMENTS.on("if_statement")
    def if_statement(self, frame: Frame, node: Node) -> bool:
        branches: list[dict[int, int] | None] = []
        narrowed: tuple[int, int] | None = None
        refused: tuple[int, int] | None = None
        complete = False
        for index, child in enumerate(node.named_children):
            kind = child.type
            if kind == "comment":
                continue
            if kind == "block":
                branches.append(self.branch(frame, partial(self.narrow, frame, child, narrowed)))
            elif kind == "elif_clause":
                parts = [part for part in child.named_children if part.type != "comment"]
                if parts:
                    narrowed = self.condition(frame, parts[0])
                    body = partial(self.narrow, frame, parts[-1], narrowed)
                    branches.append(self.branch(frame, body))
            elif kind == "else_clause":
                complete = True
                branches.append(self.branch(frame, partial(self.inner_block, frame, child)))
            elif child.type == "not_operator":
                refused = self.condition(frame, child.named_children[-1])
            elif index == 0 or not branches:
                narrowed = self.condition(frame, child)
        if not complete:
            branches.append({})
        self.merge(frame, branches)
        if refused is not None and branches[:1] == [None] and len(branches) == 2:
            self.assign(frame, *refused)  # what was not of the class has left
        return all(branch is None for branch in branches)

    def inner_block(self, frame: Frame, node: Node) -> bool:
        ends = False
        for child in node.named_children:
            if child.type == "block":
                ends = self.block(frame, child) or ends
        return ends

    def narrow(self, frame: Frame, body: Node, narrowed: tuple[int, int] | None) -> bool:
        if narrowed is not None:
            name, slot = narrowed
            self.assign(frame, name, slot)
        return self.block(frame, body)

    @_STATEMENTS.on("for_statement")
    def for_statement(self, frame: Frame, node: Node) -> None:
        target = node.child_by_field_name("left")
        source = node.child_by_field_name("right")
        element = self.element(frame, self.expression(frame, source), node) if source else -1
        self.loop(frame, node, target, element)

    @_STATEMENTS.on("while_statement")
    def while_statement(self, frame: Frame, node: Node) -> None:
        self.loop(frame, node, None, -1)

    def loop(self, frame: Frame, node: Node, target: Node | None, element: int) -> None:
        self.open_loop(frame)

        def body() -> bool:
            if target is not None:
                self.target(frame, target, element)
            condition = node.child_by_field_name("condition")
            if condition is not None:
                self.expression(frame, condition)
            inner = node.child_by_field_name("body")
            if inner is not None:
                self.block(frame, inner)
            return False

        after = self.branch(frame, body)
        self.merge(frame, [after, {}])
        self.close_loop(frame)
        otherwise = node.child_by_field_name("alternative")
        if otherwise is not None:
            self.inner_block(frame, otherwise)

    @_STATEMENTS.on("with_statement")
    def with_statement(self, frame: Frame, node: Node) -> bool:
        ends, kind = False, b"__a" if node.children[0].type == "async" else b"__"
        for child in node.named_children:
            if child.type == "block":
                ends = self.block(frame, child)
                continue
            for item in child.named_children:
                value = item.named_children[0] if item.named_children else item
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
        return ends

    @_STATEMENTS.on("try_statement")
    def try_statement(self, frame: Frame, node: Node) -> bool:
        before = len(frame.journal)
        branches: list[dict[int, int] | None] = []
        ends = False
        for child in node.named_children:
            kind = child.type
            if kind == "block":
                ends = self.block(frame, child)
            elif kind in ("except_clause", "except_group_clause"):
                # The clause may see any binding made so far: values before join those after.
                self.rewind_join(frame, before)
                branches.append(self.branch(frame, partial(self.except_clause, frame, child)))
            elif kind == "else_clause":
                ends = self.inner_block(frame, child) or ends
            elif kind == "finally_clause":
                self.merge(frame, [*branches, {}])
                branches = []
                if self.inner_block(frame, child):
                    return True
        if branches:
            self.merge(frame, [*branches, {}])
            return ends and all(branch is None for branch in branches)
        return ends

    def rewind_join(self, frame: Frame, mark: int) -> None:
        earlier: dict[int, int] = {}
        for name, old in reversed(frame.journal[mark:]):
            earlier[name] = -1 if old is None else old
        for name, old in earlier.items():
            if old >= 0 and old != frame.env.get(name):
                joined = self.join((old, frame.env.get(name, -1)))
                frame.journal.append((name, frame.env.get(name)))
                frame.env[name] = joined

    def except_clause(self, frame: Frame, node: Node) -> bool:
        ends = False
        for child in node.named_children:
            if child.type == "block":
                ends = self.block(frame, child)
            elif child.type == "as_pattern":
                caught = child.named_children[0]
                several = caught.named_children if caught.type == "tuple" else [caught]
                kinds = [self.expression(frame, one) for one in several]
                alias = child.child_by_field_name("alias")
                if alias is not None and alias.named_children:
                    slot = self.slot() if max(kinds, default=-1) >= 0 else -1
                    for kind in kinds:
                        if kind >= 0:
                            self.types += (slot, kind, TypeHint.CERTAIN)
                    self.target(frame, alias.named_children[0], slot)
            else:
                self.expression(frame, child)
        return ends

    @_STATEMENTS.on("match_statement")
    def match_statement(self, frame: Frame, node: Node) -> None:
        subject, named = -1, b""
        branches: list[dict[int, int] | None] = [{}]
        for child in node.named_children:
            if child.type == "block":
                for case in child.named_children:
                    if case.type == "case_clause":
                        walk = partial(self.case_clause, frame, case, subject, named)
                        branches.append(self.branch(frame, walk))
            else:
                subject = self.expression(frame, child)
                named = (child.text or b"") if child.type == "identifier" else b""
        self.merge(frame, branches)

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

    @_STATEMENTS.on("global_statement", "nonlocal_statement")
    def global_statement(self, frame: Frame, node: Node) -> None:
        for child in node.named_children:
            name = self.name(child.text or b"")
            target: Frame | None = self.module
            if node.type == "nonlocal_statement":
                target = frame.parent
                while target is not None and name not in target.versions:
                    target = target.parent
            if target is not None and target is not frame:
                frame.globals[name] = target
                target.versions.setdefault(name, [])

    @_STATEMENTS.on("import_statement")
    def import_statement(self, frame: Frame, node: Node) -> None:
        line = node.start_point[0] + 1
        for child in node.named_children:
            slot = self.slot()
            if child.type == "aliased_import":
                dotted, alias = child.named_children[0], child.named_children[-1]
                module = dotted.text or b""
                self.imports.append((slot, 0, 0, module.decode(), -1, line, frame.index))
                self.assign(frame, self.name(alias.text or b""), slot)
            elif child.type == "dotted_name":
                module = (child.text or b"").replace(b" ", b"")
                kind = int(ImportKind.ROOT)
                self.imports.append((slot, kind, 0, module.decode(), -1, line, frame.index))
                self.assign(frame, self.name(module.partition(b".")[0]), slot)

    @_STATEMENTS.on("import_from_statement")
    def import_from_statement(self, frame: Frame, node: Node) -> None:
        line = node.start_point[0] + 1
        children = node.named_children
        level, module = 0, ""
        for position, child in enumerate(children):
            kind = child.type
            if position == 0:
                text = (child.text or b"").replace(b" ", b"").decode("utf-8", "replace")
                module = text.lstrip(".")
                level = len(text) - len(module)
            elif kind == "wildcard_import":
                row = (-1, int(ImportKind.STAR), level, module, -1, line, frame.index)
                self.imports.append(row)
            elif kind in ("dotted_name", "aliased_import"):
                slot = self.slot()
                first = child if kind == "dotted_name" else child.named_children[0]
                last = child if kind == "dotted_name" else child.named_children[-1]
                name = self.name(first.text or b"")
                row = (slot, int(ImportKind.NAME), level, module, name, line, frame.index)
                self.imports.append(row)
                self.assign(frame, self.name(last.text or b""), slot)

    # definitions

    @_STATEMENTS.on("decorated_definition")
    def decorated_definition(self, frame: Frame, node: Node) -> None:
        children = node.named_children
        definition = children[-1]
        decorators = [child for child in children if child.type == "decorator"]
        if definition.type == "function_definition":
            self.define_function(frame, definition, decorators)
        elif definition.type == "class_definition":
            self.define_class(frame, definition, decorators)

    @_STATEMENTS.on("function_definition")
    def function_definition(self, frame: Frame, node: Node) -> None:
        self.define_function(frame, node, [])

    def define_function(self, frame: Frame, node: Node, decorators: list[Node]) -> None:
        identifier = node.child_by_field_name("name")
        if identifier is None:
            return
        name = self.name(identifier.text or b"")
        inner = self.open_frame(ScopeKind.FUNCTION, name, frame, node.start_point[0] + 1)
        inner.end = node.end_point[0] + 1
        if frame.kind == ScopeKind.CLASS:
            inner.flags |= ScopeFlag.METHOD
        if node.children[0].type == "async":
            inner.flags |= ScopeFlag.ASYNC
        value = self.decorated(frame, inner, decorators)
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            self.parameters(frame, inner, parameters)
        if inner.flags & ScopeFlag.METHOD and not inner.flags & ScopeFlag.STATIC and inner.params:
            inner.this = inner.params[0][1]
        if inner.flags & ScopeFlag.SETTER:
            value = self.join((frame.env.get(name, -1), value))
        if not any(_decorator_name(item) in _OVERLOADS for item in decorators):
            self.assign(frame, name, value)
            if frame.kind == ScopeKind.CLASS:
                private = self.member_name(frame, identifier.text or b"")
                if private != name:
                    self.assign(frame, private, value)
        self.deferred.append(partial(self.function_body, inner, node))

    def decorated(self, frame: Frame, inner: Frame, decorators: list[Node]) -> int:
        value = inner.value
        for decorator in reversed(decorators):
            if not decorator.named_children:
                continue
            expression = decorator.named_children[0]
            text = expression.text or b""
            flags = _METHOD_DECORATORS.get(text)
            if text in _OVERLOADS:
                continue
            if flags is not None:
                inner.flags |= flags
                continue
            if text.endswith((b".setter", b".deleter")):
                inner.flags |= ScopeFlag.SETTER | ScopeFlag.PROPERTY
                continue
            callee = self.expression(frame, expression)
            if callee >= 0:
                line = decorator.start_point[0] + 1
                flag = CallFlag.DECORATOR
                inner.flags |= ScopeFlag.DECORATED
                value = self.call(frame, line, callee, -1, (value,), flags=flag)
        return value

    def function_body(self, frame: Frame, node: Node) -> None:
        frame.ret = self.slot()
        parameters = node.child_by_field_name("parameters")
        if parameters is not None:
            slots = {name: slot for name, slot, _ in frame.params}
            for child in parameters.named_children:
                annotation = child.child_by_field_name("type")
                if annotation is not None and child.named_children:
                    name = child.named_children[0]
                    if name.type == "identifier":
                        self.annotate(frame, slots.get(self.name(name.text or b""), -1), annotation)
        result = node.child_by_field_name("return_type")
        if result is not None:
            self.annotate(frame, frame.ret, result)
        body = node.child_by_field_name("body")
        if body is None:
            return
        if is_abstract(body):
            frame.flags |= ScopeFlag.ABSTRACT
        self.block(frame, body)

    @_STATEMENTS.on("class_definition")
    def class_definition(self, frame: Frame, node: Node) -> None:
        self.define_class(frame, node, [])

    def define_class(self, frame: Frame, node: Node, decorators: list[Node]) -> None:
        identifier = node.child_by_field_name("name")
        if identifier is None:
            return
        name = self.name(identifier.text or b"")
        inner = self.open_frame(ScopeKind.CLASS, name, frame, node.start_point[0] + 1)
        inner.end = node.end_point[0] + 1
        self.class_names[inner.index] = identifier.text or b""
        bases = node.child_by_field_name("superclasses")
        if bases is not None:
            for base in bases.named_children:
                if base.type == "keyword_argument":
                    slot = self.expression(frame, base.named_children[-1])
                    if slot >= 0 and base.named_children[0].text == b"metaclass":
                        self.relations.append(("metaclass", inner.index, 0, slot, 0))
                    continue
                if base.text == b"object":
                    continue
                if base.type == "subscript":  # Generic[T], Base[int]
                    base = base.named_children[0]
                slot = self.expression(frame, base)
                if slot >= 0:
                    inner.bases.append(slot)
                inner.state = 2 if base.text in TUPLES else inner.state
        inner.state = 1 if makes_record(decorators) else inner.state
        self.decorated(frame, inner, decorators)
        body = node.child_by_field_name("body")
        if body is not None:
            self.block(inner, body)
        self.assign(frame, name, inner.value)  # class decorators return the class they were given


def _decorator_name(decorator: Node) -> bytes:
    children = decorator.named_children
    return (children[0].text or b"") if children else b""
