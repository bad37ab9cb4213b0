"""A JSON value that knows where in its document it stands, for errors that name the place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn, cast

from attrs import frozen

import toolroll

__all__ = ["Node"]


@frozen
class Node:
    """A value in a document. An absent member and an explicit null are the same: SARIF writers
    use both.

    Attributes:
        key: Its name or index in `parent`.
    """

    value: Any
    key: str | int = "the log"
    parent: Node | None = None

    @property
    def place(self) -> str:
        """Where the value stands: `runs[0].results[3].message`."""
        if self.parent is None:
            return str(self.key)
        before = "" if self.parent.parent is None else self.parent.place
        if isinstance(self.key, int):
            return f"{before}[{self.key}]"
        return f"{before}.{self.key}" if before else self.key

    def fail(self, problem: str) -> NoReturn:
        """Refuse the document.

        Raises:
            InvalidArguments: Always; names this place.
        """
        raise toolroll.InvalidArguments(f"{self.place} {problem}")

    def child(self, key: str) -> Node | None:
        """Return a member that is an object, or None."""
        node = self._member(key)
        if node is not None and not isinstance(node.value, dict):
            node.fail("must be an object")
        return node

    def required(self, key: str) -> Node:
        """Return a member that is an object and has to be there."""
        return self.child(key) or self.fail(f"must have the object {key!r}")

    def items(self, key: str) -> Iterator[Node]:
        """Yield the objects of a member that is an array; nothing where it is absent."""
        node = self._member(key)
        if node is None:
            return
        values = node.value
        if not isinstance(values, list):
            node.fail("must be an array")
        for index, value in enumerate(cast("Sequence[Any]", values)):
            item = Node(value, index, node)
            if not isinstance(value, dict):
                item.fail("must be an object")
            yield item

    def members(self, key: str) -> Iterator[tuple[str, Node]]:
        """Yield name and value of each member of a member; all of them have to be objects."""
        node = self.child(key)
        for name in cast("Mapping[str, Any]", node.value) if node is not None else ():
            if node is not None and (member := node.child(name)) is not None:
                yield name, member

    def text(self, key: str) -> str | None:
        """Return a member that is a text, or None."""
        node = self._member(key)
        if node is not None and not isinstance(node.value, str):
            node.fail("must be a string")
        return None if node is None else node.value

    def number(self, key: str, *, least: int = 0) -> int | None:
        """Return a member that is a whole number (true and 1.0 are none), or None."""
        node = self._member(key)
        if node is None:
            return None
        if type(node.value) is not int or not least <= node.value < 2**31:
            node.fail(f"must be a whole number from {least} to {2**31 - 1}")
        return node.value

    def _member(self, key: str) -> Node | None:
        value = cast("Mapping[str, Any]", self.value).get(key)
        return None if value is None else Node(value, key, self)
