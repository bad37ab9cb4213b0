"""Ruby's lists of method names, of which those are chosen that begin alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX, Frame, ObjectKind
from toolroll_codegraph.languages.ruby.jumps import RubyJumps

if TYPE_CHECKING:
    from tree_sitter import Node

_LISTS: Final = frozenset((
    b"methods", b"public_methods", b"private_methods", b"instance_methods", b"singleton_methods",
    b"public_instance_methods", b"private_instance_methods",
))  # fmt: skip
_KEEPING: Final = frozenset((b"map", b"sort", b"to_a", b"uniq", b"-", b"reverse"))
"""What may stand between the list and the choice."""
_CHOOSING: Final = frozenset((b"grep", b"select", b"filter", b"find_all", b"filter_map"))
_BEGINNING: Final = re.compile(
    rb"/(?:\^|\\A)([a-z_]\w*)[^|/]*/|start_with\?[ (]['\"]([a-z_]\w*)['\"]"
)


class RubyListing(RubyJumps):
    """`instance_methods.grep(/^test_/)` is a list of names of which the beginning is known."""

    def chosen_names(self, frame: Frame, text: bytes, receiver: Node, choice: Node | None) -> int:
        """An array of a name with a gap; -1 for what chooses no method names by their beginning."""
        if text not in _CHOOSING or choice is None:
            return -1
        source: Node | None = receiver
        while source is not None:
            method = source if source.type == "identifier" else source.child_by_field_name("method")
            name = b"" if method is None else self.text(method)
            if name in _LISTS:
                break
            source = source.child_by_field_name("receiver") if name in _KEEPING else None
        found = None if source is None else _BEGINNING.search(self.text(choice))
        if found is None:
            return -1
        value = self.container(frame, ObjectKind.SEQUENCE)
        name_slot = self.constant((found[1] or found[2]) + PREFIX.encode())
        self.store(value, self.any_key, name_slot)
        return value
