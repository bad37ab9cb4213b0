"""`file_write` (manual 9.3): its checks in the order of reference 1.4, its change in one unit."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from attrs import frozen
from sqlalchemy import bindparam, select, update

from toolroll.storage.prepared import Prepared
from toolroll_fileio.content import WriteMode, apply, check_encoding, check_mode
from toolroll_fileio.failures import failure
from toolroll_fileio.mutation import UPSERT, Mutation
from toolroll_fileio.reading import check_target
from toolroll_fileio.results import Written
from toolroll_fileio.store import Around
from toolroll_fileio.tables import files

if TYPE_CHECKING:
    from toolroll_fileio.settings import FileioSettings

__all__ = ["Write", "write"]

_CONTENT: Final = Prepared(select(files.c.content).where(files.c.id == bindparam("file_id")))
_INSERT: Final = Prepared(
    files.insert(),
    (
        "apikey_hash",
        "project",
        "path",
        "size",
        "content_hash",
        "created_at",
        "updated_at",
        "content",
    ),
)
_UPDATE: Final = Prepared(
    update(files)
    .where(files.c.id == bindparam("file_id"))
    .values(
        content=bindparam("new_content"),
        content_hash=bindparam("new_hash"),
        size=bindparam("new_size"),
        updated_at=bindparam("now"),
    )
)


@frozen
class Write:
    """A checked write.

    Attributes:
        payload: Valid UTF-8.
        offset: In bytes; APPEND ignores it.
    """

    path: str
    payload: bytes
    offset: int
    mode: WriteMode

    @classmethod
    def checked(
        cls,
        settings: FileioSettings,
        *,
        project: str,
        path: str,
        content: str,
        encoding: str,
        offset: int,
        mode: str,
    ) -> Write:
        """Check everything that needs no lock.

        Raises:
            ToolError: INVALID_PATH, INVALID_OFFSET, INVALID_QUERY, PAYLOAD_TOO_LARGE.
        """
        check_target(project, path, root=False)
        if offset < 0:
            raise failure("INVALID_OFFSET", "offset must not be negative")
        check_encoding(encoding)
        chosen = check_mode(mode)
        if chosen is WriteMode.TRUNCATE and offset != 0:
            raise failure("INVALID_OFFSET", "mode TRUNCATE writes from the start: offset must be 0")
        payload = content.encode()
        if len(payload) > settings.max_payload_bytes:
            raise failure(
                "PAYLOAD_TOO_LARGE",
                f"content has {len(payload)} bytes, more than {settings.max_payload_bytes}; "
                "write it in parts with mode APPEND",
            )
        return cls(path, payload, offset, chosen)


def write(change: Mutation, request: Write, settings: FileioSettings) -> Written:
    """Write into a file, making it and its directories where they are missing.

    Raises:
        ToolError: IS_DIRECTORY, NOT_DIRECTORY, INVALID_OFFSET, PAYLOAD_TOO_LARGE, QUOTA_EXCEEDED.
    """
    around = change.files.around(request.path)
    file = around.file
    if file is None:  # an active file has nothing below it and no file above it
        check_free(around)
    old = b""
    if file is not None and request.mode is not WriteMode.TRUNCATE:
        [(old,)] = _CONTENT.all(change.connection, {"file_id": file.id})
    data = apply(request.mode, old, request.payload, request.offset)
    if len(data) > settings.max_file_bytes:
        raise failure(
            "PAYLOAD_TOO_LARGE",
            f"the file would have {len(data)} bytes, more than {settings.max_file_bytes}; "
            "split it into several files",
        )
    growth = len(data) - (file.size if file else 0)
    check_quota(change, growth, settings)
    digest = hashlib.sha256(data).hexdigest()
    if file is None:
        fields = {
            "apikey_hash": change.space.tenant,
            "project": change.space.project,
            "path": request.path,
            "size": len(data),
            "content_hash": digest,
            "created_at": change.now,
            "updated_at": change.now,
            "content": data,
        }
        _INSERT.run(change.connection, fields)
    else:
        _UPDATE.run(
            change.connection,
            {
                "file_id": file.id,
                "new_content": data,
                "new_hash": digest,
                "new_size": len(data),
                "now": change.now,
            },
        )
    change.enqueue(UPSERT, [request.path])
    change.account(files=file is None, size=growth)
    change.touch([request.path])
    return Written(bytes_written=len(request.payload))


def check_free(around: Around) -> None:
    """Refuse a new file where a directory is, or below a file.

    Raises:
        ToolError: IS_DIRECTORY, NOT_DIRECTORY.
    """
    if around.is_directory:
        raise failure("IS_DIRECTORY", "path is a directory that holds files; choose another name")
    if around.above:
        raise failure("NOT_DIRECTORY", f"{around.above} is a file; nothing can lie below it")


def check_quota(change: Mutation, growth: int, settings: FileioSettings) -> None:
    """Refuse a change that would make the project too large; one that shrinks it always may.

    Raises:
        ToolError: QUOTA_EXCEEDED.
    """
    total = change.before.total_bytes + growth
    if growth > 0 and total > settings.max_project_bytes:
        raise failure(
            "QUOTA_EXCEEDED",
            f"the project would have {total} bytes, more than {settings.max_project_bytes}; "
            "delete files, or use another project",
        )
