"""What `this` is in JavaScript's functions that are bound, wrapped, borrowed or added elsewhere."""

from __future__ import annotations

import pytest

from toolroll_codegraph.resolve import contexts

CASES = {
    "a bound method runs on what it was bound to, not on what keeps it": (
        "class Reader { read() { this.next(); } next() {} }\n"
        "class Parser { constructor(from) { this.read = from; } start() { this.read(); }"
        " next() {} }\n"
        "const reader = new Reader();\nnew Parser(reader.read.bind(reader)).start();\n",
        {("Parser.start", "Reader.read"), ("Reader.read", "Reader.next")},
        {("Reader.read", "Parser.next")},
    ),
    "callbacks that two callers of a bound method queue": (
        "function Queue() { this.waiting = []; }\n"
        "Queue.prototype.read = function (callback) { this.waiting.push({ run: callback }); };\n"
        "Queue.prototype.go = function () { const first = this.waiting[0]; first.run.call(this); };"
        "\n"
        "function One(options) { this.read = options.read; }\n"
        "One.prototype.start = function () { this.read(this.done.bind(this)); };\n"
        "One.prototype.done = function () {};\n"
        "function Two(options) { this.read = options.read; }\n"
        "Two.prototype.start = function () { this.read(this.ended.bind(this)); };\n"
        "Two.prototype.ended = function () {};\n"
        "export function first() { const queue = new Queue();\n"
        "  new One({ read: queue.read.bind(queue) }).start(); queue.go(); }\n"
        "export function second() { const queue = new Queue();\n"
        "  new Two({ read: queue.read.bind(queue) }).start(); queue.go(); }\n",
        {("Queue.go", "One.done"), ("Queue.go", "Two.ended")},
        set(),
    ),
    "a method that is bound, wrapped and put back is each class's own": (
        "class Base { constructor(wrap) { this.send = wrap(this.send.bind(this)); }\n"
        "  send() {} publish() { this.send(); } }\n"
        "class One extends Base { send() {} publish() { this.send(); } }\n"
        "class Two extends Base { send() {} publish() { this.send(); } }\n"
        "function wrap(method) { return method; }\n"
        "new One(wrap).publish();\nnew Two(wrap).publish();\n",
        {("One.publish", "One.send"), ("Two.publish", "Two.send")},
        {("One.publish", "Two.send"), ("Two.publish", "One.send")},
    ),
    "a function that Reflect applies": (
        "class A { run(f) { Reflect.apply(f, this, [1]); } go() {} }\n"
        "function f() { this.go(); }\nnew A().run(f);\n",
        {("A.run", "f"), ("f", "A.go")},
        set(),
    ),
    "functions that a library promisifies run on the same": (
        "const Promise = require('bluebird');\n"
        "class A { one() { Promise.method(f).call(this); }\n"
        "  two() { Reflect.apply(Promise.promisify(g), this, []); }\n"
        "  three() { const bound = Promise.method(h).bind(this); bound(); }\n  go() {} }\n"
        "function f() { this.go(); }\nfunction g(done) { this.go(); }\n"
        "function h() { this.go(); }\n",
        {("f", "A.go"), ("g", "A.go"), ("h", "A.go")},
        set(),
    ),
    "functions that a library wraps, in a registry of a class that others make": (
        "const Promise = require('bluebird');\n"
        "class App { constructor() { this.known = {}; this.add('a', f); this.add('b', g); }\n"
        "  add(name, f) { this.known[name.toLowerCase()] = Promise.method(f); }\n"
        "  run(name) { this.known[name].call(this, 1); }\n  go() {} }\n"
        "function f() { this.go(); }\nfunction g() { this.go(); }\nmodule.exports = App;\n",
        {("f", "App.go"), ("g", "App.go")},
        set(),
    ),
    "a bound method that a library wraps": (
        "import { debounce } from 'lib';\n"
        "class A { start() { const later = debounce(this.save.bind(this)); later(); }\n"
        "  save() { this.write(); } write() {} }\n"
        "const a = new A();\na.start();\nexport const save = debounce(a.save.bind(a));\n"
        "export function run() { save(); }\n",
        {("A.save", "A.write"), ("run", "A.save")},
        set(),
    ),
    "methods that are added to a class that nobody knows": (
        "const http = require('http');\n"
        "function patch(Request) {\n"
        "  Request.prototype.header = function header() {};\n"
        "  Request.prototype.length = function length() { this.header(); };\n}\n"
        "patch(http.IncomingMessage);\nconst Response = http.ServerResponse;\n"
        "Response.prototype.header = function () {};\n"
        "Response.prototype.send = function send() { this.header(); };\n",
        {("patch.length", "patch.header"), ("send", "Response.header")},
        {("send", "patch.header"), ("patch.length", "Response.header")},
    ),
    "what is added to an object that a library made": (
        "const { spawn } = require('child_process');\nclass Log { write() {} }\n"
        "function kill() {}\n"
        "export function run() { const child = spawn('a'); child.log = new Log();\n"
        "  child.kill = kill.bind(null); stop(child); }\n"
        "function stop(child) { child.log.write(); child.kill(); }\n",
        {("stop", "Log.write"), ("stop", "kill")},
        set(),
    ),
    "items are not added to a list that nobody knows": (
        "function at() {}\n"
        "export function run(text) { const found = text.match(/a/); found[0] = at;\n"
        "  found[0](); }\n",
        set(),
        {("run", "at")},
    ),
}


@pytest.mark.parametrize(("source", "expected", "wrong"), CASES.values(), ids=CASES)
def test_receivers(source: str, expected: set, wrong: set, edges) -> None:
    found = set(edges(source, suffix=".js"))
    assert found >= expected
    assert not found & wrong


def test_a_class_runs_the_function_of_another_file_that_it_extends(edges) -> None:
    found = edges(
        {
            "derived.js": "const Base = require('./made');\n"
            "class Middle extends Base {}\n"
            "class Derived extends Middle { constructor() { super(1); } init() {} }\n"
            "module.exports = Derived;\n",
            "made.js": "module.exports = Made;\nfunction Made() { this.init(); }\n"
            "Made.prototype.init = function () {};\n",
            "main.js": "const Derived = require('./derived');\nnew Derived();\n",
        }
    )
    assert ("derived.js::Derived.constructor", "made.js::Made") in found
    assert ("made.js::Made", "derived.js::Derived.init") in found


@pytest.mark.parametrize(
    "body",
    [
        "const step = this[kStep].bind(this); step();",
        "this[kNow] = this[kStep]; this[kNow]();",
    ],
)
def test_what_a_base_class_hands_on_is_each_class_s_own(
    edges, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    monkeypatch.setattr(contexts, "_MOST_SCOPES", 0)  # as in larger programs
    source = (
        "const kStep = Symbol('step'), kNow = Symbol('now');\n"
        f"class Base {{ run() {{ {body} }} }}\n"
        "class A extends Base { [kStep]() { this.show(); } show() {} }\n"
        "class B extends Base { [kStep]() { this.show(); } show() {} }\n"
        "new A().run();\nnew B().run();\n"
    )
    found = edges(source, suffix=".js")
    shown = {(caller[0], callee) for caller, callee in found if callee.endswith(".show")}
    assert shown == {("A", "A.show"), ("B", "B.show")}
