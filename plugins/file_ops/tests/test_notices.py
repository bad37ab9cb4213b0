"""What the kernel tells of a tree, and doing without it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest

from toolroll_file_ops import notices
from toolroll_file_ops.notices import Notices, is_local

MOUNTS = """\
25 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
26 25 0:5 / /proc rw - proc proc rw
30 25 0:30 / /srv/far rw - nfs4 server:/x rw
31 25 0:31 / /srv/near rw - tmpfs tmpfs rw
32 25 0:32 / /home/a\\040b rw - fuse.sshfs host rw
33 25 0:33 / /home/données rw - nfs4 server:/y rw
"""


@pytest.mark.parametrize(
    ("root", "local"),
    [
        ("/project", True),
        ("/srv/near/x", True),
        ("/srv/far", False),
        ("/srv/far/deep/er", False),
        ("/srv", False),
        ("/srv/nearby", True),
        ("/home/a b/x", False),
        ("/home/a", True),
        ("/home/données/x", False),
    ],
)
def test_only_local_file_systems_tell_everything(root: str, local: bool) -> None:
    assert is_local(Path(root), MOUNTS) is local


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src/deep").mkdir(parents=True)
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "src/b.txt").write_text("two")
    return tmp_path


@pytest.fixture
def told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Notices:
    # those of hosts of other tests may not be collected yet, and count
    monkeypatch.setattr(notices, "_trees", WeakSet[Notices]())
    found = Notices(tree)
    if not found.listening:
        pytest.skip("this system has no inotify, or the tests lie on another file system")
    found.follow(["", "src", "src/deep"])
    assert found.changed() == (set(), False)  # what happened before is not known
    assert found.changed() == (set(), True)
    return found


def test_changes_of_files_name_their_directory(tree: Path, told: Notices) -> None:
    (tree / "src/b.txt").write_text("changed")
    assert told.changed() == ({"src"}, True)
    (tree / "src/deep/new.txt").write_text("")
    (tree / "a.txt").unlink()
    assert told.changed() == ({"", "src/deep"}, True)
    os.utime(tree / "src/b.txt", ns=(1, 1))
    assert told.changed() == ({"src"}, True)
    (tree / "src/b.txt").read_text()
    assert told.changed() == (set(), True)


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: (tree / "src/more").mkdir(),
        lambda tree: (tree / "src/deep").rmdir(),
        lambda tree: (tree / "src").rename(tree / "other"),
        lambda tree: shutil.rmtree(tree / "src"),
    ],
    ids=["made", "removed", "renamed", "removed whole"],
)
def test_changes_of_directories_ask_for_a_look_at_everything(
    tree: Path, told: Notices, change: Callable[[Path], object]
) -> None:
    change(tree)
    assert told.changed()[1] is False


def test_a_directory_made_again_is_listened_to_again(tree: Path, told: Notices) -> None:
    shutil.rmtree(tree / "src")
    told.changed()
    told.follow([""])
    (tree / "src").mkdir()
    told.changed()
    told.follow(["", "src"])
    assert told.changed()[1] is False
    (tree / "src/c.txt").write_text("three")
    assert told.changed() == ({"src"}, True)


@pytest.mark.parametrize("most", [0, 16])
def test_answers_are_fresh_with_notices_and_without(
    make_host: Any, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(notices, "MOST_TREES", most)
    monkeypatch.setattr(notices, "_trees", WeakSet[Notices]())
    host = make_host()
    host.write({"a.py": "apple\n", "src/b.py": "banana\n"})
    host.index()
    assert host.found("banana") == ["src/b.py"]
    host.write({"src/b.py": "cherry\n", "src/new/c.py": "banana\n"})
    assert host.found("banana") == ["src/new/c.py"]
    assert host.found("cherry") == ["src/b.py"]
    host.write({"src/new/d.py": "dragon banana\n"})
    assert sorted(host.found("banana")) == ["src/new/c.py", "src/new/d.py"]
    (host.root / "src").rename(host.root / "lib")
    assert host.found("cherry") == ["lib/b.py"]
    host.write({"lib/b.py": "elder\n"})
    assert host.found("cherry") == []
    shutil.rmtree(host.root / "lib")
    assert host.found("elder banana") == []


def test_a_collection_that_was_removed_leaves_nothing_in_a_host(
    make_host: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "MOST_TREES", 1)
    monkeypatch.setattr(notices, "_trees", WeakSet[Notices]())
    host, other = (make_host(search={"embedder": "wordllama"}) for _ in range(2))
    host.write({"a.py": "apple\n"})
    for name in ("one", "two"):
        host.call("index_collection", collection=name, path=".")
        with host.engine.open(host.context, "test", name) as opened:
            if not opened.space.notices.listening:
                pytest.skip("this system has no inotify, or no listener more to give")
        del opened
        host.call("search_vectors", collection=name, query="apple")
        assert len(host.engine.vectors._indexes) == 1
        other.engine.remove(other.context, name)
