"""Who calls whom through what JavaScript and TypeScript offer beyond plain calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

M = "<module>"

CASES = {
    "what is assigned where a base class has a setter hides no accessor": (
        "class Base {\n  set at(v) { this.v = v; }\n  get at() { return this.v; }\n}\n"
        "class Sub extends Base { go() { return this.at; } }\n"
        "function put(sub) { sub.at = 1; }\nconst sub = new Sub();\nput(sub);\nsub.go();\n",
        {("Sub.go", "Base.at"), ("put", "Base.at"), (M, "put"), (M, "Sub.go")},
    ),
    "what a base class assigns is called in place of a subclass's method": (
        "class Base { constructor() { this.run = () => {}; } }\n"
        "class Sub extends Base { run() {} go() { this.run(); } }\nnew Sub().go();\n",
        {
            ("Sub.go", "Base.constructor.run"),
            ("Sub.go", "Sub.run"),
            (M, "Sub.go"),
            (M, "Base.constructor"),
        },
    ),
    "a static method named apply": (
        "class Path { static apply(doc) { doc.move(); } static call() {} }\n"
        "class Doc { move() {} }\nPath.apply(new Doc());\nPath.call();\n",
        {(M, "Path.apply"), (M, "Path.call"), ("Path.apply", "Doc.move")},
    ),
    "literals over several lines are taken apart": (
        "const { run, ...rest } = {\n  run() {},\n  stop() {},\n};\n"
        "const [first, ...others] = [\n  fa,\n  () => {\n    fb();\n  },\n];\n"
        "function fa() {}\nfunction fb() {}\nrun();\nrest.stop();\nfirst();\nothers[0]();\n",
        {(M, "run"), (M, "stop"), (M, "fa"), (M, "<lambda1>"), ("<lambda1>", "fb")},
    ),
    "declared functions are there before what reads them": (
        "const api = { go };\nconst f = api.go;\nf();\nfunction go() {}\n",
        {(M, "go")},
    ),
    "keys of patterns are computed": (
        "const key = 'go';\nconst { [key]: f } = { go() {}, stop() {} };\nf();\n",
        {(M, "go")},
    ),
    "an object that is chosen by a name from outside, or one that is known": (
        "const modes = { off: { go() {} }, on: { go() {} }, dry: { go() {} }, wet: { go() {} },\n"
        "  low: { go() {} } };\nlet mode;\n"
        "function choose(name) { mode = modes[name]; }\n"
        "function run() { mode.go(); }\nchoose(process.env.MODE || 'off');\nrun();\n",
        {
            (M, "choose"),
            (M, "run"),
            *(("run", f"modes.{name}.go") for name in ("off", "on", "dry", "wet", "low")),
        },
    ),
    "no other object than a known name tells, where they are unlike": (
        "const modes = { off: { go() {} }, on: { stop() {} }, dry: { go() {} }, wet: { go() {} },\n"
        "  low: { go() {} } };\nlet mode;\n"
        "function choose(name) { mode = modes[name]; }\n"
        "function run() { mode.go(); }\nchoose('off');\nrun();\n",
        {(M, "choose"), (M, "run"), ("run", "modes.off.go")},
    ),
    "a method that is called by the name of a class or of a function": (
        "class Start {}\nfunction End() {}\nclass Flow {\n  Start() {}\n  End() {}\n  Other() {}\n"
        "  take(kind) { const name = kind.name; this[name](); }\n}\n"
        "const flow = new Flow();\nflow.take(Start);\nflow.take(End);\n",
        {(M, "Flow.take"), ("Flow.take", "Flow.Start"), ("Flow.take", "Flow.End")},
    ),
    "the name that a class gives itself": (
        "class Start { static name = 'Other'; }\nclass Flow {\n  Start() {}\n  Other() {}\n"
        "  take(kind) { this[kind.name](); }\n}\nnew Flow().take(Start);\n",
        {(M, "Flow.take"), ("Flow.take", "Flow.Other")},
    ),
    "what objects lack is given to them under the names of defaults": (
        "function noop() {}\nfunction wrap(part) {\n  const defaults = { set: noop, post: noop };\n"
        "  Object.keys(defaults).forEach((key) => { part[key] = part[key] || defaults[key]; });\n"
        "  return part;\n}\nclass A { set() {} post() {} }\nclass B { post() {} }\n"
        "function run(a, b) { a.set(); b.set(); }\nrun(wrap(new A()), wrap(new B()));\n",
        {
            (M, "wrap"),
            (M, "run"),
            ("wrap", "wrap.<lambda1>"),
            ("run", "A.set"),
            ("run", "noop"),
        },
    ),
    "the global object": (
        "globalThis.go = function go() { window.end(); };\nglobal.end = () => {};\n"
        "go();\nself.go();\n",
        {(M, "go"), ("go", "global.end")},
    ),
    "a name that is nowhere declared is global": (
        "function define() { shared = function () {}; }\ndefine();\nshared();\n",
        {(M, "define"), (M, "define.shared")},
    ),
    "a class expression knows its own name": (
        "const A = class B {\n  static make() { return new B(); }\n  go() {}\n};\nA.make().go();\n",
        {(M, "B.make"), (M, "B.go")},
    ),
    "a wrapper takes the place of what it wraps": (
        "const api = { load() {}, save() {} };\n"
        "function timed(f) { return function (...a) { return f.apply(this, a); }; }\n"
        "api.save();\napi.load = timed(api.load);\napi.load();\n"
        "function use() { api.load(); }\nuse();\n",
        {
            (M, "api.save"),
            (M, "timed"),
            (M, "use"),
            (M, "timed.<lambda1>"),
            ("use", "timed.<lambda1>"),
            ("timed.<lambda1>", "api.load"),
        },
    ),
    "what a function wraps is called by the wrapper alone": (
        "class A { go() {} stay() {} }\nfunction logged(proto, name) {\n"
        "  const before = proto[name];\n"
        "  proto[name] = function (...args) { return before.apply(this, args); };\n}\n"
        "function one() { new A().go(); }\nlogged(A.prototype, 'go');\nnew A().go();\none();\n"
        "new A().stay();\n",
        {
            (M, "logged"),
            (M, "logged.<lambda1>"),
            (M, "one"),
            (M, "A.stay"),
            ("one", "logged.<lambda1>"),
            ("logged.<lambda1>", "A.go"),
        },
    ),
    "what keeps another of its kind is none that replaces it": (
        "class L {\n  constructor(next) { this.next = next; }\n"
        "  map() { const next = this.next; return new L(() => next()); }\n"
        "  run() { this.next(); }\n}\nfunction last() {}\nnew L(last).map().map().run();\n",
        {
            (M, "L.constructor"),
            (M, "L.map"),
            ("L.map", "L.constructor"),
            (M, "L.run"),
            ("L.run", "last"),
            ("L.run", "L.map.<lambda1>"),
            ("L.map.<lambda1>", "last"),
            ("L.map.<lambda1>", "L.map.<lambda1>"),
        },
    ),
    "maps have their values under keys": (
        "const m = new Map([['a', fa], ['b', fb]]);\nm.set(key(), fc);\n"
        "function fa() {}\nfunction fb() {}\nfunction fc() {}\nfunction key() {}\n"
        "function one() { m.get('a')(); }\nfunction two(name) { m.get(name)(); }\ntwo('b');\n"
        "class R {\n  static items = new Map();\n"
        "  static set(name, f) { this.items.set(name, f); }\n"
        "  static get(name) { return this.items.get(name); }\n}\n"
        "R.set('a', fa);\nR.set('b', fb);\nfunction three() { R.get('b')(); }\n"
        "const o = new Map();\nconst k = {};\no.set(k, fa);\nfunction four() { o.get(k)(); }\n",
        {
            (M, "key"),
            (M, "two"),
            (M, "R.set"),
            ("one", "fa"),
            ("one", "fc"),
            ("two", "fb"),
            ("two", "fc"),
            ("three", "R.get"),
            ("three", "fb"),
            ("four", "fa"),
        },
    ),
    "keys are paths, names of events and operators too": (
        "const at = {};\nfunction on(key, f) { at[key] = f; }\nfunction run(key) { at[key](); }\n"
        "on('/home', fa);\non('user:created', fb);\non('*', fc);\n"
        "function fa() {}\nfunction fb() {}\nfunction fc() {}\n"
        "function one() { at['/home'](); }\nrun('*');\n"
        "const ops = { '+': fa, '-': fb };\nfunction two(op) { ops[op](); }\ntwo('+');\n",
        {(M, "on"), (M, "run"), (M, "two"), ("run", "fc"), ("one", "fa"), ("two", "fa")},
    ),
    "what functions assign to a variable of others is read behind them": (
        "let handler = a;\nfunction a() {}\nfunction b() {}\nfunction set(h) { handler = h; }\n"
        "set(b);\nhandler();\nlet own = a;\nown();\nown = b;\nfunction c() { own(); }\n",
        {(M, "set"), (M, "a"), (M, "b"), ("c", "a"), ("c", "b")},
    ),
    "what every engine has needs no substitute": (
        "const assign = Object.assign || function polyfill() {};\n"
        "const bind = Object.create ? function bind() {} : function old() {};\nassign({});\n"
        "bind();\nif (typeof Symbol === 'function') modern(); else ancient();\n"
        "function modern() {}\nfunction ancient() {}\n"
        "const Promise = own() || function promise() {};\nPromise();\nfunction own() {}\n",
        {(M, "bind"), (M, "modern"), (M, "own"), (M, "promise")},
    ),
    "Object.assign leaves what a prototype has": (
        "class A {\n  constructor() { this.own = () => 1; }\n  go() {}\n}\n"
        "const copy = Object.assign({}, new A());\ncopy.own();\ncopy.go && copy.go();\n",
        {(M, "A.constructor"), (M, "A.constructor.own")},
    ),
    "a parameter that may be returned is each caller's own": (
        "const or = (given, other) => (given ? given : other);\n"
        "function x() { or(a, b)(); }\nfunction y() { or(c, a)(); }\n"
        "function a() {}\nfunction b() {}\nfunction c() {}\n",
        {("x", "or"), ("x", "a"), ("x", "b"), ("y", "or"), ("y", "c"), ("y", "a")},
    ),
    "changing a property runs its accessors": (
        "const o = {\n  get n() { return 1; },\n  set n(v) { saved(v); },\n};\n"
        "function saved() {}\nfunction up() { o.n++; }\nfunction add() { o.n += 2; }\n",
        {("up", "o.n"), ("add", "o.n"), ("o.n", "saved")},
    ),
    "arguments.callee is the function itself": (
        "function f(n) { const g = () => arguments.callee(n - 1); g(); }\nf(1);\n",
        {(M, "f"), ("f", "f.g"), ("f.g", "f")},
    ),
    "what is sent to a generator goes on to what it delegates to": (
        "function* inner() { const f = yield 1; f(); }\nfunction* outer() { yield* inner(); }\n"
        "function sent() {}\nconst it = outer();\nit.next();\nit.next(sent);\n",
        {(M, "outer"), ("outer", "inner"), ("inner", "sent")},
    ),
    "who iterates a generator runs it too, by a computed name as well": (
        "function* one() { yield 1; }\nfunction* two() { yield 2; }\n"
        "function make() { return [one(), two()]; }\n"
        "function each([first]) { for (const n of first) n; }\n"
        "function step([, second]) { let how = 'next'; second[how](); how = 'throw'; }\n"
        "function run() { each(make()); step(make()); }\n",
        {
            ("make", "one"),
            ("make", "two"),
            ("run", "make"),
            ("run", "each"),
            ("run", "step"),
            ("each", "one"),
            ("step", "two"),
        },
    ),
    "a function that puts another in its own place calls that": (
        "function first() { return first = other(), first(); }\n"
        "var second = function () { second = other(); return second(); };\n"
        "function other() { return done; }\nfunction done() {}\nfunction run() { first(); }\n",
        {
            ("first", "other"),
            ("first", "done"),
            ("second", "other"),
            ("second", "done"),
            ("run", "first"),
            ("run", "done"),
        },
    ),
    "no text is a symbol": (
        "const kept = {};\nfunction keep(name) { kept[name] = found; }\nfunction found() {}\n"
        "function read(name) { kept[name](); }\nfunction each() { for (const x of kept) x; }\n"
        "function tag() { kept[Symbol.for('tag')]; }\nkeep(window.name);\n",
        {(M, "keep"), ("read", "found")},
    ),
    "asynchronous iterators of literals": (
        "const o = { async *[Symbol.asyncIterator]() { yield f; } };\nfunction f() {}\n"
        "async function run() { for await (const g of o) g(); }\nrun();\n",
        {(M, "run"), ("run", "o.@@asyncIterator"), ("run", "f")},
    ),
    "literals that make numbers and texts of themselves": (
        "const o = { [Symbol.toPrimitive]() { return 1; } };\n"
        "const t = { toString() { return ''; } };\n"
        "function number() { return +o; }\nfunction text() { return 'a ' + t; }\n",
        {("number", "o.@@toPrimitive"), ("text", "t.toString")},
    ),
    "a proxy with a trap for calls calls no target by itself": (
        "function f() {}\nconst p = new Proxy(f, { apply() { trapped(); } });\n"
        "function trapped() {}\np();\n",
        {(M, "apply"), ("apply", "trapped")},
    ),
    "super_ is what a constructor inherits from": (
        "function A() {}\nA.prototype.go = function () {};\nfunction B() {}\n"
        "require('util').inherits(B, A);\n"
        "B.prototype.go = function () { B.super_.prototype.go.call(this); };\nnew B().go();\n",
        {(M, "B"), (M, "B.go"), ("B.go", "A.go")},
    ),
    "objects made of entries have what the entries have": (
        "const o = Object.fromEntries([['a', () => f()]]);\nfunction f() {}\no.a();\n",
        {(M, "<lambda1>"), ("<lambda1>", "f")},
    ),
    "this is what a method is called on, not what it is written in": (
        "const a = { go() { this.end(); }, end() {} };\nconst b = { end() {} };\na.go.call(b);\n",
        {(M, "a.go"), ("a.go", "b.end")},
    ),
    "static methods are called on the class that is named": (
        "class A { static make() { return new this(); } go() {} }\nclass B extends A { go() {} }\n"
        "B.make().go();\n",
        {(M, "A.make"), (M, "B.go")},
    ),
    "each subclass has what it hands to the class it extends": (
        "class Base {\n  constructor(f) { this.f = f; }\n  on(g) { this.g = g; }\n"
        "  end() { this.last = fc; }\n  run() { this.f(); }\n}\n"
        "class A extends Base {\n  constructor() { super(fa); this.on(fb); }\n"
        "  go() { this.f(); this.g(); this.last(); }\n}\n"
        "class B extends Base {\n  constructor() { super(fb); this.on(fa); }\n"
        "  go() { this.f(); this.g(); }\n}\nclass C extends A { stop() { this.f(); } }\n"
        "class D extends Base { go() { this.f(); } }\n"
        "function fa() {}\nfunction fb() {}\nfunction fc() {}\n"
        "new A().go();\nnew B().run();\nnew C().stop();\nnew D(fc).go();\n",
        {
            (M, "A.constructor"),
            (M, "B.constructor"),
            (M, "Base.constructor"),
            ("A.constructor", "Base.constructor"),
            ("A.constructor", "Base.on"),
            ("B.constructor", "Base.constructor"),
            ("B.constructor", "Base.on"),
            (M, "A.go"),
            (M, "Base.run"),
            (M, "C.stop"),
            (M, "D.go"),
            ("A.go", "fa"),
            ("A.go", "fb"),
            ("A.go", "fc"),
            ("Base.run", "fb"),
            ("B.go", "fb"),
            ("B.go", "fa"),
            ("C.stop", "fa"),
            ("D.go", "fc"),
        },
    ),
    "functions that are kept under names with gaps": (
        "class A {\n  constructor(kinds) { for (const k of kinds) this[`is${k}`] = () => f(k); }\n"
        "  isOwn() {}\n  run() { this.isOpen(); this.isOwn(); this.other(); }\n}\n"
        "function f() {}\nconst o = {};\no['on' + kind()] = function g() {};\n"
        "function go() { o.onClick(); o.click(); }\n",
        {
            ("A.run", "A.constructor.<lambda1>"),
            ("A.constructor.<lambda1>", "f"),
            ("A.run", "A.isOwn"),
            ("go", "g"),
        },
    ),
    "a class that can be iterated": (
        "class A { static *[Symbol.iterator]() { yield f; } }\nfunction f() {}\n"
        "for (const item of A) item();\n",
        {(M, "A.@@iterator"), (M, "f")},
    ),
    "names with gaps of two letters": (
        "const o = { onA() {}, other() {} };\nfunction run(kind) { o['on' + kind](); }\n",
        {("run", "o.onA")},
    ),
}
TYPED = {
    "decorators of parameters are called": (
        "function inject(t: any, k: any, i: number) { note(); }\nfunction note() {}\n"
        "class A { constructor(@inject x: number) {} go(@inject y: number) {} }\n",
        {(M, "inject"), ("inject", "note")},
    ),
    "members of enumerations are keys": (
        "enum Op { Add, Sub, Same = 'same' }\n"
        "const table = { [Op.Add]: () => fa(), [Op.Sub]: () => fb(), same: () => fc() };\n"
        "function fa() {}\nfunction fb() {}\nfunction fc() {}\n"
        "function add() { table[Op.Add](); }\nfunction same() { table[Op.Same](); }\n",
        {
            ("<lambda1>", "fa"), ("<lambda2>", "fb"), ("table.same", "fc"),
            ("add", "<lambda1>"), ("same", "table.same"),
        },
    ),
    "blocks of one namespace know each other's names": (
        "namespace A.B { export class C { go() {} } }\n"
        "namespace A.B { export function make() { return new C(); } }\nA.B.make().go();\n",
        {(M, "A.B.make"), (M, "A.B.C.go")},
    ),
    "what is declared to be global hides nothing": (
        "declare global { interface Array<T> { last(): T } }\n"
        "Array.prototype.last = function () { return f(this); };\nfunction f(x: any) {}\n"
        "[1].last();\nexport {};\n",
        {(M, "Array.last"), ("Array.last", "f")},
    ),
    "members that are copied by their descriptors": (
        "class A { go() {} }\nclass B {}\ninterface B extends A {}\n"
        "function mix(to: any, from: any[]) {\n  from.forEach((one) => {\n"
        "    Object.getOwnPropertyNames(one.prototype).forEach((name) => {\n"
        "      Object.defineProperty(to.prototype, name,\n"
        "        Object.getOwnPropertyDescriptor(one.prototype, name) || Object.create(null));\n"
        "    });\n  });\n}\nmix(B, [A]);\nnew B().go();\n",
        {(M, "mix"), ("mix", "mix.<lambda1>"), ("mix.<lambda1>", "mix.<lambda1>.<lambda1>"),
         (M, "A.go")},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES)
def test_resolves(source, expected, edges) -> None:
    assert edges(source, suffix=".js") == expected


@pytest.mark.parametrize(("source", "expected"), TYPED.values(), ids=TYPED)
def test_resolves_typed(source, expected, edges) -> None:
    assert edges(source, suffix=".ts") == expected


def test_scripts_share_their_names_and_modules_do_not(project) -> None:
    project.write("page.js", "var Page = { open() {} };\nfunction start() { shared(); }\n")
    project.write("other.js", "function shared() { Page.open(); }\n")
    project.write("module.js", "exports.go = () => shared();\n")
    project.index("javascript")
    assert project.callers("shared") == ["page.js::start"]
    assert project.callers("Page.open") == ["other.js::shared"]


def test_the_global_object_is_one_for_all_files(project) -> None:
    project.write("setup.js", "global.log = function log() {};\n")
    project.write("main.js", "require('./setup');\nfunction run() { log(); }\n")
    project.index("javascript")
    assert project.callers("log") == ["main.js::run"]


def test_a_script_sees_the_nearest_of_several(project) -> None:
    for name in ("one", "two"):
        project.write(f"{name}/draw.js", "function draw() {}\n")
        project.write(f"{name}/page.js", f"function {name}() {{ draw(); }}\n")
    project.write("page.js", "function outside() { draw(); }\n")
    project.index("javascript")
    assert project.callers("one/draw.js::draw") == ["one/page.js::one"]
    assert project.callers("two/draw.js::draw") == ["two/page.js::two"]


def test_a_function_that_is_wrapped_has_the_name_of_what_that_gives(edges) -> None:
    found = edges(
        "import { memo, forwardRef } from 'react';\nimport _ from 'lodash';\n"
        "const Row = memo(() => cell());\n"
        "export const Table = memo(forwardRef((props, ref) => cell()));\n"
        "const save = _.debounce(/* later */ function () { cell(); }, 100);\n"
        "const own = memo(function inner() { cell(); });\n"
        "const rows = [1].map(() => cell());\n"
        "function cell() {}\n",
        suffix=".jsx",
    )
    callers = {caller for caller, callee in found if callee == "cell"}
    assert callers == {"Row", "Table", "save", "inner", "<lambda1>"}


def test_what_map_makes_of_a_parameter_is_a_list_of_results(edges) -> None:
    found = edges(
        "function matcher(pattern) {\n"
        "  if (Array.isArray(pattern)) {\n"
        "    const each = pattern.map((one) => matcher(one));\n"
        "    return function any(text) { for (const matches of each) matches(text); };\n"
        "  }\n"
        "  return function single(text) {};\n"
        "}\n"
        "module.exports = matcher;\n",
        suffix=".js",
    )
    assert {callee for caller, callee in found if caller == "matcher.any"} == {
        "matcher.any", "matcher.single",
    }  # fmt: skip


def test_a_read_under_an_unknown_key_runs_getters_where_it_stands(project) -> None:
    project.write(
        "main.js",
        "const state = {\n  get first() { return 1; },\n  second() { return 2; },\n};\n"
        "const kept = [];\n"
        "function keep(name) {\n  kept.push(state[name]);\n}\n"
        "function last() { return kept[0]; }\n"
        "keep(process.argv[2]);\nlast();\n",
    )
    project.index("javascript")
    answer = project.call("get_function_context", function_name="state.first", max_depth=1)
    (caller,) = answer["context"]["callers"]
    # of such a read its function alone is known
    assert (caller["name"], caller["call_lines"]) == ("keep", [6])


KEEPING = {
    "a map": "class K extends Map { run(key) { this.get(key)(); } }\n"
             "const k = new K();\nk.set('a', f);\nk.run('a');\n",
    "a map that is given pairs": "class K extends Map { get(key) { return super.get(key); }\n"
                                 "  constructor(pairs) { super(pairs); } }\n"
                                 "new K([['a', f]]).get('a')();\n",
    "a set": "class K extends Set { run() { for (const one of this) one(); } }\n"
             "new K([f]).run();\n",
    "what a set returns": "class K extends Set { run() { this.forEach((one) => one()); } }\n"
                          "new K().add(f).run();\n",
    "an array": "class K extends Array { push(...all) { return super.push(...all); }\n"
                "  last() { return this[this.length - 1]; } }\n"
                "const k = new K();\nk.push(f);\nk.last()();\n",
    "positions": "class K extends Array { put(one) { this[0] = one; return this; } }\n"
                 "new K().put(f)[0]();\n",
    "an array that is given elements": "class K extends Array {}\nnew K(g, f).at(1)();\n",
}  # fmt: skip


@pytest.mark.parametrize("source", KEEPING.values(), ids=KEEPING)
def test_a_class_that_extends_a_container_keeps_elements(source: str, edges: Edges) -> None:
    found = edges({"keep.js": source + "function f() {}\nfunction g() {}\n"})
    assert "keep.js::f" in {callee for _, callee in found}
