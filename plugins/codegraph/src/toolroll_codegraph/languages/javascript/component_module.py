"""Components of Vue, Svelte and Astro to facts.

The markup is a function of the file's name, as React's components are functions: showing the
component calls it, and it calls what its expressions call. It is given the component's properties,
what a component emits is a call of one of them (`emit("saved")` of `onSaved`), and the module
exports it, unless that is an object of options, whose `render` it then is.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, FileFacts, Frame, ParamKind, ScopeKind
from toolroll_codegraph.facts.names import COMPONENT
from toolroll_codegraph.languages.grammar import NotInTime, parse
from toolroll_codegraph.languages.javascript.components import Component, split_component
from toolroll_codegraph.languages.javascript.literals import EXPRESSIONS
from toolroll_codegraph.languages.javascript.markup import (
    Code,
    Unclosed,
    camel_case,
    property_name,
)
from toolroll_codegraph.languages.javascript.module import JavaScriptModule
from toolroll_codegraph.languages.javascript.modules import STATEMENTS
from toolroll_codegraph.languages.javascript.repairs import parse_javascript
from toolroll_codegraph.languages.javascript.svelte_markup import svelte_code
from toolroll_codegraph.languages.javascript.vue_markup import vue_code

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_PROPERTIES: Final = (b"defineProps", b"$props", b"withDefaults")
_EMITTING: Final = (b"defineEmits", b"createEventDispatcher")
_OWNING: Final = ("member_expression", "subscript_expression", "parenthesized_expression")
_IDENTIFIERS: Final = ("identifier", "shorthand_property_identifier")
_HANDLER: Final = re.compile(rb"on[A-Z]")
_TAG: Final = re.compile(rb"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_EXPORTED: Final = re.compile(rb"^[ \t]*export\s+let\s+([\w$]+)", re.M)


def extract_component(path: str, source: bytes) -> FileFacts:
    """Turn a component into facts."""
    component = split_component(path, source)
    tree, script, dialect = parse_javascript(component.script, component.dialect)
    name = path.rpartition("/")[2].rpartition(".")[0]
    module = _Component(script, dialect, component, name.encode())
    module.trees.append(tree)
    module.walk(tree.root_node)
    return module.complete(source)


class _Component(JavaScriptModule):
    def __init__(self, source: bytes, dialect: str, component: Component, title: bytes) -> None:
        super().__init__(source, dialect)
        self.component = component
        self.markup_dialect = "javascript" if dialect == "javascript" else "tsx"
        self.trees: list[Tree] = []  # a node is told from others by where its tree is
        self.title = title
        self.properties = self.slot()
        self._in_markup = self._unwraps = False
        self.members_only: Frame | None = None
        """The template whose names are members of the object of options."""
        self.emits: set[int] = set()
        """Slots of what `defineEmits` returns."""

    def complete(self, source: bytes) -> FileFacts:
        """Finish what was walked with the markup."""
        if self.component.framework == "svelte":
            self._exported_properties()
        if self.component.markup:
            self._markup(source)
        elif not self.component.is_setup:
            self._join(-1)
        return self.end()

    # the script

    def _exported_properties(self) -> None:
        """`export let onSave` is a property of the component."""
        for found in _EXPORTED.finditer(self.source):
            name = self.name(found[1])
            if name in self.module.versions:
                given = self.load(self.module, self.properties, name, 1)
                self.copies += (given, self.summary(self.module, name))

    # the markup

    def _markup(self, source: bytes) -> None:
        first, last = self.component.markup[0][0], self.component.markup[-1][1]
        if self.component.framework != "vue":
            first += len(source[first:last]) - len(source[first:last].lstrip())
        title, line = self.title, source.count(b"\n", 0, first) + 1
        frame = self.open_frame(ScopeKind.FUNCTION, self.name(title), self.module, line)
        frame.end = source.count(b"\n", 0, last) + 1
        frame.ret = self.slot()
        frame.params.append((self.name(b"props"), self.properties, ParamKind.POSITIONAL))
        if self.name(title) not in self.module.versions:
            self.assign(frame, self.name(title), frame.value)  # for itself
        dialect = self.markup_dialect
        text, root = self._code(source, dialect)
        self.source, self.assigned, self._in_markup = text, None, True
        self.expressions, self.statements = EXPRESSIONS.table(dialect), STATEMENTS.table(dialect)
        if not self.component.is_setup:
            self.members_only = frame
        self._unwraps = self.component.framework == "vue" and self.component.is_setup
        self.block(frame, root)
        self.run_deferred()
        default = self.name(b"default")
        if default in self.module.members:
            self._join(frame.value)
        else:
            self.module.members[default] = frame.value
            self.exported.append(self.name(title))

    def _code(self, source: bytes, dialect: str) -> tuple[bytes, Node]:
        """The code of the markup, without what is not correct."""
        write = vue_code if self.component.framework == "vue" else svelte_code
        text = b""
        tree = parse(dialect, text)
        for checked in (None, partial(_is_correct, dialect)):
            code = Code(source, checked)
            with suppress(Unclosed):
                write(source, self.component.markup, self._shown, code)
            written = code.text()
            with suppress(NotInTime):
                tree, text = parse(dialect, written), written
                if not tree.root_node.has_error:
                    break
        self.trees.append(tree)
        return text, tree.root_node

    def _shown(self, tag: bytes) -> bytes:
        """The name that the script has for what a tag shows, empty for elements of the page."""
        if self.component.framework == "vue" and b"." not in tag and b"-" in tag:
            tag = camel_case(tag)
            tag = tag[:1].upper() + tag[1:]
        shown = tag[:1].isupper() or b"." in tag
        if not shown and self.component.framework == "vue":  # `<card/>` of `import Card`
            tag = tag[:1].upper() + tag[1:]
            shown = self.name(tag) in self.module.versions or tag == self.title
        return tag if shown and _TAG.fullmatch(tag) else b""

    def _join(self, template: int) -> None:
        """Let the object that the module exports be the component's options."""
        options = self.module.members.get(self.name(b"default"), -1)
        if options >= 0:
            joining = self.read(self.module, self.name(COMPONENT.encode()))
            flags = CallFlag.IMPLICIT | CallFlag.QUIET
            self.call(self.module, 1, joining, -1, (options, template), flags=flags)

    def hands_over(self, properties: int, name: Node) -> bool:
        """A component's handler is the component's to call, and the framework's, if the event is
        one of the element that the component shows."""
        return properties < 0 or (self._in_markup and _HANDLER.match(self.text(name)) is not None)

    # names

    def expression(self, frame: Frame, node: Node) -> int:
        if node.type == "call_expression":
            found = self._macro(frame, node)
            if found is not None:
                return found
        elif self.members_only is not None and node.type in _IDENTIFIERS:
            name = self.name(self.text(node))
            if self._is_member(frame, name, self.text(node)):
                line = node.start_point[0] + 1
                return self.load(frame, self.receiver(frame), name, line)
        value = super().expression(frame, node)
        if self._unwraps and node.type == "identifier" and value >= 0:
            return self._unwrapped(frame, node, value)
        return value

    def _unwrapped(self, frame: Frame, node: Node, value: int) -> int:
        """What is in a reference of Vue's, whose `value` its templates need not name."""
        around = node.parent
        if around is None or around.type not in _OWNING or around.named_children[0] != node:
            return value
        binder = frame.binder(self.name(self.text(node)))
        if binder is not self.module:
            return value
        inside = self.load(frame, value, self.name(b"value"), node.start_point[0] + 1)
        return self.join((value, inside))

    def _is_member(self, frame: Frame, name: int, text: bytes) -> bool:
        """Whether a name is a member of the options: no variable of the template, no component."""
        scope: Frame | None = frame
        while scope is not None and scope is not self.module:
            if name in scope.versions:
                return False
            scope = scope.parent
        return not text[:1].isupper()

    def _macro(self, frame: Frame, node: Node) -> int | None:
        """What a component's own functions return; None of other calls."""
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return None
        text = self.text(function)
        if text in _PROPERTIES and self.name(text) not in self.module.versions:
            super().expression(frame, node)
            return self.properties
        if text in _EMITTING:
            made = super().expression(frame, node)
            self.emits.add(made)
            return made
        if not self._emits(frame, function, text) or not arguments.named_children:
            return None
        event = self.literal_key(arguments.named_children[0])
        if event is None:
            return None
        name, line = self.name(property_name(b"on-" + event)), node.start_point[0] + 1
        given = self.arguments(frame, arguments)[1:]
        return self.call(frame, line, self.properties, name, given, flags=CallFlag.IMPLICIT)

    def _emits(self, frame: Frame, function: Node, text: bytes) -> bool:
        if text in (b"$emit", b"this.$emit"):
            return True
        owner = text.partition(b".")[0]
        if function.type == "identifier" and self.emits:
            return self.read(frame, self.name(text)) in self.emits
        if text != b"emit" and not text.endswith(b".emit"):
            return False
        binder = frame.binder(self.name(owner))
        return binder is not None and binder.name == self.name(b"setup")


def _is_correct(dialect: str, text: bytes) -> bool:
    try:
        return not parse(dialect, text).root_node.has_error
    except NotInTime:
        return False
