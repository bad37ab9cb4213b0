"""What Python makes and reaches under computed names: `type`, `getattr`, `setattr`, items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag, Frame, ScopeKind
from toolroll_codegraph.languages.python.conditions import PythonConditions

if TYPE_CHECKING:
    from tree_sitter import Node


class PythonDynamic(PythonConditions):
    """Reads and writes whose names are values, and classes that are made by a call."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.item_pairs: dict[tuple[int, int], int] = {}
        """(key, value) → the mapping whose items they are."""
        self.metaclasses: set[bytes] = set()
        """Classes of the file that derive from `type`."""

    def is_class_made(self, text: bytes, arguments: Node) -> bool:
        """Whether a call of three arguments is `type(…)` or, to judge by its name, a metaclass."""
        if text == b"type":
            return True
        kinds = [child.type for child in arguments.named_children]
        is_meta = text in self.metaclasses or text.endswith((b"Meta", b"MetaClass", b"Metaclass"))
        return is_meta and kinds == ["string", "tuple", "dictionary"]

    def made_class(self, frame: Frame, node: Node, arguments: list[Node], metaclass: int) -> int:
        """The class that `type(name, bases, members)` makes, of the members that are written."""
        name, bases, members = arguments
        inner = self.open_frame(
            ScopeKind.CLASS, self.name(self.literal_key(name) or b"type"), frame,
            node.start_point[0] + 1,
        )  # fmt: skip
        inner.end = node.end_point[0] + 1
        if metaclass >= 0:
            self.relations.append(("metaclass", inner.index, 0, metaclass, 0))
        for base in bases.named_children if bases.type == "tuple" else ():
            slot = self.expression(frame, base)
            if slot >= 0 and base.text != b"object":
                inner.bases.append(slot)
        if members.type != "dictionary" or b"**" in (members.text or b""):
            inner.bases.append(self.slot())  # it has more members than are written here
        for child in members.named_children if members.type == "dictionary" else ():
            key = self.literal_key(child.named_children[0]) if child.type == "pair" else None
            value = self.expression(frame, child.named_children[-1])
            if key is not None:
                self.assign(inner, self.name(key), value)
        for child in (name, bases):
            if child.type != "tuple":
                self.expression(frame, child)
        if members.type != "dictionary":
            given, line = self.expression(frame, members), node.start_point[0] + 1
            if given >= 0:
                own = self.load(frame, inner.value, self.name(b"__dict__"), line)
                flags = CallFlag.IMPLICIT
                self.call(frame, line, own, self.name(b"update"), (given,), flags=flags)
        return inner.value

    def getattr_call(self, frame: Frame, arguments: Node, callee: int, line: int) -> int:
        children = [child for child in arguments.named_children if child.type != "comment"]
        if len(children) < 2:
            return self.call(frame, line, callee)
        base = self.expression(frame, children[0])
        key = self.literal_key(children[1])
        default = self.expression(frame, children[2]) if len(children) > 2 else -1
        if key is not None:
            return self.join((self.load(frame, base, self.name(key), line), default))
        if (member := self.member_under(frame, children[0], children[1])) >= 0:
            return self.join((member, default))
        return self.join(
            (self.dynamic_read(frame, base, children[1], attribute=frame.index + 1), default)
        )

    def setattr_call(self, frame: Frame, arguments: Node) -> None:
        target, key, value = arguments.named_children
        name = self.literal_key(key)
        base, source = self.expression(frame, target), self.expression(frame, value)
        if name is not None:
            self.write(frame, base, self.name(name), source, key.start_point[0] + 1)
            return
        slot = source if self.is_own_name(frame, key, source) else self.expression(frame, key)
        if (member := self.member_under(frame, target, key)) >= 0:
            if member == source:
                return  # it stays what it is
            slot = member
        line = arguments.start_point[0] + 1
        items = self._set_items(frame, base, (slot, source), line, b"__setattr__")
        if not items and min(base, slot) >= 0:
            self.dynamic += (-1, base, slot, source, frame.index + 1)

    def _set_items(
        self, frame: Frame, base: int, pair: tuple[int, int], line: int, how: bytes
    ) -> bool:
        """Let all items of a mapping become attributes: `vars(base).update(mapping)`."""
        mapping = self.item_pairs.get(pair, -1)
        if mapping >= 0:
            members = self.load(frame, base, self.name(b"__dict__"), line)
            self.call(frame, line, members, self.name(how), (mapping,))
        return mapping >= 0

    def set_plainly(self, frame: Frame, arguments: Node, given: tuple[int, ...]) -> None:
        """Assign as `object.__setattr__(value, name, source)` does, and the same by `super()`: no
        `__setattr__` of the class is asked.

        What a method of that name is given comes from the assignments that call it.
        """
        if len(given) != 3 or given[0] < 0 or given[2] < 0:
            return
        base, slot, source = given
        key, line = self.literal_key(arguments.named_children[-2]), arguments.start_point[0] + 1
        if key is None and frame.name == self.name(b"__setattr__"):
            return
        members = self.load(frame, base, self.name(b"__dict__"), line)
        if key is not None:
            self.store(members, self.name(b"[" + key), source)
        elif not self._set_items(frame, base, (slot, source), line, b"update") and slot >= 0:
            self.dynamic += (-1, members, slot, source, 0)

    def note_items(self, frame: Frame, loop: Node, target: Node) -> None:
        """Remember which two names of a loop are a key and the value under it: `d.items()`."""
        source = loop.child_by_field_name("right")
        names = target.named_children
        if source is None or source.type != "call" or len(names) != 2:
            return
        function = source.named_children[0]
        if function.type != "attribute" or function.named_children[-1].text != b"items":
            return
        mapping = function.named_children[0]
        written = mapping.type == "dictionary" and b"lambda" not in (mapping.text or b"")
        if written or mapping.type in ("identifier", "attribute"):
            pair = [frame.env.get(self.name(name.text or b""), -1) for name in names]
            if min(pair) >= 0:
                self.item_pairs[pair[0], pair[1]] = self.expression(frame, mapping)

    def dynamic_read(self, frame: Frame, base: int, key: Node, *, attribute: int = 0) -> int:
        slot = self.expression(frame, key)
        if base < 0:
            return -1
        if slot < 0:
            line = key.start_point[0] + 1
            return -1 if attribute else self.load(frame, base, self.any_key, line)
        if attribute:
            result = self.slot()
        else:
            flags, name = CallFlag.IMPLICIT, self.name(b"__getitem__")
            result = self.call(frame, key.start_point[0] + 1, base, name, (slot,), flags=flags)
        self.dynamic += (result, base, slot, -1, attribute)
        if (
            frame.name == self.name(b"__getattr__")
            and _is_returned(key)
            and slot in [parameter for _, parameter, _ in frame.params]
        ):
            kind = "answered by" if attribute else "answered by items of"
            self.relations.append((kind, frame.index, base, result, 0))
        return result


def _is_returned(key: Node) -> bool:
    """Whether what is read under a key is returned at once: `return getattr(value, key)`."""
    read = key.parent
    if read is not None and read.type == "argument_list":
        read = read.parent
    around = None if read is None else read.parent
    return around is not None and around.type == "return_statement"
