"""How a vector is stored: half floats in SQLite, pgvector's type in PostgreSQL.

Both hold the same numbers, and in Python a vector is the bytes of its half floats either way. The
text that pgvector reads and writes is also what a PostgreSQL without it keeps, in a column of text,
so that one statement serves both and the extension can be added while hosts run.
"""

from __future__ import annotations

import struct
from typing import Any

from sqlalchemy import Dialect, LargeBinary
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

__all__ = ["StoredVector", "vector_bytes", "vector_text"]


class _ServerVector(UserDefinedType[str]):
    """The type of pgvector, without a dimension: rows of several models may stand side by side."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return "VECTOR"


class StoredVector(TypeDecorator[bytes]):
    """Little-endian half floats, 2 bytes a dimension, whatever the database keeps."""

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose the column's type."""
        chosen: Any = LargeBinary() if dialect.name == "sqlite" else _ServerVector()
        return dialect.type_descriptor(chosen)

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> Any:
        """Return what the driver takes."""
        if value is None or dialect.name == "sqlite":
            return value
        return vector_text(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> bytes | None:
        """Return half floats from what the driver gives."""
        if value is None or dialect.name == "sqlite":
            return value
        return vector_bytes(value)


def vector_text(data: bytes) -> str:
    """Return half floats as the text of a vector; six digits are more than one holds."""
    numbers = struct.unpack(f"<{len(data) // 2}e", data)
    return "[" + ",".join(f"{number:.6g}" for number in numbers) + "]"


def vector_bytes(text: str) -> bytes:
    """Return the text of a vector as half floats."""
    numbers = [float(number) for number in text.strip("[]").split(",")]
    return struct.pack(f"<{len(numbers)}e", *numbers)
