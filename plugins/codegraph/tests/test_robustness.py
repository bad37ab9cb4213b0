"""Odd, broken and hostile input: no crash, no hang, and a count of what was left out."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.indexing.parsing import parse_file
from toolroll_codegraph.indexing.source import Unsuitable, to_utf8
from toolroll_codegraph.languages.registry import extract, is_test
from toolroll_codegraph.resolve import solver
from toolroll_codegraph.resolve.graph import resolve
from toolroll_codegraph.resolve.python import PythonRules
from toolroll_codegraph.resolve.slots import Slots
from toolroll_codegraph.resolve.solver import Solver

if TYPE_CHECKING:
    from conftest import Edges, Project
    from toolroll_codegraph.resolve.calls import Call, Listener

FILES = {"python": "a.py", "javascript": "a.js", "typescript": "a.ts", "ruby": "a.rb"}
PIECES = (
    "def f(", "class A", "(", ")", "{", "}", "[", "]", ":", "=", "=>", "->", "|", "&", "*", "**",
    "lambda", "yield", "await", "async ", "import ", "from ", "require", "export ", "default ",
    "end", "do", "if ", "else", "for ", " in ", " of ", "try", "except", "catch", "rescue", "@",
    "self", "this", "super", "new ", "return ", "x", "y.z", "'s'", '"t"', "`u${v}`", "#", "//",
    "\n", "\n    ", "\t", ",", ".", "?.", "...", "<A/>", "::", "1", "<<~X\n", "\u00e9",
)  # fmt: skip


@pytest.mark.marathon
@pytest.mark.parametrize("language", FILES)
@settings(max_examples=150)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_token_soup_is_resolved(language: str, pieces: list[str]) -> None:
    path = FILES[language]
    source = " ".join(pieces).encode("utf-8", "replace")
    graph = resolve([(path, extract(path, language, source))])
    assert graph.program.paths == [path]


def test_values_that_make_values_without_end_are_left(
    edges: Edges, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter = PythonRules.enter

    def endless(rules: PythonRules, call: Call, function: int, receiver: int) -> None:
        def again(value: int, listener: Listener) -> None:
            slot = rules.solver.slot()
            rules.solver.listen(slot, (again, slot))
            rules.solver.add(slot, rules.solver.literal(ObjectKind.SEQUENCE))

        enter(rules, call, function, receiver)
        again(-1, (again, -1))

    monkeypatch.setattr(PythonRules, "enter", endless)
    source = "def a(): pass\nclass B:\n    def b(self): a()\nB().b()\n"
    assert edges(source) == {("<module>", "B.b"), ("B.b", "a")}


def test_who_waits_for_a_member_is_asked_once_for_each_who_gets_it(edges: Edges) -> None:
    tagged = "".join(
        f"function p{i + 1}(it) {{ return p{i}(it); }}\n"
        f"const o{i} = {{}}; use(o{i}); tag(p{i}(o{i}));\n"
        for i in range(40)
    )
    source = f"""
class Odd {{ go() {{}} }}
class Even {{ constructor() {{ this.isThing = true; }} go() {{}} }}
function isThing(x) {{ return x && x.isThing || isOther(x); }}
function isOther(x) {{ return x && x.isThing; }}
function use(x) {{ if (isThing(x)) x.go(); }}
use(new Odd()); use(new Even());
function tag(it) {{ it.isThing = true; }}
function p0(it) {{ return it; }}
{tagged}"""
    called = {callee for caller, callee in edges(source, suffix=".js") if caller == "use"}
    assert called == {"isThing", "Even.go"}


CALLS = {
    "python": """
def wrap(f):
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner
class A:
    def __init__(self, x): self.x = x
    @wrap
    def m(self): return [self.x() for _ in map(self.m, ())]
A(wrap).m()
""",
    "javascript": """
class A { constructor(x) { this.x = x } m() { return [1].map(() => this.x()) } }
new A(() => 1).m().then(f => f())
""",
    "ruby": """
class A
  def initialize(x) = @x = x
  def m = [1].map { |i| @x.call(i) }
end
A.new(->(i) { i }).m
""",
}
CALLS["typescript"] = CALLS["javascript"]


@pytest.mark.parametrize("language", FILES)
def test_a_host_that_resolves_again_and_again_does_not_grow(language: str) -> None:
    path = FILES[language]
    assert resolve([(path, extract(path, language, CALLS[language].encode()))]).edges
    gc.collect()
    assert not [item for item in gc.get_objects() if type(item) is Solver]


@pytest.mark.parametrize("language", FILES)
@pytest.mark.parametrize("pair", ["()", "[]", "{}"])
def test_ten_thousand_levels_of_nesting(project, language: str, pair: str) -> None:
    name = FILES[language].replace("a.", "deep.")
    opening, closing = (("\n".join([sign * 100] * 100)) for sign in pair)
    project.write(name, f"x = {opening}{closing}\n")
    other = {"python": "def f(): pass\n", "ruby": "def f; end\n"}.get(language, "function f() {}\n")
    project.write(FILES[language], other)
    assert project.index(language)["files_indexed"] == 2
    assert project.callers("f") == []


def test_what_is_no_source_is_left_out_and_counted(project) -> None:
    project.write("good.js", "function f() {}\n")
    project.write("bundle.js", "var a=1;" * 300_000)
    project.write("line.js", "x();" * 20_000)
    project.write("app.min.js", "function z(){}")
    project.write("binary.js", b"\0\1\2" * 100)
    stats = project.index("javascript")
    assert stats["files_indexed"] == 1
    assert stats["files_skipped"] == 4


def test_encodings(project) -> None:
    project.write("latin.py", "# -*- coding: latin-1 -*-\ndef caf\xe9(): pass\n".encode("latin-1"))
    project.write("wrong.py", b"def bad(): return '\xff\xfe\x80'\n")
    project.write("bom.py", b"\xef\xbb\xbfdef marked(): pass\n")
    project.write("wide.py", "def wide(): pass\n".encode("utf-16"))
    project.write("wider.py", "def wider(): pass\n".encode("utf-32"))
    project.write("crlf.py", b"def a():\r\n    pass\r\n\r\ndef b():\r\n    a()\r\n")
    project.write("cr.py", b"# old\rdef c():\r    pass\r\rdef d():\r    c()\r")
    assert project.index()["functions_indexed"] == 9
    assert project.callers("café") == []
    assert project.callers("a") == ["crlf.py::b"]
    context = project.call("get_function_context", function_name="c")["context"]
    assert context["function"]["start_line"] == 2
    assert [caller["call_lines"] for caller in context["callers"]] == [[6]]


def test_links_that_loop_or_lead_outside(project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("def secret(): pass\n")
    project.write("pkg/a.py", "def f(): pass\n")
    (project.root / "pkg" / "loop").symlink_to(project.root)
    (project.root / "away").symlink_to(outside)
    (project.root / "secret.py").symlink_to(outside / "secret.py")
    (project.root / "again.py").symlink_to(project.root / "pkg" / "a.py")
    assert project.index()["files_indexed"] == 1


def test_names_that_nobody_could_ask_for_are_left_out(project) -> None:
    project.write("a.py", "def f(): pass\n")
    for name in (b"b\xff.py", b"c\xff/d.py", b"e\x1b[1m.py", b"g\n.py"):
        try:
            project.write(os.fsdecode(name), "def g(): pass\n")
        except OSError:
            pytest.skip("this file system takes no such name")
    assert project.index()["files_indexed"] == 1
    assert project.callers("f") == []


def test_packages_called_as_what_tools_build(project) -> None:
    project.write("src/build/__init__.py", "def make(): pass\n")
    project.write("src/build/env/__init__.py", "")
    project.write("build/lib/copy.py", "def make(): pass\n")
    project.write("src/main.py", "from build import make\ndef main(): make()\n")
    assert project.index()["files_indexed"] == 3
    assert project.callers("make") == ["src/main.py::main"]


@pytest.mark.parametrize("line", ["!", "[z-a]", "\\"])
def test_a_malformed_line_of_gitignore_is_left_out_alone(project, line: str) -> None:
    project.write(".gitignore", f"a.py\n{line}\nb.py\n")
    for name in ("a.py", "b.py", "c.py"):
        project.write(name, "def f(): pass\n")
    assert project.index()["files_indexed"] == 1


def test_ignore_files_above_the_project_count_in_its_repository(project) -> None:
    project.write(".git/info/exclude", "late.py\n")
    project.write(".gitignore", "made/\n/part/top.py\n")
    for name in ("a.py", "late.py", "top.py", "made/b.py", "kept/made/c.py"):
        project.write(f"part/{name}", "def f(): pass\n")
    project.write("part/kept/.gitignore", "!made/\n")
    part = str(project.root / "part")
    arguments = {"languages": ["python"], "include_tests": True}
    answer = project.call("index_code_graph", project_path=part, **arguments)
    assert answer["stats"]["files_indexed"] == 2, answer


def test_further_worktrees_are_copies_and_submodules_are_none(project) -> None:
    project.write(".git/index", "")
    project.write(".git/worktrees/late/gitdir", f"{project.root}/.trees/late/.git\n")
    project.write(".trees/late/.git", f"gitdir: {project.root}/.git/worktrees/late\n")
    project.write("part/.git", "gitdir: ../.git/modules/part\n")
    for name in ("a.py", "part/b.py", ".trees/late/a.py"):
        project.write(name, "def f(): pass\n")
    assert project.index()["files_indexed"] == 2


def test_ignore_files_that_are_no_files(project) -> None:
    project.write("a/x.py", "def f(): pass\n")
    project.write("b/x.py", "def f(): pass\n")
    project.write("rules", "x.py\n")
    os.mkfifo(project.root / "a" / ".gitignore")
    (project.root / "b" / ".gitignore").symlink_to("../rules")
    assert project.index()["files_indexed"] == 2


def test_a_file_that_cannot_be_read_is_counted(project) -> None:
    project.write("a.py", "def f(): pass\n")
    file = project.write("b.py", "def g(): pass\n")
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("this user may read everything")
    stats = project.index()
    assert (stats["files_indexed"], stats["files_skipped"]) == (1, 1)


def test_a_file_is_read_as_soon_as_it_may_be(project, monkeypatch) -> None:
    project.write("a.py", "def f(): pass\n")
    os.utime(project.write("b.py", "def g(): pass\n"), (0, 0))
    opened = Path.open  # not chmod: root may read everything

    def refused(path: Path, *given: Any, **named: Any) -> Any:
        if path.name == "b.py":
            raise PermissionError
        return opened(path, *given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refused)
        for changed in (1, 0):
            stats = project.index()
            assert (stats["files_indexed"], stats["files_skipped"]) == (1, 1)
            assert stats["files_changed"] == changed
    stats = project.index()
    assert (stats["files_indexed"], stats["files_skipped"], stats["files_changed"]) == (2, 0, 1)


def test_directories_that_cannot_be_read_are_counted(project, monkeypatch) -> None:
    project.write("a.py", "def f(): pass\n")
    project.write("kept/b.py", "def g(): pass\n")
    scan = os.scandir
    shut = {project.root / "kept"}

    def scandir(path: str) -> Any:  # not chmod: root may read everything
        if Path(path) in shut:
            raise PermissionError
        return scan(path)

    monkeypatch.setattr("toolroll_codegraph.indexing.walk.os.scandir", scandir)
    stats = project.index()
    assert (stats["files_indexed"], stats["files_skipped"]) == (1, 1)
    shut.add(project.root)
    arguments = {"languages": ["python"], "include_tests": True}
    assert project.call("index_code_graph", **arguments) == {
        "success": False, "error": "No code files found; 1 directory may not be read"
    }  # fmt: skip
    shut.clear()
    stats = project.index()
    assert (stats["files_indexed"], stats["files_skipped"]) == (2, 0)


def test_a_file_that_is_too_large() -> None:
    with pytest.raises(Unsuitable):
        to_utf8("a.py", b"x" * 2_000_001)


def test_of_a_file_that_is_too_large_only_the_beginning_is_read(tmp_path: Path) -> None:
    with (tmp_path / "a.py").open("wb") as file:
        file.truncate(10**12)  # more than any memory, and nothing on disk
    assert parse_file(str(tmp_path), "a.py", "python").reason == "larger than 2000000 bytes"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/a.py", True), ("a/spec/b.rb", True), ("src/test_a.py", True), ("a_test.py", True),
        ("conftest.py", True), ("a.spec.ts", True), ("a.test.jsx", True), ("a_spec.rb", True),
        ("src/testing.py", False), ("contest.py", False), ("latest/a.py", False),
    ],
)  # fmt: skip
def test_what_counts_as_a_test(path: str, expected: bool) -> None:
    assert is_test(path) is expected


def test_thousands_of_nested_functions_have_short_names(project) -> None:
    """Names that hold the names of all enclosing functions would take hundreds of megabytes."""
    opened = "\n".join(f"function level{number}() {{" for number in range(3_000))
    project.write("deep.js", opened + "\n" + "}\n" * 3_000)
    assert project.index("javascript")["functions_indexed"] == 3_000
    found = project.call("get_function_context", function_name="level2999")
    name = found["context"]["function"]["qualified_name"]
    assert name.endswith("level2998.level2999")
    assert len(name) < 1_000


def test_programs_without_a_suffix_are_code_by_their_first_line(project) -> None:
    project.write("shop.py", "def buy(): pass\n")
    project.write("lib/shop.rb", "def buy\nend\n")
    project.write("bin/notes", "#!/usr/bin/env python3\nimport shop\nshop.buy()\n")  # no program
    programs = {
        "bin/sell": "#!/usr/bin/env python3\nimport shop\ndef main(): shop.buy()\nmain()\n",
        "bin/rsell": "#! /usr/bin/ruby3.1 -w\nrequire_relative '../lib/shop'\n"
        "def rmain\n  buy\nend\nrmain\n",
        "bin/jsell": "#!/usr/bin/env -S node --no-warnings\n"
        "function jmain() { jbuy() }\nfunction jbuy() {}\n",
        "bin/sh": "#!/bin/sh\n# python3\n",
        "bin/other": "#!/usr/bin/pythonish\n",
    }
    for path, text in programs.items():
        project.write(path, text).chmod(0o755)
    assert project.index("python", "ruby", "javascript")["files_indexed"] == 5
    assert project.callers("main") == ["bin/sell::<module>"]
    assert project.callers("shop.buy") == ["bin/sell::main"]
    assert project.callers("rmain") == ["bin/rsell::<module>"]
    assert project.callers("lib/shop.rb::buy") == ["bin/rsell::rmain"]
    assert project.callers("jbuy") == ["bin/jsell::jmain"]
    (project.root / "bin/sell").chmod(0o644)
    assert project.index("python", "ruby", "javascript")["files_removed"] == 1


TOO_DEEP = {
    "python": ("y = ({}1{})\ndef f(): g()\ndef g(): pass\n", "(\n", "\n)"),
    "javascript": ("y = {}1{};\nfunction f() {{ g() }}\nfunction g() {{}}\n", "[\n", "\n]"),
    "ruby": ("y = {}1{}\ndef f = g\ndef g = 1\n", "[\n", "\n]"),
}
TOO_DEEP["typescript"] = TOO_DEEP["javascript"]


@pytest.mark.parametrize("language", FILES)
def test_a_statement_nested_too_deeply_is_left_out_alone(project, language: str) -> None:
    text, opening, closing = TOO_DEEP[language]
    opening = opening.replace("(", "f(")
    project.write(FILES[language], text.format(opening * 10_000, closing * 10_000))
    stats = project.index(language)
    assert (stats["functions_indexed"], stats["parse_errors"]) == (2, 1)
    assert project.callers("g") == [f"{FILES[language]}::f"]


LONG_CHAINS = {
    "python": ("class C0:\n def m(self): pass\n", "class C{1}(C{0}): pass\n", "C{0}().m()\n"),
    "javascript": (
        "class C0 {{ m() {{}} }}\n",
        "class C{1} extends C{0} {{}}\n",
        "new C{0}().m()\n",
    ),
    "ruby": (
        "module C0; def m; end; end\n",
        "module C{1}; include C{0}; end\n",
        "class A; include C{0}; end; A.new.m\n",
    ),
}
LONG_CHAINS["typescript"] = LONG_CHAINS["javascript"]


@pytest.mark.parametrize("language", FILES)
@pytest.mark.parametrize(("count", "found"), [(100, True), (10_000, False)])
def test_classes_that_derive_from_each_other(language: str, count: int, found: bool) -> None:
    """As many as anybody writes are all asked; of more, some."""
    first, each, last = LONG_CHAINS[language]
    chain = "".join(each.format(number, number + 1) for number in range(count))
    source = first.format() + chain + last.format(count)
    path = FILES[language]
    graph = resolve([(path, extract(path, language, source.encode()))])
    assert (
        any(graph.program.qualified_name(callee).endswith(".m") for _, callee in graph.edges)
        is found
    )


def test_a_class_amid_a_long_chain_is_not_cut_short_for_those_above_it(edges) -> None:
    first, each, last = LONG_CHAINS["python"]
    chain = "".join(each.format(number, number + 1) for number in range(300))
    found = edges(first.format() + chain + last.format(300) + last.format(200))
    assert ("<module>", "C0.m") in found


def test_thousands_of_decorators(edges) -> None:
    text = "def d(f):\n  def w(*a): return f(*a)\n  return w\n{}def f(): pass\nf()\n"
    assert ("d.w", "f") in edges(text.format("@d\n" * 10_000))


COMMENTS = {
    "python": ("def f():\n  g()\n", "  # no\n\n", "  h()\n"),
    "javascript": ("function f() { g(); h() }\n", "/* no\n", ""),
    "ruby": ("def f\n g\n h\nend\n", "=begin\n no\n", ""),
}
COMMENTS["typescript"] = COMMENTS["javascript"]


@pytest.mark.parametrize("language", FILES)
def test_a_hundred_thousand_comments_are_read_in_seconds(project, language: str) -> None:
    """Parsers look for the end of open comments, and in Python for what follows, for each again."""
    before, comment, after = COMMENTS[language]
    end = {"python": "def {0}(): pass\n", "ruby": "def {0}; end\n"}.get(
        language, "function {0}() {{}}\n"
    )
    both = end.format("g") + end.format("h")
    project.write(FILES[language], both + before + comment * 100_000 + after)
    assert project.index(language)["functions_indexed"] == 3
    assert project.callers("g") == project.callers("h") == [f"{FILES[language]}::f"]


def test_a_number_sign_in_a_text_begins_no_comment() -> None:
    """Before 3.11.5 Python's own expressions lose their place in possessive groups."""
    texts = b'"""One\n"""\nB = f("""\n    JOIN x (a, b)""")\nTWO = """\n    a <#> f(b), c"""\n'
    code = b'C = (\n    g(f"a {b}")  # one\n)\n'
    assert extract("a.py", "python", texts + code).parse_errors == 0


def test_rows_of_comments_that_end_as_on_windows_are_read_once(project) -> None:
    note = "# note\r\n"
    lines = "def f(): pass\r\n", note * 190, "def g(): f()\r\n", note * 24, "x = 1\r\n"
    project.write("main.py", "".join(lines))
    assert project.index("python")["functions_indexed"] == 2
    assert project.callers("f") == ["main.py::g"]


def test_a_proxy_may_make_a_text_of_itself(project) -> None:
    """What stands behind a special method calls it again, for what may be the proxy."""
    project.write(
        "main.py",
        "from functools import partial\n"
        "class Lookup:\n    def __init__(self, f): self.f = f\n"
        "    def __get__(self, proxy, owner): return partial(self.f, proxy.current())\n"
        "class Proxy:\n    def __init__(self, get): self.get = get\n"
        "    def current(self): return self.get()\n"
        "    __str__ = Lookup(str)\n    __repr__ = Lookup(repr)\n"
        "class Shown:\n    def __str__(self): return ''\n"
        "def inner(): return Proxy(shown)\ndef shown(): return Shown()\n"
        "def get(): return Proxy(inner)\ndef main(): str(Proxy(get))\n",
    )
    project.index("python")
    assert project.callers("Shown.__str__") == ["main.py::main"]
    assert project.callers("Lookup.__get__") == ["main.py::main"]


def test_what_no_parser_comes_through_in_time_is_left_out(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take minutes for a hundred kilobytes of this."""
    monkeypatch.setattr("toolroll_codegraph.languages.grammar._SECONDS", 0.2)
    project.write("a.ts", "function f() {}\n" + "&& =  typeof  ;\n" * 5_000)
    project.write("b.ts", "function f() {}\n" * 5_000)
    stats = project.index("typescript")
    assert (stats["files_indexed"], stats["files_skipped"]) == (1, 1)


def test_a_file_that_cannot_be_understood_keeps_no_other_out(
    project, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(path: str, language: str, source: bytes) -> object:
        if path == "odd.py":
            raise KeyError(path)
        return extract(path, language, source)

    monkeypatch.setattr("toolroll_codegraph.indexing.parsing.extract", fail)
    project.write("odd.py", "def f(): pass\n")
    project.write("a.py", "def g(): pass\n")
    stats = project.index()
    assert (stats["files_indexed"], stats["files_skipped"]) == (1, 1)
    assert "left out odd.py: not understood: KeyError" in caplog.text


@pytest.mark.parametrize("text", ["alias a b private\n", "alias a # c\n b\n", "alias\n"])
def test_broken_aliases(text: str) -> None:
    assert resolve([("a.rb", extract("a.rb", "ruby", text.encode()))]).program.paths == ["a.rb"]


@pytest.mark.parametrize("piece", ["\\", '"""\\', '\\"', "'''", '"""x\\\n', "(\n", "#", "'\\\n'"])
def test_broken_python_is_read_once(piece: str) -> None:
    source = f'def f(:\n  g("""{piece * 30_000}\n'
    assert extract("a.py", "python", source.encode()).parse_errors


def test_slots_hold_fewer_values_when_too_many_have_moved(
    edges: Edges, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = "".join(f"def f{number}(): pass\n" for number in range(20))
    every = ", ".join(f"f{number}" for number in range(20))
    source = f"{functions}def run(call): call()\nfor item in [{every}]: run(item)\n"
    assert len({callee for caller, callee in edges(source) if caller == "run"}) == 20
    monkeypatch.setattr(solver, "_MOST_MOVES", 10)
    assert 1 < len({callee for caller, callee in edges(source) if caller == "run"}) <= 6


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every call of `odd` raise."""
    enter = PythonRules.enter

    def wrong(rules: PythonRules, call: Call, function: int, receiver: int) -> None:
        if rules.solver.program.qualified_name(function) == "odd":
            raise KeyError("odd")
        enter(rules, call, function, receiver)

    monkeypatch.setattr(PythonRules, "enter", wrong)


FAULTY = (
    "def odd(): pass\ndef fine(): pass\ndef main(f):\n    f()\n    odd()\n    fine()\nmain(odd)\n"
)


@pytest.mark.usefixtures("fault")
def test_a_fault_of_a_rule_costs_the_call_and_not_the_index(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    project.write("a.py", FAULTY)
    project.write("b.py", "from a import fine\ndef other(): fine()\n")
    stats = project.index()
    assert (stats["files_indexed"], stats["functions_indexed"]) == (2, 4)
    assert project.callers("fine") == ["a.py::main", "b.py::other"]
    (said,) = {record.getMessage() for record in caplog.records}
    assert said.startswith(
        "some calls of python may be missing, please report this fault: "
        "KeyError at test_robustness.py:"
    )
    assert said.endswith("'odd' (2 times)")


@pytest.mark.usefixtures("fault")
def test_faults_come_through_where_they_are_not_contained(edges: Edges) -> None:
    with pytest.raises(KeyError):
        edges(FAULTY)


def test_what_fails_everywhere_is_a_fault_of_the_whole(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*_: object) -> None:
        raise KeyError("everywhere")

    monkeypatch.setattr(PythonRules, "enter", wrong)
    calls = "".join(f"def f{i}(): pass\nf{i}()\n" for i in range(200))
    project.write("a.py", calls)
    with pytest.raises(AssertionError, match="failed inside"):
        project.index()


def test_what_the_global_object_lacks_is_no_value(edges, monkeypatch) -> None:
    added: list[int] = []
    original = Slots.add

    def add(self: Slots, slot: int, value: int) -> None:
        added.append(value)
        original(self, slot, value)

    monkeypatch.setattr(Slots, "add", add)
    edges({"a.js": "function f(key) { window.none[key](); }\nf('x');\n"})
    assert min(added) >= 0


def test_code_that_is_not_read_is_counted(project: Project) -> None:
    """Who asks for the callers of a function should know of those that nobody has looked at."""
    for path in (
        "app.py", "tests/test_app.py", "web/main.ts", "web/App.mdx", "web/Box.mdx",
        "web/main.test.ts", "tests/App.mdx", "lib/run.rb", "cmd/main.go", "web/types.d.ts",
        "notes.txt", "gone/App.mdx", "node_modules/a/App.mdx", ".gitignore",
    ):  # fmt: skip
        project.write(path, "gone\n" if path == ".gitignore" else "")
    stats = project.index("python", include_tests=False)
    assert stats["files_not_read"] == {".go": 1, ".mdx": 2, "ruby": 1, "typescript": 1}
    assert stats["tests_left_out"] == 1
    stats = project.index("python", "typescript", "ruby")
    assert (stats["files_not_read"], stats["tests_left_out"]) == ({".go": 1, ".mdx": 3}, 0)
    assert stats["directories_left_out"] == []
    assert project.index("python", "typescript", "ruby") | {"duration_ms": 0} == stats | {
        "files_changed": 0, "files_removed": 0, "duration_ms": 0
    }  # fmt: skip


def test_directories_that_may_be_source_are_told(project: Project) -> None:
    """A package as it is published has all its code in `dist`, and git ignores none of it."""
    for path in (
        "app.py", "dist/main.py", "web/build/main.py", "out/build/main.py",
        "node_modules/build/a.py", "env/lib/a.py", "env/pyvenv.cfg", "lib/env/__init__.py",
        "coverage/report.py",
        "__pycache__/a.py", "dist.py",
    ):  # fmt: skip
        project.write(path, "")
    project.write(".gitignore", "/out\ncoverage/\n")
    stats = project.index("python")
    assert stats["directories_left_out"] == ["dist", "web/build"]
    assert stats["files_indexed"] == 3


def test_directories_of_source_that_builds_are_called_like_are_indexed(project: Project) -> None:
    """No build writes Ruby or TypeScript: they are somebody's own, below such a name too."""
    for path in (
        "app/controllers/build/file_controller.rb", "app/views/build/_last.xml.builder",
        "src/env/index.ts", "src/env/deep/more.js", "coverage/types.d.ts", "dist/Box.vue",
        "web/build/main.js", "test/coverage/report.rb",
    ):  # fmt: skip
        project.write(path, "")
    stats = project.index("ruby", "javascript", "typescript")
    assert stats["directories_left_out"] == ["coverage", "dist", "web/build"]
    assert stats["files_indexed"] == 5


def test_facts_are_the_same_bytes_in_every_process() -> None:
    """Sets of texts have another order in each: none may tell in which order names are noted."""
    source = (
        b"from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Rows(Generic[T]):\n"
        b"    def pairs(self, rows: dict[str, list[tuple[int, T, float]]]) -> set[T]:\n"
        b"        return eval(rows)\n"
    )
    program = (
        "from toolroll_codegraph.facts import encode_facts\n"
        "from toolroll_codegraph.languages.registry import extract\n"
        f"print(encode_facts(extract('rows.py', 'python', {source!r})).hex())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(found) == 1
