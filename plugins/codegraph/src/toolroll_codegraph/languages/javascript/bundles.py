"""Modules that webpack, browserify and esbuild have put into one file, each of them a function.

`{1: [function (require, module, exports) {…}, {"./part": 2}], 2: …}`, or `[function (module,
exports, __webpack_require__) {…}, …]`: one function of the bundle calls all of these, with objects
that it makes in one place. So each gets a `module` of its own here, and what it asks for by a key
is what the module of that key exports.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ObjectKind
from toolroll_codegraph.languages.javascript.literals import JavaScriptLiterals
from toolroll_codegraph.languages.javascript.patterns import positions

if TYPE_CHECKING:
    from tree_sitter import Node

_REQUIRE: Final = b"__webpack_require__"
_MODULE: Final = (b"module", b"__unused_webpack_module", b"__webpack_module__")
_COMMON: Final = b"__commonJS"
_JOINED: Final = re.compile(rb"(?<![\w$])([\w$]+)\s*=\s*(?:/\*[^*]*\*/\s*)?__commonJS(?:Min)?\(")
"""Looked for from the beginnings of words alone: one of a source map may have a million letters."""
_BROWSERIFY: Final = [b"require", b"module", b"exports"]


class JavaScriptBundles(JavaScriptLiterals):
    """Links the modules of a bundle."""

    def __init__(self, source: bytes, dialect: str) -> None:
        super().__init__(source, dialect)
        self.is_webpack = _REQUIRE in source
        self._enclosed = set(_JOINED.findall(source)) if _COMMON in source else set[bytes]()
        """Names of functions that esbuild and rolldown have made modules of."""
        self._bundled: dict[bytes, tuple[int, int]] = {}
        """Key of a module → the slots of its `module` and its first `exports`."""
        self._asking: dict[int, dict[bytes, bytes]] = {}
        """Frame of a module of browserify → the keys of what it may ask for."""
        self._inside: set[int] = set()
        """Frames of such modules."""

    def bundled(self, frame: Frame, node: Node, parameters: Node) -> dict[int, int]:
        """What the parameters of a bundle's module hold, by position; of others nothing."""
        names = [self.text(item) for item in parameters.named_children if item.type != "comment"]
        around = node.parent
        while around is not None and around.type == "parenthesized_expression":
            node, around = around, around.parent
        if around is None:
            return {}
        if self.is_webpack and names[:1] and names[0] in _MODULE:
            key = self._bundle_key(node, around)
            first = 0
        elif names == _BROWSERIFY and around.type == "array" and around.parent is not None:
            key = self._bundle_key(around, around.parent)
            first = 1
            if key is not None:
                self._asking[frame.index] = self._asked_keys(around.named_children[-1])
        elif self._enclosed and names[:1] == [b"exports"]:
            key = self._enclosed_name(around)
            first = -1
        else:
            return {}
        if key is None:
            return {}
        self._inside.add(frame.index)
        places = (1, 0) if first < 0 else (first, first + 1)
        return dict(zip(places, self._bundled_module(key), strict=True))

    def give_out(self, frame: Frame, held: dict[int, int]) -> None:
        """Let who begins the bundle have what its modules export, in what they are given."""
        for place in [place for place in held if place < len(frame.params)][:1]:
            name = self.name(b"exports")
            self.store(
                frame.params[place][1], name, self.load(frame, held[place], name, frame.line)
            )

    def is_bundled(self, frame: Frame, name: bytes) -> bool:
        """Whether a name is what a module of a bundle is given."""
        binder = frame.binder(self.name(name)) if self._inside else None
        return binder is not None and binder.index in self._inside

    def asked(self, frame: Frame, node: Node, callee: bytes) -> int:
        """What a module exports that another asks for by its key; -1 where that tells none."""
        if callee in self._enclosed:
            module = self._bundled_module(callee)[0]
            return self.load(frame, module, self.name(b"exports"), node.start_point[0] + 1)
        arguments = node.child_by_field_name("arguments")
        given = (
            [item for item in arguments.named_children if item.type != "comment"]
            if arguments
            else []
        )
        key = given[0] if given else None
        if key is not None and key.type == "assignment_expression":
            key = key.child_by_field_name("right")
        text = None if key is None else self._bundle_text(key)
        if text is None:
            return -1
        if callee == b"require":
            binder = frame.binder(self.name(callee))
            if binder is None or binder.index not in self._asking:
                return -1
            text = self._asking[binder.index].get(text)
            if text is None:
                return -1
        elif callee != _REQUIRE or not self.is_webpack:
            return -1
        return self.load(
            frame, self._bundled_module(text)[0], self.name(b"exports"), node.start_point[0] + 1
        )

    def _bundled_module(self, key: bytes) -> tuple[int, int]:
        made = self._bundled.get(key)
        if made is None:
            module = self.container(self.module, ObjectKind.RECORD)
            exports = self.container(self.module, ObjectKind.RECORD)
            self.store(module, self.name(b"exports"), exports)
            made = self._bundled[key] = module, exports
        return made

    def _enclosed_name(self, node: Node | None) -> bytes | None:
        """`var require_part = __commonJS({ "part.js"(exports, module) {…} })`."""
        while node is not None and node.type in ("arguments", "object", "pair"):
            node = node.parent
            if node is not None and node.type == "parenthesized_expression":
                node = node.parent
        around = None if node is None else node.parent
        if around is None or around.type != "variable_declarator":
            return None
        name = self.text(around.named_children[0])
        return name if name in self._enclosed else None

    def _bundle_key(self, node: Node, around: Node) -> bytes | None:
        """The position or name under which a literal has something."""
        if around.type == "array":
            return b"%d" % positions(around).index(node)
        return self._bundle_text(around.named_children[0]) if around.type == "pair" else None

    def _bundle_text(self, node: Node) -> bytes | None:
        if node.type == "property_identifier":
            return self.text(node)
        literal = self.literal_key(node)
        return None if literal is None else literal.removeprefix(b"[")

    def _asked_keys(self, node: Node) -> dict[bytes, bytes]:
        """`{"./part": 2}`."""
        found: dict[bytes, bytes] = {}
        for pair in node.named_children if node.type == "object" else ():
            if pair.type == "pair":
                name, key = (
                    self._bundle_text(pair.named_children[0]),
                    self._bundle_text(pair.named_children[-1]),
                )
                if name is not None and key is not None:
                    found[name] = key
        return found
