"""FactoryBot's factories: `create(:user)` gives an object of the class that `factory :user` has."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import Frame, ImportKind, ObjectKind
from toolroll_codegraph.languages.ruby.definitions import RubyDefinitions

if TYPE_CHECKING:
    from tree_sitter import Node

_FACTORY: Final = b"{factory} "
"""What stands before the name of a factory in that of the constant that holds its object."""
_ONE: Final = frozenset((b"create", b"build", b"build_stubbed"))
_MANY: Final = frozenset((b"create_list", b"build_list", b"build_stubbed_list", b"create_pair",
                          b"build_pair"))  # fmt: skip
_LIBRARIES: Final = (b"FactoryBot", b"FactoryGirl")


class RubyFactories(RubyDefinitions):
    """Reads factories, and the calls that ask for what they make."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self._made_of = b""
        """The class of the factory around."""
        self._has_factories = any(name + b".define" in source for name in _LIBRARIES)

    def bare_call(
        self, frame: Frame, text: bytes, node: Node, arguments: Node | None, block: Node | None
    ) -> int:
        if text == b"factory" and self._has_factories and arguments is not None:
            with self._factory(frame, arguments):
                return super().bare_call(frame, text, node, arguments, block)
        return super().bare_call(frame, text, node, arguments, block)

    def send(
        self, frame: Frame, base: int, text: bytes, line: int,
        arguments: Node | None, block: Node | None, flags: int = 0,
    ) -> int:  # fmt: skip
        value = super().send(frame, base, text, line, arguments, block, flags)
        if (text not in _ONE and text not in _MANY) or arguments is None:
            return value
        named = self.literal_key(arguments.named_children[0]) if arguments.named_children else None
        if named is None:
            return value
        made = self.constant_named(_FACTORY + named, frame, line)
        if text in _MANY:
            made, one = self.container(frame, ObjectKind.SEQUENCE), made
            self.store(made, self.any_key, one)
        return self.join((value, made))

    @contextmanager
    def _factory(self, frame: Frame, arguments: Node) -> Generator[None]:
        """Note what a factory makes, for those inside of it too."""
        names: list[bytes | None] = []
        told, line = None, arguments.start_point[0] + 1
        for child in arguments.named_children:
            if child.type != "pair":
                names.append(self.literal_key(child))
                continue
            key, value = child.named_children[0], child.named_children[-1]
            option = self.literal_key(key)
            if option == b"class":
                told = self.literal_key(value) or self.text(value)
            elif option == b"aliases" and value.type in ("array", "symbol_array"):
                names += [
                    self.literal_key(item) or self.text(item) for item in value.named_children
                ]
        before, first = self._made_of, next((name for name in names if name), b"")
        self._made_of = told or before or camel_case(first)
        path = self._made_of.removeprefix(b"::").replace(b"::", b".")
        made = self.constant_named(path, frame, line)
        value = self.call(frame, line, made, self.name(b"new"))
        for name in names:
            if name:
                row = ("const", self.module.index, self.name(_FACTORY + name), value, 0)
                self.relations.append(row)
        yield
        self._made_of = before

    def constant_named(self, name: bytes, frame: Frame, line: int) -> int:
        """The slot of a constant, which may have a name that no source can write."""
        slot, text = self.slot(), name.decode("utf-8", "replace")
        owner = self.lexical_class(frame).index
        self.imports.append((slot, ImportKind.CONSTANT, 0, text, -1, line, owner))
        return slot


def camel_case(name: bytes) -> bytes:
    """The name of the class for a name in underscores."""
    return b"".join(part[:1].upper() + part[1:] for part in name.split(b"_"))
