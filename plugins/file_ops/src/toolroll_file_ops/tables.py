"""The tables: collections, their files, the bytes of each, and the chunks as spans over them.

Bytes are stored once for each distinct content, compressed; a chunk is a span. So content comes
back byte for byte, and nothing is ever rebuilt from overlapping text.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, LargeBinary, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

__all__ = ["Base", "Blob", "Chunk", "Collection", "File"]

_Id = BigInteger().with_variant(Integer, "sqlite")
_Binary = Text().with_variant(Text(collation="C"), "postgresql")
"""A text in byte order, as SQLite has it anyway."""


class Base(DeclarativeBase):
    """The pack's own metadata."""


class Collection(Base):
    """A named directory with its index.

    Attributes:
        tenant: Who made it; "" for collections of the host, which everybody sees.
        path: The directory, absolute and resolved.
        include: Globs as a JSON list; empty for every file. So `exclude`.
        seq: Grows with every change of a file; what caches and indexes compare.
        indexed_at: When the last full pass ended, ISO 8601 UTC; None while the first is under way.
        unread: Files and directories that it might not read, or that have names no path can hold.
    """

    __tablename__ = "collections"

    id: Mapped[int] = mapped_column(_Id, primary_key=True, autoincrement=True)
    tenant: Mapped[str] = mapped_column(String)
    name: Mapped[str] = mapped_column(String)
    path: Mapped[str] = mapped_column(Text)
    include: Mapped[str] = mapped_column(Text, default="[]")
    exclude: Mapped[str] = mapped_column(Text, default="[]")
    seq: Mapped[int] = mapped_column(default=0)
    indexed_at: Mapped[str | None] = mapped_column(String)
    unread: Mapped[int] = mapped_column(default=0, server_default="0")

    __table_args__ = (
        Index("uq_collections", "tenant", "name", unique=True),
        {"sqlite_autoincrement": True},  # an id names an index: never give it out again
    )


class Blob(Base):
    """The bytes of one content, compressed with zlib."""

    __tablename__ = "blobs"

    sha256: Mapped[str] = mapped_column(String, primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class File(Base):
    """A file as it was read.

    Attributes:
        mtime_ns, ctime_ns, inode: With `size`, what a change is told by.
        skipped: Why the file has no content here (not text, too large); "" for indexed files.
        analysis: How its chunks were cut; "" for files of versions that did not say.
    """

    __tablename__ = "files"

    id: Mapped[int] = mapped_column(_Id, primary_key=True, autoincrement=True)
    collection_id: Mapped[int] = mapped_column(ForeignKey("collections.id", ondelete="CASCADE"))
    path: Mapped[str] = mapped_column(_Binary)
    sha256: Mapped[str] = mapped_column(String, default="")
    size: Mapped[int] = mapped_column(BigInteger)
    mtime_ns: Mapped[int] = mapped_column(BigInteger)
    ctime_ns: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    inode: Mapped[int] = mapped_column(BigInteger)
    file_type: Mapped[str] = mapped_column(String)
    language: Mapped[str | None] = mapped_column(String)
    chunk_count: Mapped[int] = mapped_column(default=0)
    indexed_at: Mapped[str] = mapped_column(String)
    skipped: Mapped[str] = mapped_column(Text, default="")
    analysis: Mapped[str] = mapped_column(String, default="", server_default="")

    __table_args__ = (
        Index("uq_files", "collection_id", "path", unique=True),
        Index("ix_files_by_content", "sha256"),
        {"sqlite_autoincrement": True},
    )


class Chunk(Base):
    """A span of a file.

    Attributes:
        symbols: Names defined in it, separated by newlines.
        vector: Half floats; None while there is none.
    """

    __tablename__ = "chunks"

    id: Mapped[int] = mapped_column(_Id, primary_key=True, autoincrement=True)
    collection_id: Mapped[int] = mapped_column()
    file_id: Mapped[int] = mapped_column(ForeignKey("files.id", ondelete="CASCADE"))
    position: Mapped[int] = mapped_column()
    start: Mapped[int] = mapped_column(BigInteger)
    end: Mapped[int] = mapped_column(BigInteger)
    first_line: Mapped[int] = mapped_column()
    last_line: Mapped[int] = mapped_column()
    symbols: Mapped[str] = mapped_column(Text, default="")
    embedder: Mapped[str] = mapped_column(String, default="")
    vector: Mapped[bytes | None] = mapped_column(LargeBinary)

    __table_args__ = (
        Index("ix_chunks_by_file", "file_id", "position"),
        Index("ix_chunks_by_collection", "collection_id", "id", "file_id"),
        {"sqlite_autoincrement": True},
    )
