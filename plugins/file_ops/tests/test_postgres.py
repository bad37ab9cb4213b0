"""Several hosts on one PostgreSQL that index one collection."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from toolroll_file_ops import store
from toolroll_file_ops.statements import together

if TYPE_CHECKING:
    from conftest import Host

WAITING = text(
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' "
    "AND NOT granted"
)
DROP: dict[str, Callable[[Host], object]] = {
    "what a pass replaced": lambda host: host.index(),
    "a whole collection": lambda host: host.engine.remove(host.context, "proj"),
}


@pytest.mark.parametrize("what", DROP)
def test_who_drops_what_no_file_needs_lets_others_write_first(
    make_host: Callable[..., Host], postgres_database: str, what: str
) -> None:
    one, other = (make_host(storage={"url": postgres_database}) for _ in range(2))
    one.write({"a.py": "a = 1\n"})
    one.index()
    place = other.engine.visible(other.context)[0].id
    one.write({"a.py": "a = 2\n"})
    done: list[str] = []

    def drop() -> None:
        DROP[what](one)
        done.append(what)

    with other.engine.database.begin() as session:
        together(session)
        thread = threading.Thread(target=drop)
        thread.start()
        while not session.scalar(WAITING):
            assert thread.is_alive()
        store.write(session, place, [])
    thread.join()
    assert done == [what]
