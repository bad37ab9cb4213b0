"""Questions that name a file, or what one defines, find it first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Host


@pytest.mark.parametrize(
    "query",
    [
        "store/locks.py",
        "how does src/store/locks.py work",
        "store/locks",
        "what is in src.store.locks",
        "store.locks",
        'File "/opt/venv/site-packages/store/locks.py", line 12, in how_does_it_work',
        "locks.py",
        "store_locks",
    ],
)
def test_the_file_that_a_query_names_comes_first(host: Host, query: str) -> None:
    talk = "see store locks.py, src store and store_locks: how does it work\n"
    host.write({f"docs/{i}.md": talk * (i + 1) for i in range(150)})
    host.write({"src/store/locks.py": "x = 1\n", "src/store_locks.py": "y = 2\n"})
    host.index()
    wanted = "src/store_locks.py" if query == "store_locks" else "src/store/locks.py"
    assert host.found(query)[0] == wanted


def test_a_named_file_is_not_found_outside_the_types_asked_for(host: Host) -> None:
    host.write({"src/a.py": "x = 1\n", "src/a.toml": "y = 2\n"})
    host.index()
    found = host.call(
        "search_by_file_type", collection="proj", query="src/a.py", file_types=["toml"]
    )
    assert [row["file_path"] for row in found["results"]] == ["src/a.toml"]


@pytest.mark.parametrize(
    "query", ["OpenError", "Door.open_wide()", "where does OpenError come from"]
)
def test_what_defines_a_name_comes_before_all_that_use_it(host: Host, query: str) -> None:
    uses = "raise OpenError(door, OpenError) from OpenError\ndoor.open_wide(door.open_wide)\n"
    host.write({f"src/use_{i}.py": f"{uses}x = {i}\n" * 3 for i in range(250)})
    other = "\n".join(f"def other_{i}(): ...\n" for i in range(60))
    host.write({"lib/base.py": f"class Door:\n    def open_wide(self): ...\n{other}"})
    host.write({"lib/faults.py": f"class OpenError(Exception): ...\n{other}"})
    host.index()
    wanted = "lib/base.py" if "Door" in query else "lib/faults.py"
    assert host.found(query)[0] == wanted
