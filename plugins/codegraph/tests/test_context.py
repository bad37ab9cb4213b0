"""What `get_function_context` and `find_related_code` say of how whole and how fresh they are."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from toolroll_codegraph.pack import CodeGraph

if TYPE_CHECKING:
    from conftest import Project
    from toolroll.contract import ToolContract


@pytest.mark.parametrize("tool", CodeGraph().contract().tools, ids=lambda tool: tool.name)
def test_every_answer_promises_whether_it_succeeded(tool: ToolContract) -> None:
    assert tool.output_schema["required"] == list(tool.output_schema["properties"])


def test_a_function_that_hundreds_call_is_answered_with_some_of_them(project: Project) -> None:
    callers = "".join(f"def f{number}(): leaf()\n" for number in range(600))
    project.write("a.py", f"def leaf(): pass\n{callers}" + "leaf()\n" * 300)

    project.index()
    context = project.call("get_function_context", function_name="leaf", max_depth=1)["context"]
    assert (len(context["callers"]), context["truncated"]) == (500, True)
    lines = {caller["name"]: caller["call_lines"] for caller in context["callers"]}
    assert all(len(lines[name]) == 1 for name in lines if name != "<module>")
    if "<module>" in lines:
        assert lines["<module>"] == list(range(602, 702))
    context = project.call("get_function_context", function_name="f7")["context"]
    assert (len(context["callees"]), context["truncated"]) == (1, False)


def test_what_is_listed_of_many_is_what_is_near_and_no_test(project: Project) -> None:
    far = "".join(f"def far{number}(): near{number % 200}()\n" for number in range(280))
    near = "".join(f"def near{number}(): leaf()\n" for number in range(200))
    called = "".join(f"def low{number}(): pass\n" for number in range(150))
    project.write("a.py", f"def leaf(): {';'.join(f'low{n}()' for n in range(150))}\n{called}")
    project.write("b.py", f"from a import leaf\n{near}{far}")
    tests = "".join(f"def test_{number}(): near{number % 200}()\n" for number in range(15))
    project.write("a_tests/test_a.py", f"from b import *\n{tests}")
    project.index("python")

    answer = project.call("get_function_context", function_name="leaf")
    context = answer["context"]
    assert context["truncated"]
    assert 70_000 < len(json.dumps(answer)) < 100_000
    assert len(context["callees"]) == 150
    names = [caller["name"] for caller in context["callers"]]
    assert {f"near{number}" for number in range(200)} <= {*names}
    assert not [name for name in names if name.startswith("test")]
    assert 0 < sum(name.startswith("far") for name in names) < 280
    assert [caller["depth"] for caller in context["callers"]] == sorted(
        caller["depth"] for caller in context["callers"]
    )
    alone = project.call("get_function_context", function_name="leaf", include_callees=False)
    assert len(alone["context"]["callers"]) > len(names)


def test_calls_deeper_than_anybody_reads_are_told_to_be_cut(project: Project) -> None:
    project.write("a.py", "".join(f"def f{n}(): f{n + 1}()\n" for n in range(30)))
    project.index()
    for depth, cut in ((20, False), (21, True), (1000, True)):
        answer = project.call("get_function_context", function_name="f0", max_depth=depth)
        assert len(answer["context"]["callees"]) == 20
        assert answer["context"]["truncated"] is cut
    answer = project.call("get_function_context", function_name="f15", max_depth=1000)
    assert not answer["context"]["truncated"]


@pytest.mark.parametrize("gone", [False, True])
def test_files_that_changed_since_are_named(project: Project, gone: bool) -> None:
    project.write("leaf.py", "def leaf(): pass\n")
    caller = project.write("caller.py", "from leaf import leaf\ndef call(): leaf()\n")
    project.write("other.py", "def other(): pass\n")
    project.index()

    def state() -> list[object]:
        context = project.call("get_function_context", function_name="leaf")["context"]
        related = project.call("find_related_code", file_path="leaf.py")
        assert related["indexed_at"] == context["indexed_at"]
        return [context["stale"], context["stale_files"], related["stale"]]

    assert state() == [False, [], False]
    project.write("other.py", "def another(): pass\n")
    assert state() == [False, [], False]
    if gone:
        caller.unlink()
    else:
        project.write("caller.py", "\n\nfrom leaf import leaf\ndef call(): leaf()\n")
    assert state() == [True, ["caller.py"], True]
    project.index()
    assert state() == [False, [], False]


def test_a_file_that_is_written_again_as_it_was_is_not_stale(project: Project) -> None:
    file = project.write("leaf.py", "def leaf(): pass\n")
    project.index()
    for text, stale in (("def leaf(): 1234\n", True), ("def leaf(): pass\n", False)):
        project.write("leaf.py", text)
        os.utime(file, ns=(1, 1))
        context = project.call("get_function_context", function_name="leaf")["context"]
        assert [context["stale"], context["stale_files"]] == [stale, ["leaf.py"] * stale]


def test_more_related_files_than_asked_for_are_told_of(project: Project) -> None:
    project.write("leaf.py", "def leaf(): pass\n")
    for name in "abc":
        project.write(f"{name}.py", "import leaf\n")
    project.index()
    for limit, cut in ((2, True), (3, False), (20, False)):
        answer = project.call("find_related_code", file_path="leaf.py", limit=limit)
        assert len(answer["related_files"]) == min(limit, 3)
        assert answer["truncated"] is cut


def test_calls_further_away_name_the_function_between(project: Project) -> None:
    project.write("a.py", "from b import middle\ndef far():\n    middle()\n")
    project.write(
        "b.py",
        "def leaf(): pass\n\ndef middle():\n    leaf()\n\ndef other():\n    leaf()\n    middle()\n",
    )
    project.index()
    context = project.call("get_function_context", function_name="leaf")["context"]
    assert [(item["name"], item["via"], item["call_lines"]) for item in context["callers"]] == [
        ("middle", "b.py::leaf", [4]),
        ("other", "b.py::leaf", [7]),
        ("far", "b.py::middle", [3]),
    ]
    context = project.call("get_function_context", function_name="far")["context"]
    assert [(item["name"], item["via"], item["call_lines"]) for item in context["callees"]] == [
        ("middle", "a.py::far", [3]),
        ("leaf", "b.py::middle", [4]),
    ]


def test_a_class_that_code_of_its_body_calls_from(project: Project) -> None:
    project.write("a.py", "def f(): return 1\nclass A:\n    x = f()\ndef g(): return A()\ng()\n")
    project.write("a.rb", "def f = 1\nclass A\n  X = f\n  f\nend\ndef g = A.new\ng\n")
    project.write("a.js", "function f() {}\nclass A { static x = f() }\nnew A()\n")
    project.index("python", "ruby", "javascript")
    for path in ("a.py", "a.rb", "a.js"):
        for name in ("f", "A", "g"):
            answer = project.call("get_function_context", function_name=f"{path}::{name}")
            if name != "g" or path != "a.js":
                for item in answer["context"]["callers"] + answer["context"]["callees"]:
                    assert item["via"].startswith(path)


DECORATED = (
    "from functools import wraps\n"
    "def logged(function):\n    @wraps(function)\n    def around(*args):\n"
    "        note()\n        return function(*args)\n    return around\n"
    "def checked(function):\n    @wraps(function)\n    def check(first, **rest):\n"
    "        return function(str(first), **rest)\n    return check\n"
    "def note(): pass\ndef leaf(): pass\n"
    "@logged\ndef one(x): leaf()\n"
    "@logged\ndef two(x): pass\n"
    "@checked\n@logged\ndef three(x): pass\n"
    "def use_one(): one(1)\ndef use_two(): two(2)\ndef use_three(): three(3)\n"
)


def test_callers_through_a_wrapper_are_those_of_what_it_wraps(project: Project) -> None:
    project.write("a.py", DECORATED)
    project.index("python")
    around, check = "a.py::logged.around", "a.py::checked.check"
    for name, callers in {
        "leaf": ["a.py::one", around, "a.py::use_one"],
        "two": [around, "a.py::use_two"],
        "three": [around, check, "a.py::use_three"],
        "note": [around, check, "a.py::use_one", "a.py::use_two", "a.py::use_three"],
    }.items():
        assert project.callers(name, depth=5) == callers
    context = project.call("get_function_context", function_name="use_one")["context"]
    assert [item["name"] for item in context["callees"]] == ["logged.around", "note", "one", "leaf"]
    context = project.call("get_function_context", function_name="use_three", max_depth=5)
    assert [item["name"] for item in context["context"]["callees"]] == [
        "checked.check", "logged.around", "note", "three",
    ]  # fmt: skip


def test_callers_of_a_decorated_method_are_told_apart(project: Project) -> None:
    project.write(
        "a.ts",
        "function guarded(value: any, context: any) {\n"
        "  return function (this: any, ...args: any[]) { return value.call(this, ...args); };\n}\n"
        "class Door {\n  @guarded close() {}\n  @guarded open() { turn(); }\n"
        "  shut() { this.close(); }\n  enter() { this.open(); }\n}\nfunction turn() {}\n",
    )
    project.index("typescript")
    wrapper = "a.ts::guarded.<lambda1>"
    assert project.callers("Door.close", depth=3) == [wrapper, "a.ts::Door.shut"]
    assert project.callers("turn", depth=3) == ["a.ts::Door.open", wrapper, "a.ts::Door.enter"]
    context = project.call("get_function_context", function_name="Door.enter", max_depth=3)
    found = [item["name"] for item in context["context"]["callees"]]
    assert found == ["guarded.<lambda1>", "Door.open", "turn"]


def test_what_nobody_calls_has_no_callers_behind_its_decorator(project: Project) -> None:
    project.write(
        "a.py",
        "import functools\ndef logged(f):\n    @functools.wraps(f)\n"
        "    def wrapper(*args):\n        enter()\n        return f(*args)\n    return wrapper\n"
        "def enter(): pass\n@logged\ndef one(): pass\n@logged\ndef dead(): pass\n"
        "class Box:\n    @logged\n    def two(self): pass\n    @logged\n    def idle(self): pass\n"
        "    @classmethod\n    @logged\n    def none(cls): pass\n"
        "def use(box: Box):\n    one()\n    box.two()\n",
    )
    project.write(
        "a.ts",
        "function guarded(value: any, context: any) {\n"
        "  return function (this: any, ...args: any[]) { return value.call(this, ...args); };\n}\n"
        "class Door {\n  @guarded close() {}\n  @guarded never() {}\n"
        "  shut() { this.close(); }\n}\n",
    )
    project.index("python", "typescript")
    wrapper = "a.py::logged.wrapper"
    for name in ("dead", "Box.idle", "Box.none"):
        assert project.callers(name, depth=3) == [wrapper], name
    for name in ("one", "Box.two"):
        assert project.callers(name, depth=3) == [wrapper, "a.py::use"], name
    assert project.callers("enter", depth=3) == [wrapper, "a.py::use"]
    context = project.call("get_function_context", function_name="use")["context"]
    found = [item["name"] for item in context["callees"]]
    assert found == ["logged.wrapper", "enter", "one", "Box.two"]
    assert project.callers("Door.never", depth=3) == ["a.ts::guarded.<lambda1>"]


def test_who_calls_a_wrapper_itself_may_mean_all_that_it_wraps(project: Project) -> None:
    project.write("a.py", DECORATED + "def use_any(name): logged(globals()[name])(1)\n")
    project.index("python")
    assert "a.py::use_any" in project.callers("one", depth=5)


@pytest.mark.parametrize(
    ("source", "exported", "kept"),
    [
        (
            "module.exports = { f, key: g, m() {}, h: function () {}, a: () => 1 };\n"
            "function f() {}\nfunction g() {}\nfunction own() {}\n",
            ["f", "g", "module.exports.m", "module.exports.h", "module.exports.a"],
            ["own"],
        ),
        (
            "exports = module.exports = { f };\nfunction f() {}\nfunction own() {}\n",
            ["f"],
            ["own"],
        ),
        (
            "module.exports.one = f;\nexports.two = g;\nexports.three = () => 1;\n"
            "function f() {}\nfunction g() {}\nfunction own() {}\n",
            ["f", "g", "three"],
            ["own"],
        ),
        (
            "class Box { open() {} #lock() {} }\nclass Own { shut() {} }\nmodule.exports = Box;\n",
            ["Box.open"],
            ["Box.#lock", "Own.shut"],
        ),
        (
            "module.exports = function main() {};\nmodule.exports.More = class { go() {} };\n"
            "function own() {}\n",
            ["main", "More.go"],
            ["own"],
        ),
        (
            "function f(module) { module.exports = own; }\nfunction own() {}\nexports.f = f;\n",
            ["f"],
            ["own"],
        ),
    ],
    ids=["object", "both", "members", "class", "function", "parameter"],
)
def test_what_commonjs_exports_is_an_export(
    project: Project, source: str, exported: list[str], kept: list[str]
) -> None:
    project.write("lib.js", source)
    project.index("javascript")
    found = {
        name: project.call("get_function_context", function_name=f"lib.js::{name}")["context"][
            "function"
        ]["is_export"]
        for name in (*exported, *kept)
    }
    assert found == dict.fromkeys(exported, True) | dict.fromkeys(kept, False)


def test_namesakes_and_methods_that_are_not_listed_are_counted(project: Project) -> None:
    methods = "".join(f"    def m{n}(self): pass\n" for n in range(120))
    project.write("a.py", f"class Big:\n{methods}")
    project.write("b.py", "".join(f"class C{n}:\n    def same(self): pass\n" for n in range(30)))
    project.index()

    def counts(name: str) -> tuple[int, int, bool]:
        context = project.call("get_function_context", function_name=name)["context"]
        return len(context["matches"]), context["matches_left_out"], context["truncated"]

    assert counts("Big") == (60, 60, False)
    assert counts("same") == (20, 9, False)
    assert counts("C1") == (1, 0, False)


def test_a_file_that_makes_objects_of_a_class_calls_its_file(project: Project) -> None:
    """Data classes have no constructor that anybody wrote."""
    project.write("point.py", "@dataclass\nclass Point:\n    x: int\n")
    project.write("draw.py", "from point import Point\ndef draw():\n    Point(1)\n    Point(2)\n")
    project.write("one.rb", "class One\nend\n")
    project.write("two.rb", "One.new\n")
    project.index("python", "ruby")
    for path, by in (("point.py", "draw.py"), ("one.rb", "two.rb")):
        answer = project.call("find_related_code", file_path=path, relationship_type="called_by")
        assert answer["related_files"] == [
            {"file_path": by, "relationship": "called_by", "strength": 1}
        ]
    assert project.callers("Point") == ["draw.py::draw"]


def test_callers_that_a_changed_signature_breaks_are_still_found(project: Project) -> None:
    code = (
        "def save({0}): pass\nclass Store:\n    def put(self, {0}): pass\n"
        "class Copy:\n    def __init__(self, {0}): pass\ndef make(): Copy(1, 2)\n"
        "def show(path, data): pass\n"
        "def one(): save(1, 2)\ndef two(): Store().put(1, 2)\ndef three(): save(1, data=2)\n"
        "def other(name): {{'save': save, 'show': show}}[name](1, 2)\n"
    )
    for parameters, others in (("path, data", ["a.py::other"]), ("path, data, mode", [])):
        project.write("a.py", code.format(parameters))
        project.index()
        assert sorted(project.callers("save")) == ["a.py::one", *others, "a.py::three"]
        assert project.callers("Store.put") == ["a.py::two"]
        assert project.callers("Copy") == ["a.py::make"]
    context = project.call("get_function_context", function_name="save")["context"]
    assert {record["confidence"] for record in context["callers"]} == {"low"}


def test_callers_that_a_changed_method_of_ruby_breaks_are_still_found(project: Project) -> None:
    code = (
        "class Store\n  def put({})\n  end\nend\nclass Log\n  def put(line)\n  end\nend\n"
        "def one = Store.new.put(1, 2)\n"
        "def other(name) = {{ a: Store.new, b: Log.new }}[name].put(1)\n"
    )
    for parameters in ("path, data", "path, data, mode"):
        project.write("a.rb", code.format(parameters))
        project.index("ruby")
        assert project.callers("Store#put") == ["a.rb::one"]
        assert project.callers("Log#put") == ["a.rb::other"]
