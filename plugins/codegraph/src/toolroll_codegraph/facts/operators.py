"""The special methods that Python's operators call.

Extraction writes them down, resolution looks for them: neither imports the other.
"""

from __future__ import annotations

from typing import Final

OPERATORS: Final = {
    b"+": b"__add__", b"-": b"__sub__", b"*": b"__mul__", b"/": b"__truediv__",
    b"//": b"__floordiv__", b"%": b"__mod__", b"**": b"__pow__", b"@": b"__matmul__",
    b"&": b"__and__", b"|": b"__or__", b"^": b"__xor__", b"<<": b"__lshift__",
    b">>": b"__rshift__", b"==": b"__eq__", b"!=": b"__ne__", b"<": b"__lt__",
    b"in": b"__contains__", b"not in": b"__contains__", b"<=": b"__le__", b">": b"__gt__",
    b">=": b"__ge__",
}  # fmt: skip
REFLECTED: Final = {
    **{name: b"__r" + name[2:] for name in OPERATORS.values()},
    b"__lt__": b"__gt__", b"__gt__": b"__lt__", b"__le__": b"__ge__", b"__ge__": b"__le__",
    b"__eq__": b"__eq__", b"__ne__": b"__ne__",
}  # fmt: skip
"""What is asked of the other operand."""
DELETED: Final = b"del "
"""Before the name of an attribute, that of what runs when it is deleted."""
del REFLECTED[b"__contains__"]
