"""Questions with a slip find what they mean, where nothing is spelt as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Host

FILES = {
    "src/store.py": "def evict_oldest(entries): ...\n# throw away certificates\n",
    "src/entries.py": "# entries of all kinds, the oldest first, shown to a server\n" * 20,
    "src/evidence.py": "def evict_all(oldest, load): ...\n",
}


@pytest.mark.parametrize(
    ("query", "file"),
    [
        ("evict_odlest", "src/store.py"),
        ("evictt_oldest", "src/store.py"),
        ("where is evvict_oldest", "src/store.py"),
    ],
)
def test_a_slip_is_forgiven(host: Host, query: str, file: str) -> None:
    host.write(FILES)
    host.index()
    assert host.found(query)[0] == file
