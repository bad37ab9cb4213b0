"""Alembic migrations, one chain for each pack.

A pack ships a package with a `versions/` folder; the environment is ours (`alembic_env/env.py`).
They run at first use, in one transaction, under a lock that holds across processes.
"""

from __future__ import annotations

import threading
import zlib
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolroll.errors import StorageError, ToolrollError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from toolroll.storage.dialect import Dialect

__all__ = ["fingerprint", "upgrade"]


_WAIT_SECONDS: Final = 60.0
"""How long a migration waits for other writers; none may come in once it has looked."""
_one_at_a_time: Final = threading.Lock()
"""Alembic keeps the migration that runs in module globals (`op`, `context`): packs take turns."""


def fingerprint(versions: Traversable) -> int:
    """Return a number that changes whenever a migration is added or edited; never 0."""
    digest = 0
    files = {file.name: file for file in versions.iterdir() if file.name.endswith(".py")}
    for name in sorted(files):
        digest = zlib.crc32(name.encode() + files[name].read_bytes(), digest)
    return (digest & 0x7FFF_FFFE) + 1


def upgrade(dialect: Dialect, engine: Engine, package: str) -> None:
    """Bring a database to the newest schema of `package`.

    Raises:
        StorageError: The database was written by a newer version of the pack, or a migration is
            no code that runs.
    """
    from sqlalchemy.exc import SQLAlchemyError

    try:
        versions = resources.files(package).joinpath("versions")
        current = fingerprint(versions)
        if not dialect.needs_migration(engine, current):
            return
        with dialect.migration_lock():
            if dialect.needs_migration(engine, current):
                _run(dialect, engine, current, Path(str(versions)))
    except (SQLAlchemyError, OSError, ToolrollError):
        raise
    except Exception as error:  # the boundary to a pack: its migrations are code
        raise StorageError(
            f"the migrations in {package} fail: {type(error).__name__}: {error}"
        ) from error


def _run(dialect: Dialect, engine: Engine, current: int, versions: Path) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "alembic_env"))
    config.set_main_option("version_locations", str(versions).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    with _one_at_a_time, dialect.writing(engine, None, _WAIT_SECONDS) as connection:
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            message = (
                f"the database was written by another version of its pack ({error}); "
                "install the newer version, or move the file away"
            )
            raise StorageError(message, told=message) from error
        dialect.migrated(connection, current)
