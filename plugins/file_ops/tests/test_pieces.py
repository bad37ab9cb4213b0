"""The smaller parts: imports, numbers, paths, expansion, commands, the watcher, the demo."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from sqlalchemy import insert

import toolroll
from toolroll.search.languages import language_name
from toolroll_file_ops.commands import group
from toolroll_file_ops.demo import show
from toolroll_file_ops.engine import Engine
from toolroll_file_ops.expansion import expanded
from toolroll_file_ops.file_paths import check_file_path
from toolroll_file_ops.import_graph import ImportGraph
from toolroll_file_ops.imports import Import, imports_of, module_name
from toolroll_file_ops.numbers import ranged, whole
from toolroll_file_ops.outline import key_reason
from toolroll_file_ops.tables import Collection
from toolroll_file_ops.watching import Watching, watch_until

if TYPE_CHECKING:
    from conftest import Host


@pytest.mark.parametrize(
    ("path", "language", "text", "target"),
    [
        ("app/main.py", "python", "from app.db import Session\n", "app/db.py"),
        ("app/main.py", "python", "from app.db import (\n    Session,  # (x)\n)\n", "app/db.py"),
        ("app/main.py", "python", "from app import (\n    x,\n    db as d,\n)\n", "app/db.py"),
        ("app/main.py", "python", "from app import x, \\\n    db\n", "app/db.py"),
        ("app/main.py", "python", "import os, app.db as db\n", "app/db.py"),
        ("app/main.py", "python", "from .db import Session\n", "app/db.py"),
        ("app/main.py", "python", "from . import db\n", "app/db.py"),
        ("app/main.py", "python", "from . import version\n", "app/__init__.py"),
        ("app/main.py", "python", "import app.sub\n", "app/sub/__init__.py"),
        ("web/a.ts", "typescript", "import { x } from './b'\n", "web/b.ts"),
        ("web/a.ts", "typescript", "import {\n  x,\n} from '.'\n", "web/index.ts"),
        ("web/a.ts", "typescript", "import { x } from './b.js'\n", "web/b.ts"),
        ("web/a.ts", "typescript", "import x from '@/lib/tool'\n", "src/lib/tool.ts"),
        ("web/a.js", "javascript", "const b = require('../lib/tool.js')\n", "lib/tool.js"),
        ("src/a.rs", "rust", "use crate::parser::Node;\n", "src/parser.rs"),
        ("src/a.rs", "rust", "use crate::{\n  x::{self, Y},\n  parser::Node,\n};", "src/parser.rs"),
        ("src/lib.rs", "rust", "pub(crate) mod parser;\n", "src/parser.rs"),
        ("x/A.java", "java", "import com.acme.Tool;\n", "com/acme/Tool.java"),
        ("x/A.kt", "kotlin", "import com.acme.Tool as T\n", "com/acme/Tool.java"),
        ("x/A.scala", "scala", "import com.acme.{Box => B, Tool}\n", "com/acme/Tool.scala"),
        ("A.cs", "csharp", "global using static Acme.Tool;\n", "Acme/Tool.cs"),
        ("a.php", "php", "use App\\Models\\{Post, User};\n", "app/App/Models/User.php"),
        ("a.php", "php", "require_once __DIR__ . '/lib/x.php';\n", "lib/x.php"),
        ("cmd/a.go", "go", 'import (\n\tj "example.com/me/mod/inner/json"\n)\n', "inner/json/x.go"),
        ("a.c", "c", '#include "b/c.h"\n', "b/c.h"),
        ("src/a.c", "c", '#include "b/c.h"\n', "include/b/c.h"),
        ("a.rb", "ruby", "require_relative 'lib/tool'\n", "lib/tool.rb"),
        ("a.rb", "ruby", "  autoload :Tool, 'x/tool'\n", "lib/x/tool.rb"),
        ("a.lua", "lua", "local t = require('x.tool')\n", "x/tool.lua"),
        ("README.md", "markdown", "See [it](docs/x.md).\n", "docs/x.md"),
    ],
)
def test_imports_lead_to_files(path: str, language: str, text: str, target: str) -> None:
    paths = {path, target, "other/zzz.py"}
    assert ImportGraph(paths).targets(path, text, language) == {target}


@pytest.mark.parametrize(
    ("path", "text", "target", "others"),
    [
        # a name beside the file is another than the one above
        ("a/b/c.py", "from ..tool import x\n", "a/tool.py", ["a/b/tool.py"]),
        ("a/b/c.ts", "import x from '../tool'\n", "a/tool.ts", ["a/b/tool.ts"]),
        # what shares a name up to its first dot is another file
        (
            "u/user.module.ts",
            "import { UserService } from './user.service'\n",
            "u/user.service.ts",
            ["u/user.controller.ts", "u/user.service.spec.ts", "u/user.ts"],
        ),
        ("x.c", '#include "reader.h"\n', "reader.h", ["reader.c"]),
        # a package is no place to import from, nor are other languages' files
        ("app/main.py", "import json\n", None, ["app/__init__.py", "app/json.py"]),
        ("app/main.py", "import http\n", None, ["src/http.c", "docs/http.md"]),
        ("lib/a.js", "const fs = require('fs')\n", None, ["lib/util/fs.js"]),
        ("a/b.go", 'import "net/http"\n', None, ["http/x.go"]),
    ],
)
def test_imports_lead_to_no_other_file(
    path: str, text: str, target: str | None, others: list[str]
) -> None:
    graph = ImportGraph([path, *others, *([target] if target else [])])
    assert graph.targets(path, text, language_name(path)) == ({target} if target else set())


@pytest.mark.parametrize(
    ("files", "source", "related"),
    [
        (
            {
                "go.mod": "module example.com/me/app // ours\n\ngo 1.22\n",
                "cmd/main.go": 'import (\n\t"example.com/me/app"\n\t"example.com/you/x/json"\n)\n',
                "app.go": "package app\n",
                "json/json.go": "package json\n",
            },
            "cmd/main.go",
            "app.go",
        ),
        (
            {
                "go.mod": "module app\n",
                "cmd/main.go": 'import "app/db"\n',
                "db/db.go": "package db\n",
                "x/app/db/no.go": "package db\n",
            },
            "cmd/main.go",
            "db/db.go",
        ),
        (
            {
                "tools/go.mod": "module example.com/tools/v2\n",
                "tools/run/a.go": 'import "example.com/tools/v2/lint"\n',
                "tools/lint/lint.go": "package lint\n",
                "lint/other.go": "package lint\n",
            },
            "tools/run/a.go",
            "tools/lint/lint.go",
        ),
        (
            {
                "go.mod": "module example.com/app\n",
                "a.go": 'import "example.com/you/x"\n',
                "vendor/example.com/you/x/x.go": "package x\n",
                "x/x.go": "package x\n",
            },
            "a.go",
            "vendor/example.com/you/x/x.go",
        ),
        (
            {
                "packages/app/pubspec.yaml": "name: app\nversion: 1.0.0\n",
                "packages/app/bin/main.dart": "import 'package:app/src/door.dart';\n"
                "import 'package:http/http.dart';\nimport 'dart:io';\n",
                "packages/app/lib/src/door.dart": "var x = 1;\n",
                "packages/app/lib/http.dart": "var y = 1;\n",
                "lib/src/door.dart": "var z = 1;\n",
            },
            "packages/app/bin/main.dart",
            "packages/app/lib/src/door.dart",
        ),
        (
            {
                "packages/gate/package.json": '{"name": "@app/gate", "main": "./dist/index.js"}',
                "packages/gate/src/index.ts": "export const x = 1;\n",
                "packages/door/main.ts": "import { x } from '@app/gate';\nimport 'vite';\n",
                "packages/vite/index.ts": "export const y = 1;\n",
                "other/gate.ts": "export const z = 1;\n",
            },
            "packages/door/main.ts",
            "packages/gate/src/index.ts",
        ),
        (
            {
                "gate/package.json": '{"name": "app", "main": "lib/start.js"}',
                "gate/lib/start.js": "exports.x = 1;\n",
                "gate/index.js": "exports.y = 1;\n",
                "door/main.js": "const { x } = require('app');\n",
            },
            "door/main.js",
            "gate/lib/start.js",
        ),
        (
            {
                "gate/package.json": '{"name": "app"}',
                "gate/src/bolt.ts": "export const x = 1;\n",
                "door/main.ts": "import { x } from 'app/bolt';\n",
                "zzz/app/bolt.ts": "export const y = 1;\n",
                "bad/package.json": "{",
                "worse/package.json": "[]",
            },
            "door/main.ts",
            "gate/src/bolt.ts",
        ),
    ],
)
def test_imports_by_a_module_s_own_name_lead_into_the_collection(
    host: Host, files: dict[str, str], source: str, related: str
) -> None:
    host.write(files)
    host.index()
    found = host.call("get_related_files", collection="proj", file_path=source)
    assert [row["path"] for row in found["related_files"]] == [related]
    manifests = ("go.mod", "pubspec.yaml", "package.json")
    for path in [path for path in files if path.endswith(manifests)]:  # what changes is read again
        host.write({path: files[path].replace("app", "zzz").replace("tools", "zzz")})
    found = host.call("get_related_files", collection="proj", file_path=source)
    left = [row["path"] for row in found["related_files"]]
    assert related.startswith("vendor/") or related not in left


def test_what_imports_a_file_is_related_however_unlike_it_is(host: Host) -> None:
    host.write({"app/numbers.py": "def ranged(low, high):\n    return low < high\n"})
    host.write({"docs/numbers.md": "numbers\n" * 9, "app/in.py": "y = 1\n"})
    unlike = '"""Bake bread and cakes in the oven every morning."""\n' * 5
    host.write({"app/bakery.py": f"from app.numbers import (\n    ranged,\n)\n\n{unlike}"})
    host.index()
    found = host.call(
        "get_related_files",
        collection="proj",
        file_path="app/numbers.py",
        similarity_threshold=0,
    )
    reasons = {row["path"]: row["reason"] for row in found["related_files"]}
    assert "imports the source file" in reasons["app/bakery.py"]
    alone = host.call("get_related_files", collection="proj", file_path="app/in.py")
    assert alone["source_file"] == "app/in.py"


def test_files_share_names_and_no_words_of_their_language(host: Host) -> None:
    text = "class Gate:\n    def pull(self):\n        return None if True else lift_bar(self)\n"
    host.write(
        {"gates.py": text, "b.py": f'from gates import Gate\n"""Where it returns."""\n{text}'}
    )
    host.index()
    found = host.call(
        "get_related_files", collection="proj", file_path="b.py", similarity_threshold=0
    )
    (row,) = found["related_files"]
    assert row["shared_concepts"] == ["Gate", "lift_bar", "pull"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b/c.py", ["b", "c"]),
        ("c.test.ts", ["c"]),
        ("a/b/__init__.py", ["a", "b"]),
        ("b/index.ts", ["b"]),
        ("index.ts", ["index"]),
    ],
)
def test_an_import_names_a_file_by_its_module(path: str, name: list[str]) -> None:
    assert module_name(path) == name


def test_numbers_are_whole_and_in_range() -> None:
    assert whole(3.0, "limit", 1, 5) == 3
    for value in (0, 6, 2.5, float("nan"), float("inf"), 10**400, -(10**400)):
        with pytest.raises(toolroll.ToolError, match="limit"):
            whole(value, "limit", 1, 5)
    assert whole(1_234_567, "offset", 0) == 1_234_567
    for value, text in ((1_234_567, "got 1234567"), (10**400, "got a number above 1e15")):
        with pytest.raises(toolroll.ToolError, match=text):
            whole(value, "limit", 1, 5)
    assert ranged(1, "t", 0, 1) == 1
    with pytest.raises(toolroll.ToolError, match="t"):
        ranged(1.01, "t", 0, 1)


def test_a_path_has_one_form() -> None:
    assert check_file_path("./src//a\\b.py") == "src/a/b.py"
    for path in ("..", "a/../b", "a\\..\\b", "~/x", "/x", "C:\\x", "", " ", "a\0"):
        with pytest.raises(toolroll.InvalidPath):
            check_file_path(path)


def test_expansion_adds_what_was_not_said() -> None:
    assert expanded("db config") is not None
    assert "database" in (expanded("db config") or "").split()
    assert "db" not in (expanded("db config") or "").split()
    assert expanded("walrus") is None


def test_key_files_are_told_by_exact_names() -> None:
    assert key_reason("docs/README.md")
    assert key_reason("LICENSE")
    assert key_reason("domain.rs") is None
    assert key_reason("README_old/x.py") is None
    assert key_reason("packages/core/index.js")
    assert key_reason("test/fixtures/transport/index.js") is None
    assert key_reason("examples/one/package.json") is None


def run(host: Any, *arguments: str) -> Any:
    pack = host.runtime.registry.packs["file_ops"].pack
    return CliRunner().invoke(group(pack), arguments, obj=host.context)


def test_commands_index_list_search_and_remove(host: Any) -> None:
    host.write({"a.py": "def apple(): ...\n", "b.md": "# Banana\n"})
    done = run(host, "index", str(host.root), "--collection", "proj", "--json")
    assert json.loads(done.stdout)["total_files"] == 2
    host.write({"c.txt": b"caf\xe9"})
    again = run(host, "index", str(host.root), "-c", "proj")
    assert "2 unchanged" in again.stdout
    assert "not indexed: c.txt: byte 3 is not UTF-8" in again.stderr
    assert "proj\t.\t2 files" in run(host, "list").stdout
    assert "a.py:1-1" in run(host, "search", "proj", "apple").stdout
    assert run(host, "remove", "proj").exit_code == 0
    assert "no collections yet" in run(host, "list").stdout
    failed = run(host, "search", "proj", "apple")
    assert failed.exit_code == 1
    assert "index_collection" in failed.output


def test_what_is_stored_of_everybodys_collections_is_told_and_removed(
    host: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = host.runtime.registry.packs["file_ops"].pack
    assert pack.holdings(host.context) == []
    host.write({"a.py": "def apple(): ...\n"})
    run(host, "index", str(host.root), "-c", "proj")
    with host.context.database.begin() as session:
        session.execute(insert(Collection).values(tenant="t" * 64, name="theirs", path="/no"))
    held = {one.name: one for one in pack.holdings(host.context)}
    assert (held["proj"].directory, held["proj"].size) == (str(host.root), 25)
    assert (held["theirs"].tenant, held["theirs"].used) == ("t" * 64, None)
    monkeypatch.setattr("toolroll_file_ops.engine.DROP_SECONDS", 0.01)
    with host.context.locks.project(f"index-{host.engine.visible(host.context)[0].id}"):
        assert "is being indexed; try again later" in run(host, "remove", "proj").output
    monkeypatch.undo()
    for one in held.values():
        pack.release(host.context, one)
    assert pack.holdings(host.context) == []


def test_declared_collections_are_indexed_and_watched(make_host: Any, tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text("apple\n")
    host = make_host(root=root, collections=[{"name": "proj", "path": ".", "exclude": ["*.log"]}])
    pack = host.runtime.registry.packs["file_ops"].pack
    watching = Watching(pack)
    (worker,) = watching.workers()
    assert worker.step(host.context)
    assert host.found("apple") == ["a.py"]
    nothing = make_host(data=tmp_path / "none")
    assert not Watching(pack).step(nothing.context)


@pytest.mark.parametrize(
    ("parameter", "other"), [("path", "inner"), ("include", ["*.md"]), ("exclude", [])]
)
def test_what_the_settings_declare_is_changed_there_alone(
    make_host: Any, parameter: str, other: object
) -> None:
    host = make_host(collections=[{"name": "proj", "path": ".", "exclude": ["*.log"]}])
    host.write({"a.py": "apple\n", "b.log": "apple\n", "inner/c.md": "apple\n"})
    code, told = host.answer("index_collection", collection="proj", **{parameter: other})
    assert (code, told["details"]) == ("InvalidParameter", {"parameter": parameter})
    assert "[[file_ops.collections]]" in told["message"]
    assert host.call("index_collection", collection="proj")["total_files"] == 2
    assert host.index(exclude=["*.log"])["unchanged"] == 2


def test_a_command_finds_a_declared_collection_where_the_settings_have_it(make_host: Any) -> None:
    host = make_host(collections=[{"name": "part", "path": "inner"}])
    host.write({"a.py": "apple\n", "inner/b.py": "apple\n"})
    assert "part: 1 file," in run(host, "index", "--collection", "part").output


def test_globs_that_no_file_matches_are_named(host: Any) -> None:
    host.write({"a.py": "apple\n", "src/b.py": "apple\n"})
    done = host.index(include=["*.py", "/src", "*.ts", "lib/", "!a.py"])
    assert (done["total_files"], done["unmatched_include"]) == (1, ["*.ts", "lib/"])
    told = run(host, "index", "--collection", "proj").output
    assert "Warning: no file matches --include *.ts\n" in told


def test_a_declared_collection_that_is_not_there_keeps_no_other_out(
    make_host: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text("apple\n")
    names = {"outside": str(tmp_path / "nowhere"), "late": "late", "proj": "."}
    declared = [{"name": name, "path": path} for name, path in names.items()]
    host = make_host(root=root, watch=False, collections=declared)
    watching = Watching(host.runtime.registry.packs["file_ops"].pack)
    for _ in range(2):
        assert not watching.step(host.context)
    assert host.found("apple") == ["a.py"]
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2  # once for each
    assert "'outside' is not indexed: path is outside the allowed roots" in said[0]
    assert "'late' is not indexed" in said[1]


@pytest.fixture
def untold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that is out of watches."""

    def watch(*_: object, **__: object) -> Iterator[set[object]]:
        raise OSError("file watch limit reached")
        yield set()

    monkeypatch.setattr("watchfiles.watch", watch)


@pytest.mark.usefixtures("untold")
def test_a_worker_that_is_told_of_no_changes_rests_between_looks(
    make_host: Any, caplog: pytest.LogCaptureFixture
) -> None:
    host = make_host(collections=[{"name": "proj", "path": "."}])
    watching = Watching(host.runtime.registry.packs["file_ops"].pack)
    assert [watching.step(host.context) for _ in range(3)] == [False] * 3
    (said,) = [record.getMessage() for record in caplog.records]
    assert "file watch limit reached" in said
    assert "max_user_watches" in said


@pytest.mark.usefixtures("untold")
def test_a_command_that_is_told_of_no_changes_looks_for_them(
    host: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolroll_file_ops.watching.LOOK_SECONDS", 0.01)
    host.index()
    space = host.engine.space(host.engine.visible(host.context)[0])
    stop, said = threading.Event(), list[str]()

    def warn(message: str) -> None:
        said.append(message)
        host.write({"new.py": "banana\n"})

    watch_until(stop, [space], stop.set, warn)
    assert len(said) == 1
    assert "new.py" in space.files


def test_commands_say_what_they_cannot_do(host: Any) -> None:
    host.write({"a.py": "apple\n", "odd(1)/b.py": "banana\n"})
    host.index()
    unnamed = run(host, "index", str(host.root / "odd(1)"))
    assert (unnamed.exit_code, "choose with --collection" in unnamed.output) == (2, True)
    blank = run(host, "search", "proj", "  ")
    assert (blank.exit_code, "is empty" in blank.output) == (1, True)
    assert "nothing found" in run(host, "search", "proj", "zebra").output


@pytest.mark.parametrize("text", ["*", ".", "*.", "../x", "a/b", "x" * 40])
def test_what_is_no_extension_is_refused(host: Any, text: str) -> None:
    host.write({"Makefile": "build:\n"})
    host.index()
    arguments = {"collection": "proj", "query": "build"}
    assert (
        host.answer("search_by_file_type", file_types=[text], **arguments)[0] == "InvalidParameter"
    )
    found = host.call("search_by_file_type", file_types=[""], **arguments)
    assert [row["file_path"] for row in found["results"]] == ["Makefile"]


def test_the_name_of_a_language_stands_for_its_extensions(host: Host) -> None:
    host.write({"a.py": "x = 1\n", "b.pyi": "x: int\n", "c.json": "{}\n", "d.jsonl": "{}\n"})
    host.index()

    def listed(*types: str) -> list[str]:
        found = host.call("list_files_in_collection", collection="proj", filter_by_type=[*types])
        return [file["path"] for file in found["files"]]

    assert listed("Python") == ["a.py", "b.pyi"]
    assert listed("json") == ["c.json"]
    assert listed("py", "jsonl") == ["a.py", "d.jsonl"]
    found = host.call("search_by_file_type", collection="proj", file_types=["python"], query="x")
    assert {row["file_path"] for row in found["results"]} == {"a.py", "b.pyi"}


def test_files_are_listed_in_the_order_that_is_asked_for(host: Host) -> None:
    lines = "".join(f"a line of words {i}\n" for i in range(600))
    host.write({"a.md": "# A\n", "b.min.js": "x=1;" * 9000, "c.txt": lines, "d.md": "# D\n\nd\n"})
    host.index()
    found = {
        key: host.call("list_files_in_collection", collection="proj", sort_by=key)["files"]
        for key in ("name", "size", "chunks")
    }
    sizes = [file["size_bytes"] for file in found["size"]]
    chunks = [file["chunk_count"] for file in found["chunks"]]
    assert [file["path"] for file in found["name"]] == ["a.md", "b.min.js", "c.txt", "d.md"]
    assert sizes == sorted(sizes, reverse=True)
    assert chunks == sorted(chunks, reverse=True)
    assert [file["path"] for file in found["size"]] != [file["path"] for file in found["chunks"]]


def test_a_collection_is_declared_once(make_host: Any) -> None:
    twice = [{"name": "proj", "path": "."}, {"name": "proj", "path": "src"}]
    with pytest.raises(toolroll.SettingsError, match="declares 'proj' more than once"):
        make_host(collections=twice)


def test_watching_indexes_changes_until_it_is_stopped(host: Any) -> None:
    host.write({"a.py": "apple\n"})
    host.index()
    engine = host.engine
    place = engine.visible(host.context)[0]
    space = engine.space(place)
    stop, seen = threading.Event(), threading.Event()

    def done() -> None:
        seen.set()
        stop.set()

    thread = threading.Thread(target=watch_until, args=(stop, [space], done, print))
    thread.start()
    until = time.monotonic() + 120
    while not seen.wait(0.1) and time.monotonic() < until:  # the watcher may not stand yet
        host.write({"b.py": f"banana{time.monotonic()}\n"})
    stop.set()
    thread.join(120)
    assert seen.is_set()
    assert "b.py" in space.files


def test_what_changed_before_the_watch_stood_is_indexed(host: Any) -> None:
    host.write({"a.py": "apple\n"})
    host.index()
    space = host.engine.space(host.engine.visible(host.context)[0])
    host.write({"early.py": "banana\n"})
    stop = threading.Event()
    thread = threading.Thread(target=watch_until, args=(stop, [space], stop.set, print))
    thread.start()
    until = time.monotonic() + 120
    while "early.py" not in space.files and time.monotonic() < until:
        stop.wait(0.05)
    stop.set()
    thread.join(120)
    assert "early.py" in space.files


class Recorder:
    """A tour that calls the host and keeps what is said."""

    def __init__(self, host: Any) -> None:
        self.host = host
        self.root = host.root
        self.called: set[str] = set()
        self.said: list[str] = []

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        self.called.add(tool)
        return self.host.call(tool, **arguments)

    def command(self, *arguments: str) -> str:
        raise AssertionError("the demo needs no command")

    def say(self, text: str) -> None:
        self.said.append(text)

    def table(self, title: str, columns: Any, rows: Any) -> None:
        self.said.append(f"{title} {rows}")


@pytest.mark.parametrize(
    "files",
    [
        {"README.md": "# Tool\n\nInstall it with pip and run it once.\n", "main.py": "x = 1\n"},
        {"only.txt": "words\n"},
    ],
)
def test_the_demo_calls_the_tools_on_any_project(host: Any, files: dict[str, str]) -> None:
    host.write(files)
    tour = Recorder(host)
    show(tour)
    tools = host.runtime.registry.packs["file_ops"].pack.tools()
    assert tour.called == {tool.name for tool in tools}
    assert tour.said


def test_the_demo_ends_where_there_is_no_text(host: Any) -> None:
    host.write({"image": b"\0"})
    with pytest.raises(toolroll.NothingToShow, match="no text file"):
        show(Recorder(host))


def test_the_rate_limit_counts_by_operation_and_collection_and_recovers(make_host: Any) -> None:
    now = [0.0]
    host = make_host(rate_limit_per_second=5)
    host.write({"a.txt": "x", "b/a.txt": "y"})
    host.index()
    host.call("index_collection", collection="other", path="b")
    pack = host.runtime.registry.packs["file_ops"].pack
    pack._engines[host.context.database] = Engine(host.context, clock=lambda: now[0])

    def code(tool: str, collection: str) -> str:
        return host.answer(tool, collection=collection, file_path="a.txt")[0]

    assert [code("get_file_content", "proj") for _ in range(6)] == [""] * 5 + ["RateLimited"]
    assert code("get_file_summary", "proj") == code("get_file_content", "other") == ""
    _, payload = host.answer("get_file_content", collection="proj", file_path="a.txt")
    assert payload["details"] == {"retry_after_ms": 200}
    now[0] += 0.2
    assert [code("get_file_content", "proj") for _ in range(2)] == ["", "RateLimited"]


def started(tmp_path: Path, count: int) -> list[str]:
    """Make a project of so many files; return the command that indexes it."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "toolroll.toml").write_text('[file_ops.search]\nembedder = "none"\n')
    for number in range(1, count):
        (root / f"{number}.py").write_text(f"def f{number}():\n    return {number}\n")
    options = ["--root", str(root), "--data-dir", str(tmp_path / "data")]
    return [sys.executable, "-m", "toolroll", "file_ops", *options, "index", str(root)]


INTERRUPTED = """
import os, signal
import click
from toolroll.cli.main import main

echo = click.echo

def once(text, **options):
    click.echo = echo
    echo(text, **options)
    os.killpg(0, signal.SIGINT)  # as a terminal does, to all of its foreground group

click.echo = once
main()
"""
"""The command line, interrupted as soon as it has said something."""


@pytest.mark.marathon
def test_an_interrupt_from_the_terminal_stops_and_the_next_run_goes_on(tmp_path: Path) -> None:
    count = 600  # enough for the files to be prepared in another process
    command = started(tmp_path, count)
    interrupted = [sys.executable, "-c", INTERRUPTED, *command[3:]]
    done = subprocess.run(interrupted, stderr=subprocess.PIPE, start_new_session=True, check=False)
    said = done.stderr.decode()
    assert said.startswith("indexed ")
    assert done.returncode == 1
    assert "stopped; what is indexed stays" in said
    assert "Traceback" not in said
    again = subprocess.run([*command, "--json"], capture_output=True, check=True)
    found = json.loads(again.stdout)
    assert found["unchanged"] >= 100
    assert found["added"] + found["unchanged"] == found["total_files"] == count


@pytest.mark.marathon
def test_no_process_outlives_an_index_run_that_is_killed(tmp_path: Path) -> None:
    command = started(tmp_path, 600)
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.readline()
        process.kill()
        process.stderr.read()  # ends when the last process that holds it has ended
    again = subprocess.run([*command, "--json"], capture_output=True, check=True)
    assert json.loads(again.stdout)["total_files"] == 600


@pytest.mark.parametrize(
    ("line", "language", "names"),
    [
        ("    from a.b import c, d", "python", [("a", "b", "c"), ("a", "b", "d"), ("a", "b")]),
        ("\x0cimport a.b", "python", [("a", "b")]),
        ('\t"x.org/a/b"', "go", [("x.org", "a", "b")]),
        ("  require 'a/b'", "ruby", [("a", "b")]),
        ('  # include "a/b.h"', "c", [("a", "b.h")]),
    ],
)
def test_imports_are_found_behind_any_number_of_blank_lines(
    line: str, language: str, names: list[tuple[str, ...]]
) -> None:
    # with a pattern that runs over line ends this took minutes
    found: list[Import] = imports_of("\n" * 200_000 + line + "\r\n", language)
    assert [item.parts for item in found] == names


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("from a import (" * 20_000, "python"),
        ("from a import (\n" * 20_000, "python"),
        ("use a::{" * 20_000, "rust"),
        ("use a::{\n" * 20_000, "rust"),
        ("use " + "a::{" * 4000 + ";", "rust"),
        ("use A\\{\n" * 20_000, "php"),
        ("import 'a" * 20_000, "javascript"),
        ('import x "a.' * 20_000, "go"),
    ],
)
def test_statements_that_never_end_take_no_longer(text: str, language: str) -> None:
    assert len(imports_of(text, language)) < 30_000
