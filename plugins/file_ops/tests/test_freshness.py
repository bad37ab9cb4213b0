"""Nothing stale, mixed or escaped, whatever happens on disk between two calls."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from toolroll.runtime import Runtime
from toolroll_file_ops import notices
from toolroll_file_ops.scan import scan

SECRET = "outsidewalrus"
NAMES = st.sampled_from(["a.py", "b.md", "src/c.py", "src/d.txt", "src/deep/e.py", "docs/f.md"])
WORDS = st.sampled_from(["apple", "banana", "cherry", "dragon", "elder", "falcon"])
IGNORED = st.sampled_from(["*.md", "src/", "d.txt", "!src/deep/", "docs/*"])


class Project(RuleBasedStateMachine):
    """Edits, deletes, renames, shrinks and swaps in symlinks; a dict is the model."""

    @initialize()
    def start(self) -> None:
        self.base = Path(tempfile.mkdtemp())
        self.root = self.base / "project"
        self.root.mkdir()
        self.outside = self.base / "outside.py"
        self.outside.write_text(f"{SECRET} = 1\n")
        self.files: dict[str, str] = {}
        self.clock = 1
        self.open()
        self.call("index_collection", collection="p", path=".")

    def open(self) -> None:
        self.runtime = Runtime.open(
            roots=[self.root],
            data_dir=self.base / "data",
            overrides={"file_ops": {"chunk_bytes": 100, "search": {"embedder": "none"}}},
        )

    def teardown(self) -> None:
        if hasattr(self, "runtime"):
            self.runtime.close()
            shutil.rmtree(self.base)

    def call(self, tool: str, /, **arguments: Any) -> Any:
        from toolroll.context import LOCAL

        async def run() -> Any:
            return await self.runtime.caller.call(tool, arguments, LOCAL)

        return anyio.run(run)

    def place(self, path: str) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_symlink():
            place.unlink()
        return place

    @rule(path=NAMES, word=WORDS, lines=st.integers(0, 30))
    def write(self, path: str, word: str, lines: int) -> None:
        text = f"{word} line of {path.replace('/', ' ')}\n" * lines
        self.place(path).write_text(text)
        # A clock of its own: two writes within one tick of the file system must still differ.
        self.clock += 1
        os.utime(self.root / path, ns=(self.clock * 10**9, self.clock * 10**9))
        self.files[path] = text

    @rule(path=NAMES)
    def delete(self, path: str) -> None:
        (self.root / path).unlink(missing_ok=True)
        self.files.pop(path, None)

    @rule(old=NAMES, new=NAMES)
    def rename(self, old: str, new: str) -> None:
        if old in self.files and old != new:
            (self.root / old).rename(self.place(new))
            self.files[new] = self.files.pop(old)

    @rule(path=NAMES)
    def swap_in_a_symlink(self, path: str) -> None:
        place = self.place(path)
        place.unlink(missing_ok=True)
        place.symlink_to(self.outside)
        self.files.pop(path, None)

    @rule()
    def remove_a_directory(self) -> None:
        shutil.rmtree(self.root / "src", ignore_errors=True)
        self.files = {path: text for path, text in self.files.items() if path[:4] != "src/"}

    @rule()
    def restart(self) -> None:
        self.runtime.close()
        self.open()

    @rule(path=NAMES)
    def read(self, path: str) -> None:
        answer = self.call("get_file_content", collection="p", file_path=path)
        if path in self.files:
            assert answer.structured["content"] == self.files[path]
        else:
            assert answer.code in {"FileNotFound", "InvalidPath"}
            assert SECRET not in answer.text

    @rule(path=NAMES)
    def page(self, path: str) -> None:
        answer = self.call("get_file_chunks_ordered", collection="p", file_path=path, limit=50)
        if path in self.files:
            text = "".join(chunk["content"] for chunk in answer.structured["chunks"])
            assert text == self.files[path]

    @rule(word=WORDS)
    def search(self, word: str) -> None:
        answer = self.call("search_vectors", collection="p", query=f"{word} line", limit=100)
        holding = {path for path, text in self.files.items() if word in text}
        found = {hit["payload"]["file_path"] for hit in answer.structured["results"]}
        assert holding <= found <= self.files.keys()
        for hit in answer.structured["results"]:
            assert hit["payload"]["content"] in self.files[hit["payload"]["file_path"]]

    @rule()
    def search_outside(self) -> None:
        answer = self.call("search_vectors", collection="p", query=SECRET)
        assert answer.structured["results"] == []

    @invariant()
    def the_list_is_what_is_on_disk(self) -> None:
        if not hasattr(self, "runtime"):
            return
        listed = self.call("list_files_in_collection", collection="p").structured["files"]
        assert {row["path"]: row["size_bytes"] for row in listed} == {
            path: len(text) for path, text in self.files.items()
        }


TestProject = pytest.mark.marathon(Project.TestCase)
TestProject.settings = settings(
    max_examples=12,
    stateful_step_count=50,
)


def test_an_ignore_file_counts_from_the_moment_it_is_written(host: Any) -> None:
    host.write({"a.py": "apple = 1\n", "b.log": "banana\n", "src/c.log": "cherry\n"})
    host.index()
    assert host.found("banana") == ["b.log"]
    host.write({".gitignore": "*.log\n", "src/.gitignore": "!c.log\n"})
    assert host.found("banana") == []
    assert host.found("cherry") == ["src/c.log"]
    (host.root / ".gitignore").unlink()
    assert host.found("banana") == ["b.log"]


def test_toolrollignore_overrides_gitignore_and_the_defaults(host: Any) -> None:
    host.write(
        {
            ".gitignore": "out/\n",
            ".toolrollignore": "!out/\n!node_modules/\nsecret.txt\n",
            "out/a.txt": "apple\n",
            "node_modules/b.js": "banana\n",
            "secret.txt": "cherry\n",
            ".git/config": "dragon\n",
        }
    )
    host.index()
    found = host.found("apple banana cherry dragon")
    assert sorted(found) == ["node_modules/b.js", "out/a.txt"]


def test_include_and_exclude_choose_and_stay(host: Any) -> None:
    host.write({"a.py": "apple\n", "b.md": "apple\n", "gen/c.py": "apple\n"})
    host.index(include=["*.py"], exclude=["gen/"])
    assert host.found("apple") == ["a.py"]
    assert host.index()["total_files"] == 1
    host.write({"d.md": "apple\n", "e.py": "apple\n"})
    assert host.found("apple") == ["a.py", "e.py"]
    assert host.index(include=[], exclude=[])["total_files"] == 5


def test_a_collection_stays_where_it_is_until_it_is_given_another_path(host: Any) -> None:
    host.write({"a.py": "apple\n", "part/b.py": "apple\n"})
    for path, files in (("part", 1), (None, 1), (".", 2), (None, 2)):
        given = {"path": path} if path else {}
        assert host.call("index_collection", collection="c", **given)["total_files"] == files


@pytest.mark.parametrize("path", ["/", str(Path.home()), str(Path.home().parent)])
def test_directories_that_hold_far_too_much_are_refused(make_host: Any, path: str) -> None:
    host = make_host(root=Path("/"), data=None)
    code, payload = host.answer("index_collection", collection="all", path=path)
    assert code == "InvalidParameter"
    assert "project" in payload["message"]


def test_too_many_files_are_refused(make_host: Any) -> None:
    host = make_host(max_files=3)
    host.write({f"{i}.txt": "x" for i in range(4)})
    code, payload = host.answer("index_collection", collection="p", path=".")
    assert code == "InvalidParameter"
    assert "max_files" in payload["message"]


def test_a_collection_that_grew_too_large_is_refused_by_name(make_host: Any) -> None:
    host = make_host(max_files=3)
    host.write({"a/a.py": "apple\n"})
    host.index()
    host.write({f"{place}/b.py": "banana\n" for place in ("a", "b", "c")})
    for tool, asked in {
        "get_project_outline": {},
        "search_vectors": {"query": "banana"},
    }.items():
        code, payload = host.answer(tool, collection="proj", **asked)
        assert (code, payload["details"]) == ("InvalidParameter", {"parameter": "collection"})
        assert "'proj' holds more than 3 files" in payload["message"]
    (host.root / "b/b.py").unlink()
    assert sorted(host.found("banana")) == ["a/b.py", "c/b.py"]


@pytest.mark.parametrize("most", [0, notices.MOST_TREES])
def test_a_file_made_anew_during_a_look_is_there(
    make_host: Any, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(notices, "MOST_TREES", most)
    host = make_host()
    host.write({"a/a.py": "apple\n", "a/b.py": "banana\n"})
    host.index()
    (host.root / "a/a.py").unlink()

    def made_first(*args: Any, **options: Any) -> Any:
        host.write({"a/a.py": "apple cherry\n"})
        return scan(*args, **options)

    with monkeypatch.context() as during:
        during.setattr("toolroll_file_ops.space.scan", made_first)
        assert host.found("banana")[0] == "a/b.py"
    assert host.found("cherry") == ["a/a.py"]


def test_a_directory_outside_the_roots_is_refused(host: Any, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    for path in (str(tmp_path / "other"), "../other"):
        assert host.answer("index_collection", collection="p", path=path)[0] == "InvalidPath"


def test_a_missing_directory_is_not_taken_for_an_empty_one(host: Any) -> None:
    host.write({"a.py": "apple\n"})
    host.index()
    host.root.rename(host.root.with_name("moved"))
    for tool, asked in {
        "search_vectors": {"query": "apple"},
        "get_file_content": {"file_path": "a.py"},
        "get_file_chunks_ordered": {"file_path": "a.py"},
    }.items():
        for _ in range(2):  # it stays away
            code, payload = host.answer(tool, collection="proj", **asked)
            assert (code, "cannot be read" in payload["message"]) == ("FileNotFound", True)
    assert host.call("list_collections")["collections"][0]["files"] == 1
    host.root.with_name("moved").rename(host.root)
    assert host.found("apple") == ["a.py"]


def test_a_missing_directory_keeps_no_other_collection_from_answering(host: Any) -> None:
    host.write({"here/a.py": "apple = 1\n", "there/b.py": "apple = 2\n"})
    for name in ("here", "there"):
        host.call("index_collection", collection=name, path=name)
    (host.root / "there").rename(host.root / "away")
    found = host.call("intelligent_search", query="apple")
    assert [hit["doc_id"] for hit in found["results"]] == ["a.py#0"]
    brief = host.call("discover", query="apple")
    assert [source["path"] for source in brief["source_files"]] == ["a.py"]
    for counts in (found["metadata"], brief["metrics"]):
        assert (counts["collections_searched"], counts["collections_unreadable"]) == (1, 1)
    code, payload = host.answer("intelligent_search", query="apple", collections=["here", "there"])
    assert (code, payload["details"]) == ("FileNotFound", {"collection": "there"})
    (host.root / "away").rename(host.root / "there")
    (host.root / "here").rename(host.root / "away")
    found = host.call("intelligent_search", query="apple")
    assert [hit["doc_id"] for hit in found["results"]] == ["b.py#0"]
    (host.root / "there").rename(host.root / "gone")
    for tool in ("intelligent_search", "discover"):
        assert host.answer(tool, query="apple")[0] == "FileNotFound"


def test_what_a_look_saw_that_came_to_no_end_is_seen_again(make_host: Any) -> None:
    host = make_host(max_files=3)
    host.write({"a/a.py": "apple\n", "b/b.py": "banana\n"})
    host.index()
    assert host.found("apple") == ["a/a.py"]
    host.write({"a/new.py": "cherry\n", "b/1.py": "date\n", "b/2.py": "date\n", "b/3.py": "date\n"})
    code, payload = host.answer("search_vectors", collection="proj", query="cherry")
    assert (code, "max_files" in payload["message"]) == ("InvalidParameter", True)
    for number in (1, 2, 3):
        (host.root / f"b/{number}.py").unlink()
    assert host.found("cherry") == ["a/new.py"]


def test_a_second_process_sees_what_the_first_indexed(make_host: Any, tmp_path: Path) -> None:
    one, other = make_host(), make_host()
    one.write({"a.py": "apple\n"})
    one.index()
    assert other.found("apple") == ["a.py"]
    one.write({"b.py": "apple banana\n"})
    assert sorted(one.found("banana")) == ["b.py"]
    assert other.found("banana") == ["b.py"]
    other.write({"a.py": "cherry\n"})
    assert one.found("cherry") == ["a.py"]
    assert other.found("apple") == ["b.py"]


def test_an_index_of_another_embedder_or_tokeniser_is_made_anew(
    make_host: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = make_host()
    plain.write({"a.py": "apple = 1\n", "b.py": "banana = 1\n"})
    plain.index()
    host = make_host(search={"embedder": "wordllama"})
    assert host.index()["updated"] == 2
    assert host.index()["unchanged"] == 2
    for module in ("tokens", "lexical.fts5"):
        monkeypatch.setattr(f"toolroll.search.{module}.TOKENIZER_VERSION", 0)
    newer = make_host()
    assert newer.found("banana") == ["b.py"]
    assert newer.index()["unchanged"] == 2


def test_files_cut_by_another_version_or_otherwise_are_cut_anew(
    make_host: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = make_host()
    old.write({"a.py": "def apple(): ...\n", "b.py": "def banana(): ...\n"})
    with monkeypatch.context() as before:
        before.setattr("toolroll_file_ops.prepare.CHUNKER_VERSION", 0)
        before.setattr("toolroll.search.chunks.definitions", lambda data, path: [])
        old.index()
        assert symbols(old) == {"a.py": "", "b.py": ""}
    host = make_host()
    assert "b.py" in host.found("banana")  # a question is enough
    assert symbols(host) == {"a.py": "apple", "b.py": "banana"}
    assert host.index()["unchanged"] == 2
    assert make_host(chunk_bytes=700).index()["updated"] == 2


def symbols(host: Any) -> dict[str, str]:
    """Return the names that are stored of each file."""
    with host.engine.database.reading() as connection:
        asked = "SELECT path, symbols FROM chunks AS c JOIN files AS f ON f.id = c.file_id"
        return dict(tuple(row) for row in connection.exec_driver_sql(asked))


KILLED = """
import os, sys
from pathlib import Path
from toolroll.runtime import Runtime
from toolroll_file_ops import notices
from toolroll_file_ops.scan import scan
from toolroll_file_ops.indexing import index_collection
root, data = sys.argv[1:]
with Runtime.open(roots=[root], data_dir=Path(data),
                  overrides={"file_ops": {"search": {"embedder": "none"}}}) as runtime:
    context = runtime.context("file_ops")
    engine = runtime.registry.packs["file_ops"].pack.engine(context)
    print("ready", flush=True)
    while True:
        for word in ("apple", "banana"):
            for i in range(30):
                Path(root + ".new").write_text(f"{word} words\\n" * 400)
                os.replace(root + ".new", Path(root, f"{i}.txt"))
            index_collection(engine, context, "proj", root, include=None, exclude=None,
                             check=lambda: None, report=lambda *_: print("batch", flush=True))
"""


@pytest.mark.marathon
@pytest.mark.parametrize("batches", [1, 2, 5])
def test_a_kill_while_indexing_and_querying_leaves_whole_files(
    make_host: Any, tmp_path: Path, batches: int
) -> None:
    root, data = tmp_path / "project", tmp_path / "data"
    root.mkdir()
    command = [sys.executable, "-c", KILLED, str(root), str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        host = make_host(root=root, data=data, storage={"busy_timeout_ms": 120_000})
        whole = {f"{word} words\n" * 400 for word in ("apple", "banana")}
        for number in range(batches + 1):
            process.stdout.readline()
            if number:
                assert host.file("get_file_content", f"{number}.txt")["content"] in whole
                hits = host.call("search_vectors", collection="proj", query="banana")["results"]
                for hit in hits:
                    content = hit["payload"]["content"]
                    assert any(content in text for text in whole)
                    assert "banana" in content
        process.kill()
    for path in sorted(root.glob("*.txt")):
        content = host.file("get_file_content", path.name)["content"]
        assert content == path.read_text()
        pages = host.file("get_file_chunks_ordered", path.name, limit=50)["chunks"]
        assert "".join(page["content"] for page in pages) == content
    assert host.index()["unchanged"] == host.index()["total_files"]


def test_what_no_caller_could_name_is_not_indexed(host: Any) -> None:
    named = ["a.py", " lead.py", "a~.py", "sub/~.py", "sub/C:.py", "...", "a..b/c..py"]
    unnamed = ["back\\slash.py", "~tilde.py", "~/x.py", "C:/x.py", "C:x.py", "new\nline.py"]
    host.write(dict.fromkeys([*named, *unnamed], "apple\n"))
    assert host.index()["total_files"] == len(named)
    listed = [
        item["path"] for item in host.call("list_files_in_collection", collection="proj")["files"]
    ]
    assert listed == sorted(named)
    for path in listed:
        assert host.file("get_file_content", path)["content"] == "apple\n"


def test_why_a_file_is_not_there_is_said(host: Any) -> None:
    host.write({".gitignore": "*.log\n", "a.log": "x", "wide.txt": "x".encode("utf-16")})
    (host.root / "link.py").symlink_to("a.log")
    host.index()

    def said(path: str) -> str:
        code, error = host.answer("get_file_content", collection="proj", file_path=path)
        return f"{code}: {error['message']}"

    assert said("a.log").startswith(
        "FileNotFound: collection 'proj' has no file 'a.log': an ignore file"
    )
    assert said("link.py").startswith("InvalidPath: symlinks are not followed: link.py; name")
    assert said(str(host.root / "a.py")).endswith("give it relative to the collection's directory")
    assert said("wide.txt").endswith("it is UTF-16 or UTF-32; convert the file to UTF-8")


def test_files_that_a_caller_may_have_meant_are_named_if_they_are_there(host: Any) -> None:
    host.write(dict.fromkeys(["old/tool.py", "old/pool.py", "new/sub/tool.py", "README.md"], "x"))
    host.index()
    (host.root / "old").rename(host.root / "older")
    for asked, near in {
        "old/tool.py": ["new/sub/tool.py"],
        "new/sub/tol.py": ["new/sub/tool.py"],
        "readme.md": ["README.md"],
        "nothing/like.it": [],
    }.items():
        _, error = host.answer("get_file_content", collection="proj", file_path=asked)
        assert error["details"]["near_matches"] == near
    assert error["message"].endswith("; list_files_in_collection shows those that there are")


def test_what_may_not_be_read_is_skipped_and_said(host: Any) -> None:
    host.write({"a.py": "apple\n", "locked.py": "banana\n", "shut/b.py": "cherry\n"})
    for path in ("locked.py", "shut"):
        (host.root / path).chmod(0)
    if os.access(host.root / "locked.py", os.R_OK):
        pytest.skip("this user may read everything")
    try:
        for added, unchanged in ((1, 0), (0, 1)):
            done = host.index()
            assert (done["added"], done["skipped"], done["total_files"]) == (added, 2, 1)
            assert done["unchanged"] == unchanged
        code, error = host.answer("get_file_content", collection="proj", file_path="locked.py")
        assert (code, "may not read it" in error["message"]) == ("FileNotFound", True)
        code, error = host.answer("get_file_content", collection="proj", file_path="shut/b.py")
        assert (code, "may not look into" in error["message"]) == ("FileNotFound", True)
    finally:
        (host.root / "shut").chmod(0o700)


def test_a_project_that_moved_is_indexed_again_at_no_cost(make_host: Any, tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    host = make_host(root=before)
    host.write({"a.py": "apple\n"})
    host.index()
    host.runtime.close()
    before.rename(after)
    moved = make_host(root=after)
    code, error = moved.answer("search_vectors", collection="proj", query="apple")
    assert (code, "index it again with index_collection" in error["message"]) == (
        "InvalidPath",
        True,
    )
    assert moved.index()["unchanged"] == 1
    assert moved.found("apple") == ["a.py"]
