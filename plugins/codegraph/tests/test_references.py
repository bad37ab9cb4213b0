"""`references`: who hands a function to a library, which may call it, and does not call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Project

M = "<module>"

CASES = {
    "arguments, by position and by name": (
        "a.py",
        "import atexit, lib\ndef bye(): pass\ndef show(): pass\n"
        "atexit.register(bye)\ndef main(app):\n    app.add_url_rule('/', view_func=show)\n",
        {"bye": {(M, 4)}, "show": {("main", 6)}},
    ),
    "what a library's decorator is given": (
        "a.py",
        "import lib\napp = lib.App()\n@app.get('/')\ndef show(): pass\n",
        {"show": {(M, 3)}},
    ),
    "bound methods, and a partial one": (
        "a.py",
        "import lib\nclass Window:\n    def open(self):\n"
        "        self.button = lib.Button()\n        self.button.clicked.connect(self.close)\n"
        "    def close(self): pass\n",
        {"Window.close": {("Window.open", 5)}},
    ),
    "tables of options": (
        "a.js",
        "const lib = require('lib');\nfunction save() {}\nfunction load() {}\n"
        "lib.start({ onSave: save, on: { load } });\n",
        {"save": {(M, 4)}, "load": {(M, 4)}},
    ),
    "of an object with methods these are not handed over": (
        "a.js",
        "const lib = require('lib');\nfunction make() { return { go() {}, stop() {} }; }\n"
        "lib.start(make());\nfunction use(made) { lib.start(made); }\nuse({ save() {} });\n",
        {"make.go": set(), "make.stop": set(), "save": {(M, 5)}},
    ),
    "attributes of what a library has, and of a page": (
        "a.jsx",
        "function save() {}\nfunction load() {}\nexport function show(element) {\n"
        "  element.onclick = load;\n  return <a onClick={save}/>;\n}\n",
        {"save": {("show", 5)}, "load": {("show", 4)}},
    ),
    "timers and handlers": (
        "a.js",
        "function tick() { setTimeout(tick, 1); }\nprocess.on('exit', function bye() {});\n",
        {"tick": {("tick", 1)}, "bye": {(M, 2)}},
    ),
    "method objects of Ruby": (
        "a.rb",
        "class A\n  def go; Lib.each_event(&method(:heard)); Lib.on(:x, method(:told)); end\n"
        "  def heard(it); end\n  def told(it); end\nend\n",
        {"A.heard": {("A.go", 2)}, "A.told": {("A.go", 2)}},
    ),
    "classes: their constructors, and the methods that nobody calls": (
        "a.py",
        "import lib\nclass Timing(lib.Middleware):\n    def __init__(self, app): self.start()\n"
        "    def dispatch(self, request): pass\n    def start(self): pass\n"
        "class Plain: pass\ndef make(app):\n    app.add(Timing)\n    app.add(Plain)\n"
        "    isinstance(app, Timing)\n    app.assertIsInstance(app, Timing)\n",
        {
            "Timing.__init__": {("make", 8)},
            "Timing.dispatch": {("make", 8)},
            "Timing.start": set(),
            "Plain": {("make", 9)},
        },
    ),
    "classes of which a method of the library's is asked": (
        "a.py",
        "from lib import View\nclass Show(View):\n    def get(self, request): pass\n"
        "urls = [('/', Show.as_view())]\nclass Own:\n    def get(self): pass\nOwn.as_view()\n",
        {"Show.get": {(M, 4)}, "Own.get": set()},
    ),
    "providers and guards": (
        "a.ts",
        "import { Module, UseGuards, Get } from 'lib';\n"
        "export class Roles { constructor(private a: string) {} allow() {} }\n"
        "@UseGuards(Roles) export class Users { @Get() list() {} }\n"
        "function build() {}\n@Module({ providers: [{ useFactory: build }] })\n"
        "export class All {}\n",
        {"Roles.allow": {(M, 3)}, "Roles.constructor": {(M, 3)}, "build": {(M, 5)}},
    ),
    "objects that can be called": (
        "a.py",
        "import lib\nclass Role:\n    def __call__(self): pass\nlib.depend(Role())\n",
        {"Role.__call__": {(M, 4)}},
    ),
    "what is put under a key of a library's mapping": (
        "a.py",
        "from lib import app\ndef fake(): pass\ndef money(): pass\ndef own(): pass\n"
        "def change(key):\n    app.overrides[key] = fake\n    app.filters['money'] = money\n"
        "table = {}\ntable['own'] = own\n",
        {"fake": {("change", 6)}, "money": {("change", 7)}, "own": set()},
    ),
    "what an attribute of a library's module becomes": (
        "a.py",
        "import json, sys\ndef hook(kind, value, trace): pass\nsys.excepthook = hook\n",
        {"hook": {(M, 3)}},
    ),
    "objects of classes that derive from a library's, and what nobody calls of theirs": (
        "a.py",
        "import enum, lib\nclass Checks(lib.Checks):\n    def __init__(self): pass\n"
        "    def check(self): self.own()\n    def own(self): pass\n"
        "    def __eq__(self, other): pass\n    @classmethod\n    def find(cls): pass\n"
        "class Kind(enum.Enum):\n    ONE = 1\n    def label(self): pass\n"
        "class Plain:\n    def go(self): pass\n"
        "lib.serve(Checks())\nlib.serve(Kind.ONE)\nlib.serve(Plain())\n",
        {
            "Checks.check": {(M, 14)},
            "Checks.own": set(),
            "Checks.find": set(),
            "Checks.__eq__": set(),
            "Kind.label": set(),
            "Plain.go": set(),
        },
    ),
    "methods of the standard library's classes run others, and have handlers": (
        "a.py",
        "import cmd, logging, threading\nclass Work(threading.Thread):\n"
        "    def run(self): pass\n    def other(self): pass\n"
        "class Shell(cmd.Cmd):\n    def do_add(self, line): pass\n"
        "class Kept(logging.Handler):\n    def emit(self, record): pass\n"
        "class Own:\n    def run(self): pass\n    def start(self): self.end()\n"
        "    def end(self): pass\ndef go():\n    Work().start()\n    Shell().cmdloop()\n"
        "    logging.getLogger().addHandler(Kept())\n    Own().start()\n",
        {
            "Work.run": {("go", 14)},
            "Work.other": set(),
            "Shell.do_add": {("go", 15)},
            "Kept.emit": {("go", 16)},
            "Own.run": set(),
            "Own.end": set(),
        },
    ),
    "visitors of syntax trees have a method for each kind of node": (
        "a.py",
        "import ast\nclass Names(ast.NodeVisitor):\n"
        "    def visit_Name(self, node): self.keep(node)\n"
        "    def keep(self, node): pass\ndef go(tree): Names().visit(tree)\n",
        {"Names.visit_Name": {("go", 5)}, "Names.keep": set()},
    ),
    "classes of a library's kind that a decorator registers": (
        "a.py",
        "import lib\nfrom dataclasses import dataclass\n"
        "@lib.register(1)\nclass Page(lib.Page):\n    def show(self): pass\n"
        "@dataclass\nclass Own:\n    def show(self): pass\n",
        {"Page.show": {(M, 3)}, "Own.show": set()},
    ),
    "cases of tests are not registered": (
        "test_a.py",
        "import lib\n@lib.settings(1)\nclass Tests(lib.Case):\n    def test_it(self): pass\n",
        {"test_it": set()},
    ),
    "tables in tables, which may hold themselves": (
        "a.js",
        "import { createRouter } from 'lib';\nfunction check() {}\n"
        "const routes = [{ path: '/', children: [{ path: 'x', before: [check] }] }];\n"
        "routes[0].all = routes;\ncreateRouter({ routes });\n",
        {"check": {(M, 5)}},
    ),
    "what is returned by a function that is handed over": (
        "a.js",
        "import { apply } from 'lib';\n"
        "const log = (store) => function next(action) { return function run() {}; };\n"
        "apply(log);\nfunction made() { return function inner() {}; }\nmade();\n",
        {"next": {("log", 2)}, "run": {("log.next", 2)}, "inner": set()},
    ),
    "what is called there is not": (
        "a.py",
        "import lib\ndef g(): pass\nlib.start(g())\nlib.start(g)\n",
        {"g": set()},
    ),
    "who gives it to a function that hands it on": (
        "a.py",
        "import lib\ndef f(): pass\ndef g(): pass\ndef run(call, then=None):\n"
        "    lib.start(call)\n    return then\ndef later(it):\n    run(call=it, then=g)\n"
        "run(f)\ndef go():\n    later(f)\n",
        {"f": {(M, 9), ("go", 11)}, "g": set(), "run": set()},
    ),
    "decorators that register what they decorate, and that wrap it": (
        "a.py",
        "import functools, inspect, lib\nfrom functools import wraps\n"
        "def route(path):\n    def keep(view):\n        lib.add(path, view)\n"
        "        return view\n    return keep\n"
        "def traced(call):\n    inspect.signature(call)\n    assert callable(call)\n"
        "    @wraps(call)\n    def run(*given): return call(*given)\n"
        "    return functools.update_wrapper(run, call)\n"
        "@route('/')\ndef show(): pass\n@traced\ndef plain(): pass\n",
        {"show": {(M, 14)}, "plain": set()},
    ),
    "methods that hand on what they are given": (
        "a.js",
        "import { bus } from 'lib';\nclass Page {\n  on(name, run) { bus.subscribe(name, run); }\n"
        "  start() { this.on('x', this.save.bind(this)); this.on('y', () => this.draw()); }\n"
        "  save() {}\n  draw() {}\n}\nnew Page().start();\n",
        {"Page.save": {("Page.start", 4)}, "draw": set()},
    ),
    "blocks and methods that Ruby's methods hand on": (
        "a.rb",
        "require 'lib'\nclass A\n  def save; end\n  def later(run)\n    Lib.schedule(run)\n  end\n"
        "  def go\n    later(method(:save))\n  end\nend\nA.new.go\n",
        {"A#save": {("A.go", 8)}},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_references(project: Project, name: str) -> None:
    path, source, expected = CASES[name]
    project.write(path, source)
    project.index("python", "javascript", "typescript", "ruby")
    for function, handing in expected.items():
        context = project.call("get_function_context", function_name=function)["context"]
        found = {(item["name"], line) for item in context["references"] for line in item["lines"]}
        assert found == handing, function
        assert not {name for name, _ in handing} & {it["name"] for it in context["callers"]}


def test_lists_of_other_files_go_along(project: Project) -> None:
    project.write("guards.js", "export function check() {}\nexport function far() {}\n")
    project.write(
        "routes.js",
        "import { check } from './guards';\n"
        "export const routes = [{ path: '/', before: [check] }];\n"
        "export const methods = { far() {} };\n",
    )
    project.write(
        "main.js",
        "import { createRouter } from 'lib';\nimport { methods, routes } from './routes';\n"
        "createRouter({ routes });\ncreateRouter(methods);\n",
    )
    project.index("javascript")
    for name, expected in (("check", ["main.js::<module>"]), ("methods.far", [])):
        context = project.call("get_function_context", function_name=name)["context"]
        assert [item["qualified_name"] for item in context["references"]] == expected


def test_references_are_no_calls(project: Project) -> None:
    project.write("a.py", "import lib\nfrom b import show\nlib.on(show)\n")
    project.write("b.py", "def show(): pass\n")
    project.index()
    context = project.call("get_function_context", function_name="show")["context"]
    assert (context["callers"], len(context["references"])) == ([], 1)
    assert context["references"][0]["qualified_name"] == "a.py::<module>"
    related = project.call("find_related_code", file_path=str(project.root / "b.py"))
    assert {item["relationship"] for item in related["related_files"]} == {"imported_by"}
    alone = project.call("get_function_context", function_name="show", include_callers=False)
    assert alone["context"]["references"] == []


def test_an_edit_that_calls_what_was_handed_over_makes_it_a_call(project: Project) -> None:
    project.write("a.py", "import lib\ndef show(): pass\ndef go():\n    lib.on(show)\n")
    project.index()
    project.write(
        "a.py", "import lib\n\ndef show(): pass\ndef go():\n    lib.on(show)\n    show()\n"
    )
    project.index()
    context = project.call("get_function_context", function_name="show")["context"]
    assert [(it["name"], it["call_lines"]) for it in context["callers"]] == [("go", [6])]
    assert context["references"] == []
    project.write("a.py", "import lib\n\n\ndef show(): pass\ndef go():\n    lib.on(show)\n")
    project.index()
    context = project.call("get_function_context", function_name="show")["context"]
    assert (context["callers"], context["references"][0]["lines"]) == ([], [6])


def test_more_references_than_are_read_are_cut(project: Project) -> None:
    handing = "".join(f"def f{number}(): lib.on(show)\n" for number in range(30))
    project.write("a.py", f"import lib\ndef show(): pass\n{handing}")
    project.index()
    context = project.call("get_function_context", function_name="show")["context"]
    assert (len(context["references"]), context["truncated"]) == (20, True)
