"""The index after any history of changes equals a fresh one.

A few dozen steps on a small project run by default. `bench/codegraph/README.md` says how the same
machine runs for hundreds of steps on a real one.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import anyio
import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import toolroll
import toolroll_codegraph
from toolroll.context import LOCAL
from toolroll.registry import Source
from toolroll.runtime import Runtime
from toolroll_codegraph import service
from toolroll_codegraph.indexing import edits, indexer, resolution
from toolroll_codegraph.indexing.shifts import line_shift
from toolroll_codegraph.languages.registry import extract, language_of
from toolroll_codegraph.storage.tables import calls, files, functions, relations

if TYPE_CHECKING:
    from conftest import Project


def open_runtime(root: Path, data: Path) -> Runtime:
    known = Source("codegraph", "toolroll-codegraph", "0", lambda: toolroll_codegraph)
    return Runtime.open(roots=[root], data_dir=data, sources=lambda: [known])


SAMPLE = Path(toolroll_codegraph.__file__).parent
PROJECT = os.environ.get("TOOLROLL_CODEGRAPH_PROJECT")
STEPS = int(os.environ.get("TOOLROLL_CODEGRAPH_STEPS", "48"))
STEPS_OF_A_HISTORY = 12 if PROJECT is None else 50
LANGUAGES = ("python", "javascript", "typescript", "ruby")
EXTRA = {
    "web/a.js": "import { b } from './b.js';\nexport function a() { b(); }\n",
    "web/b.js": "export function b() {}\n",
    "web/Page.vue": "<template><Part @go='a(1)'/></template>\n<script setup lang='ts'>\n"
    "import { a } from './a.js';\nimport Part from './Part.svelte';\n</script>\n",
    "web/Part.svelte": "<script>\nimport { b } from './b.js';\n</script>\n{#if b()}\n<i/>\n{/if}\n",
    "web/a.test.js": "import { a } from './a.js';\na();\n",
    "lib/x.rb": "class X\n  def go; step; end\nend\n",
    "lib/y.rb": "class X\n  def step; end\nend\n",
    "app/helpers/x_helper.rb": "module XHelper\n  def name; X.new.go; end\nend\n",
    "app/controllers/xes_controller.rb": (
        "class XesController < ApplicationController\n  helper_method :found\n"
        "  def show; @x = X.new; end\n  def found; @x; end\nend\n"
    ),
    "app/views/xes/show.html.erb": "<p><%= name %></p>\n<%= render 'row', row: found %>\n",
    "app/views/xes/_row.html.erb": "<% @x.go %>\n<%= row.step %>\n",
    "tests/test_x.py": "from walk import walk\n\ndef test_walk():\n    walk(None, None)\n",
}
EDITS = (
    lambda text: text + "\n",
    lambda text: "\n\n" + text,
    lambda text: text[: len(text) // 2],
    lambda text: text.replace("self", "this_one"),
    lambda text: text.replace("return ", "return not ", 1),
    lambda text: text.replace("import ", "import no_", 1),
    lambda text: text.replace("def ", "def new_"),
    lambda text: text.replace("\n    def ", "\n    # a comment\n    def "),
    lambda text: re.sub(r"\b(\w+)(?= = )", r"\1_", text, count=1),
    lambda text: re.sub(r"\b(result|found|value|name|row)\b", r"\1_", text),
    lambda text: text + "\ndef appended():\n    return appended()\n",
    lambda text: text,
)


class History(RuleBasedStateMachine):
    """Edits, moves, removals and other settings, each followed by an index run."""

    @initialize()
    def start(self) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="toolroll-codegraph-"))
        self.root = self.scratch / "root"
        unwanted = shutil.ignore_patterns("__pycache__", ".*")
        if PROJECT is not None:
            shutil.copytree(PROJECT, self.root, ignore=unwanted)
        else:
            for part in ("queries", "storage"):
                shutil.copytree(SAMPLE / part, self.root / part, ignore=unwanted)
        for path, text in EXTRA.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        self.runtime = open_runtime(self.root, self.scratch / "data")
        self.languages: tuple[str, ...] = LANGUAGES
        self.include_tests = True
        self.provisionally = False
        self.count = 0
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(edits, "QUICK", 0)

    def _files(self) -> list[Path]:
        return sorted(
            path
            for path in self.root.rglob("*.*")
            if path.is_file() and language_of(path.name) is not None
        )

    @rule(which=st.integers(0, 999), edit=st.sampled_from(EDITS))
    def edit(self, which: int, edit: Any) -> None:
        found = self._files()
        file = found[which % len(found)]
        text = file.read_bytes().decode("utf-8", "surrogateescape")
        file.write_bytes(edit(text).encode("utf-8", "surrogateescape"))

    @rule(which=st.integers(0, 999), other=st.integers(0, 999))
    def move(self, which: int, other: int) -> None:
        found = self._files()
        file, beside = found[which % len(found)], found[other % len(found)]
        self.count += 1
        file.rename(beside.with_name(f"moved{self.count}{file.suffix}"))

    @rule(which=st.integers(0, 999))
    def remove(self, which: int) -> None:
        found = self._files()
        if len(found) > 3:
            found[which % len(found)].unlink()

    @rule(which=st.integers(0, 999))
    def add(self, which: int) -> None:
        found = self._files()
        file = found[which % len(found)]
        self.count += 1
        shutil.copy(file, file.with_name(f"copy{self.count}{file.suffix}"))

    @rule(languages=st.sets(st.sampled_from(LANGUAGES), min_size=1), tests=st.booleans())
    def ask_otherwise(self, languages: set[str], tests: bool) -> None:
        self.languages = tuple(sorted(languages))
        self.include_tests = tests

    @rule(provisionally=st.booleans())
    def edit_as_in_a_host(self, provisionally: bool) -> None:
        self.provisionally = provisionally

    @invariant()
    def index_equals_a_fresh_one(self) -> None:
        context = self.runtime.context("codegraph")
        try:
            self._index(context, provisionally=self.provisionally)
        except toolroll.ToolError:
            return  # no file of these languages is left: the index stays as it was
        service.reconcile(context, self.root, service.reconciliation(context, self.root))
        with open_runtime(self.root, self.scratch / f"fresh{self.count}") as fresh:
            other = fresh.context("codegraph")
            counts = self._index(other)
            assert _content(context.database) == _content(other.database)
        assert self._index(context, provisionally=self.provisionally) == counts
        shutil.rmtree(self.scratch / f"fresh{self.count}")

    def _index(
        self, context: toolroll.PackContext, *, provisionally: bool = False
    ) -> dict[str, int]:
        """Index, and return the counts of the whole index."""
        answer = service.index(
            context, self.root, self.languages, include_tests=self.include_tests,
            provisionally=provisionally,
        )  # fmt: skip
        return answer.stats.model_dump(exclude={"duration_ms", "files_changed", "files_removed"})

    def teardown(self) -> None:
        if hasattr(self, "runtime"):
            self.patch.undo()
            self.runtime.close()
            shutil.rmtree(self.scratch)


def _content(database: Any) -> dict[str, list[tuple[Any, ...]]]:
    columns = {
        "files": [files.c.path, files.c.language, files.c.digest, files.c.parse_errors,
                  files.c.reason, files.c.graph_digest, files.c.size, files.c.modified],
        "functions": list(functions.c), "calls": list(calls.c), "relations": list(relations.c),
    }  # fmt: skip
    with database.read() as session:
        return {
            name: sorted(tuple(row) for row in session.execute(sa.select(*wanted)))
            for name, wanted in columns.items()
        }


History.TestCase.settings = settings(
    max_examples=max(1, STEPS // STEPS_OF_A_HISTORY),
    stateful_step_count=STEPS_OF_A_HISTORY,
)
TestHistory = pytest.mark.marathon(History.TestCase)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"^def ", "# a comment\n\ndef "),
        (r'^    """(?=[A-Z])', '    """Said otherwise.\n\n    '),
        (r"\brelated\b", "connected"),
    ],
    ids=["comments", "docstrings", "a local variable"],
)
def test_an_edit_that_moves_no_value_needs_no_new_resolution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, replacement: str
) -> None:
    root = tmp_path / "root"
    shutil.copytree(SAMPLE / "storage", root, ignore=shutil.ignore_patterns("__pycache__"))
    file = root / "store.py"
    with open_runtime(root, tmp_path / "data") as known:
        service.index(known.context("codegraph"), root, ["python"], include_tests=True)
        text = file.read_text()
        file.write_text(re.sub(pattern, replacement, text, flags=re.M))
        assert file.read_text() != text
        with monkeypatch.context() as patched:
            patched.delattr(resolution.Resolver, "start")
            service.index(known.context("codegraph"), root, ["python"], include_tests=True)
        with open_runtime(root, tmp_path / "fresh") as fresh:
            service.index(fresh.context("codegraph"), root, ["python"], include_tests=True)
            assert _content(known.context("codegraph").database) == _content(
                fresh.context("codegraph").database
            )


CLASSES = {
    "shapes.py": (
        "class Shape:\n    def __init_subclass__(cls):\n        return measure()\n\n\n"
        "def measure():\n    return 1\n\n\nclass Square(Shape):\n    pass\n"
    ),
    "shapes.rb": (
        "module Shape\n  def self.included(owner); measure; end\n  def self.measure; end\nend\n"
        "class Square\n  include Shape\n  prepend Comparable\n  extend Enumerable\nend\n"
        "using Shape\n"
        "class Odd < StandardError\n  def initialize; super; end\nend\n"
        "def check\n  raise Odd\nrescue Odd\n  raise\nend\ncheck\n"
    ),
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_file_that_begins_with_a_class_may_begin_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    file = root / name
    file.write_text(CLASSES[name])
    with open_runtime(root, tmp_path / "data") as known:
        service.index(known.context("codegraph"), root, LANGUAGES, include_tests=True)
        moved = re.sub(r"^(?=class|  include)", "# More.\n\n", CLASSES[name], flags=re.M)
        file.write_text(moved + "# The end.\n")
        with monkeypatch.context() as patched:
            patched.delattr(resolution.Resolver, "start")
            service.index(known.context("codegraph"), root, LANGUAGES, include_tests=True)
        with open_runtime(root, tmp_path / "fresh") as fresh:
            service.index(fresh.context("codegraph"), root, LANGUAGES, include_tests=True)
            content = _content(known.context("codegraph").database)
            assert content == _content(fresh.context("codegraph").database)
            assert content["calls"]


FIRST = {
    "views.py": (
        "tails",
        "from django.views import View\n\n\nclass Show(View):\n    form = Form\n"
        "    names = ['get', 'shop.jobs.send']\n\n    def get(self, key):\n"
        "        return self.find(key)\n\n    def find(self, key):\n        return render(key)\n",
    ),
    "merged.py": ("calls", "one = make()\ntwo = {**one, 'b': 2}\ntwo.pop('a')\n"),
    "show.rb": (
        "tails",
        "class Show\n  include Finding\n  def get(key)\n    find(key)\n  end\n"
        "  def find(key)\n    render(key)\n  end\nend\n",
    ),
    "loud.rb": (
        "relations",
        "module Loud\n  def speak\n    super + mark\n  end\n  def mark\n    '!'\n  end\nend\n"
        "class Dog\n  prepend Loud\n  singleton_class.prepend Loud\n  def speak\n"
        "    @said&.gsub('w') { |it| raise(it) } || 'woof'\n  end\n"
        "  def method_missing(name)\n    name.to_s.end_with?('?') ? speak : super\n  end\nend\n"
        "Dog.new.barks?\n",
    ),
    "app/views/show.html.erb": (
        "relations",
        "<%= each_of(@row) do |it| %><p><%= it %></p>\n  <%= name if it.name %>\n<% end %>\n"
        "<%= render 'row', row: name do %><% end %>\n",
    ),
    "row.ts": (
        "relations",
        "interface Has<T> { it: T }\ntype Both<T, U = T> = Has<T> | Has<U>;\n"
        "type Each<T> = { [K in keyof T]: Has<T[K]> };\n"
        "class Row<T extends Has<T>> {\n  one!: Both<T>; all!: Each<T>;\n"
        "  get(): T { return this.one.it; }\n}\nnew Row<any>().get();\n",
    ),
    "card.vue": (
        "calls",
        "<script>\nexport default { methods: { save() {} } }\n</script>\n"
        "<template>\n  <b v-for='row in rows' @click='save(row)'/>\n</template>\n",
    ),
    "card.svelte": (
        "calls",
        "<script lang='ts'>\nexport let onsave: () => void;\nexport let rows = [];\n</script>\n"
        "{#each rows as row}\n  <b on:click={onsave}>{row.show()}</b>\n{/each}\n",
    ),
    "again.js": (
        "relations",
        "const emit = process.emit;\nprocess.emit = function () { return emit(); };\n"
        "module.exports = process;\n",
    ),
}
"""What of a file's facts a line before it could change, and the file."""


@pytest.mark.parametrize("name", FIRST)
def test_where_a_file_begins_changes_no_more_of_its_facts_than_lines(name: str) -> None:
    (kind, text), language = FIRST[name], language_of(name) or ""
    source = text.encode()
    facts = extract(name, language, source)
    assert getattr(facts, kind)
    for count in range(1, 41):  # any of which may be the number of a slot, too
        assert line_shift(facts, extract(name, language, b"\n" * count + source)), count


def test_worker_processes_index_a_large_project_just_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    shutil.copytree(SAMPLE / "storage", root, ignore=shutil.ignore_patterns("__pycache__"))
    contents: list[dict[str, list[tuple[Any, ...]]]] = []
    for least, many in ((resolution.LARGE, indexer.MANY), (0, 0)):
        monkeypatch.setattr(resolution, "LARGE", least)
        monkeypatch.setattr(indexer, "MANY", many)
        with open_runtime(root, tmp_path / f"data{least}") as runtime:
            context = runtime.context("codegraph")
            service.index(context, root, ["python"], include_tests=True)
            contents.append(_content(context.database))
    assert contents[0] == contents[1]
    assert contents[0]["calls"]


def test_an_edit_leaves_the_other_languages_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    shutil.copytree(SAMPLE / "storage", root, ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in EXTRA.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    resolved: list[set[str]] = []

    start = resolution.Resolver.start

    def watch(self: resolution.Resolver, families: Any, *others: Any) -> None:
        resolved.append(set(families))
        start(self, families, *others)

    monkeypatch.setattr(resolution.Resolver, "start", watch)
    with open_runtime(root, tmp_path / "data") as known:
        context = known.context("codegraph")
        service.index(context, root, LANGUAGES, include_tests=True)
        with (root / "web/b.js").open("a") as script:
            script.write("b();\n")
        (root / "lib/y.rb").unlink()
        stats = service.index(context, root, LANGUAGES, include_tests=True).stats
        assert resolved == [{"python", "ruby", "scripts"}, {"ruby", "scripts"}]
        (root / "package.json").write_text('{"name": "web"}')
        service.index(context, root, LANGUAGES, include_tests=True)
        assert resolved[2:] == [{"scripts"}]
        with open_runtime(root, tmp_path / "fresh") as fresh:
            other = fresh.context("codegraph")
            again = service.index(other, root, LANGUAGES, include_tests=True).stats
            assert _content(context.database) == _content(other.database)
    counts = ("files_indexed", "functions_indexed", "classes_indexed", "calls_indexed")
    assert [getattr(stats, name) for name in counts] == [getattr(again, name) for name in counts]


@pytest.mark.parametrize("provisionally", [False, True])
def test_a_prefix_that_changes_in_another_file_leads_requests_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, provisionally: bool
) -> None:
    if provisionally:
        monkeypatch.setattr(resolution, "LARGE", 0)
    root = tmp_path / "root"
    root.mkdir()
    for name in ("users", "admin"):
        (root / f"{name}.py").write_text(
            "from fastapi import APIRouter\nrouter = APIRouter()\n"
            f"@router.get('/people/{{key}}')\ndef {name}(key): pass\n"
        )
    main = (
        "from fastapi import FastAPI\nimport admin, users\napp = FastAPI()\n"
        "app.include_router(users.router, prefix='/one')\n"
        "app.include_router(admin.router, prefix='/two')\n"
    )
    (root / "main.py").write_text(main)
    (root / "test_main.py").write_text("def test_it(client): client.get('/one/people/1')\n")
    with open_runtime(root, tmp_path / "data") as known:
        context = known.context("codegraph")
        before = service.index(context, root, ["python"], include_tests=True)
        for text in (main.replace("one", "three"), main.replace("one", "two"), main[:-60], main):
            (root / "main.py").write_text(text)
            service.index(context, root, ["python"], include_tests=True,
                          provisionally=provisionally)  # fmt: skip
            service.reconcile(context, root, service.reconciliation(context, root))
            with open_runtime(root, tmp_path / f"fresh{hash(text)}") as fresh:
                other = fresh.context("codegraph")
                after = service.index(other, root, ["python"], include_tests=True)
                assert _content(context.database) == _content(other.database)
        assert after.stats.calls_indexed == before.stats.calls_indexed


@pytest.mark.parametrize("extends", ['"./config/base"', '["./config/none", "./config/base.json"]'])
def test_what_a_configuration_extends_is_compared_too(project: Project, extends: str) -> None:
    project.write("lib/math.ts", "export function add() {}\n")
    project.write(
        "app/main.ts", "import { add } from '@lib/math'\nexport const run = () => add()\n"
    )
    project.write("tsconfig.json", f'{{"extends": {extends}}}')
    base = '{"compilerOptions": {"baseUrl": "..", "paths": {"%s/*": ["lib/*"]}}}'
    callers: list[list[str]] = []
    for name in ("@other", "@lib", "@other"):
        project.write("config/base.json", base % name)
        project.index("typescript")
        callers.append(project.callers("add"))
    assert callers == [[], ["app/main.ts::run"], []]


def test_progress_only_ever_grows_up_to_the_end(project: Project) -> None:
    for number in range(300):
        project.write(f"f{number}.py", "def f(): pass\n" * 100)
    heard: list[tuple[float, float | None]] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total))

    arguments = {"project_path": str(project.root)}
    anyio.run(project.runtime.caller.call, "index_code_graph", arguments, LOCAL, hear)
    assert heard == sorted(set(heard))
    assert heard[-1] == (302, 302)
    assert 2 < len(heard) < 20  # a few thousand small files are no flood of messages


def test_what_another_release_stored_is_made_anew(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a.py", "def f(): pass\n")
    assert [project.index()["files_changed"] for _ in range(2)] == [1, 0]
    monkeypatch.setattr("toolroll_codegraph.indexing.comparison.MADE_BY", "another")
    assert [project.index()["files_changed"] for _ in range(2)] == [1, 0]


def test_the_counts_of_a_run_are_of_files_that_the_index_has_or_had(project: Project) -> None:
    binary = b"a = 1\0\n"
    project.write("a.py", "def f(): pass\n")
    project.write("b.py", binary)
    told = [project.index("python")]
    project.write("a.py", binary)
    project.write("c.py", "def g(): pass\n")
    told.append(project.index("python"))
    (project.root / "b.py").unlink()
    told.append(project.index("python"))
    counts = ("files_indexed", "files_skipped", "files_changed", "files_removed")
    assert [tuple(stats[name] for name in counts) for stats in told] == [
        (1, 1, 1, 0),
        (1, 2, 1, 1),
        (1, 1, 0, 0),
    ]


def test_who_waits_for_another_index_is_told_what_for(project: Project) -> None:
    """Another host on the same data."""
    project.write("a.py", "def f(): pass\n")
    sources = [item.source for item in project.runtime.registry.packs.values()]
    with Runtime.open(
        roots=[project.root],
        data_dir=project.runtime.data_dir,
        overrides={"codegraph": {"index_timeout": 0.01}},
        sources=lambda: sources,
    ) as other:
        impatient = type(project)(project.root, other)
        with project.context.locks.project(f"codegraph:{project.root}"):
            told = impatient.call("index_code_graph")
        assert told["error"] == (
            "another call is indexing this project, and was for 0.01 s; call again"
        )
        assert impatient.index()["files_changed"] == 1


def test_a_lock_that_nobody_can_have_is_no_other_call(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(key: str, timeout: float = 0) -> NoReturn:
        raise toolroll.ResourceBusy("the database server is away; try again") from OSError()

    monkeypatch.setattr(project.context.locks, "project", away)
    project.write("a.py", "def f(): pass\n")
    assert project.call("index_code_graph")["error"] == "the database server is away; try again"
