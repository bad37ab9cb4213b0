"""Who calls whom in JavaScript and TypeScript, by language feature."""

from __future__ import annotations

import json

import pytest

from toolroll_codegraph.resolve import contexts, solver
from toolroll_codegraph.resolve.layout import Package, PathAlias, ProjectLayout

M = "<module>"

CASES = {
    "what a method returns by way of others is each caller's own": (
        "class Registry {\n  keep(f) { this.all.push(f); return f; }\n"
        "  add(f) { return this.keep(f); }\n"
        "  named(name, f) { const kept = this.add(f); return kept; }\n}\n"
        "const r = new Registry();\nconst one = r.add(function first() {});\n"
        "const two = r.add(function second() {});\n"
        "const three = r.named('x', function third() {});\n"
        "const pick = (f, g) => f || g;\n"
        "function run() { one(); }\nfunction walk() { three(); }\n"
        "function go() { pick(one, two)(); }\nfunction stay() { pick(three, three)(); }\n",
        {
            (M, "Registry.add"),
            (M, "Registry.named"),
            ("Registry.add", "Registry.keep"),
            ("Registry.named", "Registry.add"),
            ("run", "first"),
            ("walk", "third"),
            ("go", "pick"),
            ("stay", "pick"),
            ("go", "first"),
            ("go", "second"),
            ("stay", "third"),
        },
    ),
    "a class's own methods copied to another": (
        "class A { static make() { g(); } go() {} }\nclass B {}\nfunction g() {}\n"
        "Object.assign(B, A);\nB.make();\nconst all = { ...A };\nall.make();\nall.go();\n",
        {(M, "A.make"), ("A.make", "g")},
    ),
    "methods under symbols": (
        "const go = Symbol('go');\nclass A { [go]() { g(); } run() { this[go](); } }\n"
        "function g() {}\nnew A().run();\n",
        {(M, "A.run"), ("A.run", "A.<computed>"), ("A.<computed>", "g")},
    ),
    "a method of a prototype that nobody calls": (
        "function A() {}\nA.prototype.f = function () { this.g(); };\n"
        "A.prototype.g = function () {};\nmodule.exports = A;\n",
        {("A.f", "A.g")},
    ),
    "prototypes that are each other's": (
        "const a = { f() {} };\nconst b = Object.create(a);\nObject.setPrototypeOf(a, b);\n"
        "function C() {}\nC.prototype = b;\nnew C().f();\n",
        {(M, "C"), (M, "a.f")},
    ),
    "any property of an object is also any of its prototype": (
        "const kept = {};\nkept.one = function one() {};\nkept.two = function two() {};\n"
        "const all = Object.create(kept);\n"
        "function run(key) { all[key](); }\nmodule.exports = run;\n",
        {("run", "one"), ("run", "two")},
    ),
    "a table that has nothing under the one name that is known": (
        "const table = { one() {}, two() {} };\n"
        "function run(key) { return table[key] ? table[key]() : ''; }\n"
        "run('three');\nmodule.exports = run;\n",
        {(M, "run"), ("run", "table.one"), ("run", "table.two")},
    ),
    "the names of one object are those that another is asked for": (
        "function A() {}\nA.prototype.go = function () {};\nA.prototype.stop = function () {};\n"
        "A.prototype.other = function () {};\n"
        "const wanted = { go: f, stop: f };\nfunction f() {}\n"
        "function run(a) { Object.keys(wanted).forEach(function each(k) { a[k](); }); }\n"
        "run(new A());\n",
        {(M, "run"), (M, "A"), ("run", "run.each"), ("run.each", "A.go"), ("run.each", "A.stop")},
    ),
    "methods that are made for each of another's": (
        "function Ticket() {}\nTicket.prototype.start = function () {};\n"
        "Ticket.prototype.stop = function () {};\nfunction Tickets() { this.all = []; }\n"
        "Tickets.prototype.push = function (t) { this.all.push(t); };\n"
        "Object.keys(Ticket.prototype).forEach(function make(name) {\n"
        "  Tickets.prototype[name] = function all() { this.all[0][name](); };\n});\n"
        "const tickets = new Tickets();\ntickets.push(new Ticket());\ntickets.start();\n",
        {
            (M, "Tickets"),
            (M, "Tickets.push"),
            (M, "Ticket"),
            (M, "make"),
            (M, "make.all"),
            ("make.all", "Ticket.start"),
            ("make.all", "Ticket.stop"),
        },
    ),
    "what one class has under names that are unknown": (
        "const { METHODS } = require('http');\nfunction Route() {}\nfunction Router() {}\n"
        "METHODS.forEach(function each(name) {\n"
        "  Route.prototype[name] = function handle() {};\n"
        "  Router.prototype[name] = function route() { new Route()[name](); };\n});\n",
        {(M, "each"), ("each.route", "Route"), ("each.route", "each.handle")},
    ),
    "a literal takes no accessor of a class": (
        "class A { constructor() { this.f = f; } get size() { return g(); } }\n"
        "function f() {}\nfunction g() {}\nconst b = { ...new A() };\nb.f();\nb.size;\n",
        {(M, "A.constructor"), (M, "f"), ("A.size", "g")},
    ),
    "a name is no position of an array": (
        "const tasks = [];\nfunction keep(task) { tasks.push(task); }\n"
        "function run() { const end = tasks.return; if (end) end.call(tasks); tasks[0](); }\n"
        "function other() { const end = tasks.return; if (end) end.call(tasks); }\n"
        "keep(function task() {});\nrun();\nother();\n",
        {(M, "keep"), (M, "run"), (M, "other"), ("run", "task")},
    ),
    "a constructor that nobody calls": (
        "function Task() { var self = this; this.go = g; this.run = function () { self.go(); }; }\n"
        "function g() {}\nmodule.exports = Task;\n",
        {("Task.run", "g")},
    ),
    "a library runs the callbacks that it is given": (
        "const _ = require('lodash');\nfunction f(xs) { _.map(xs, g); }\nfunction g() {}\nf([]);\n",
        {(M, "f")},
    ),
    "a library that copies properties": (
        "const extend = require('xtend');\nconst a = { f() { this.g(); } };\n"
        "const b = extend({ g() {} }, a);\nb.f();\n",
        {(M, "a.f"), ("a.f", "g")},
    ),
    "properties that a loop copies to one object after another": (
        "function extend(to, from) { for (const key in from) to[key] = from[key]; return to; }\n"
        "const one = extend({}, { f() {} });\nconst two = extend({}, { g() {} });\n"
        "class C {}\nextend(C.prototype, { h() {} });\nextend(one, { get late() { return k; } });\n"
        "function k() {}\none.f();\ntwo.g();\nnew C().h();\none.late();\n",
        {(M, "extend"), (M, "f"), (M, "g"), (M, "h"), ("extend", "late"), (M, "k")},
    ),
    "a library that hands on how Node inherits": (
        "const lib = require('some-library');\nfunction A() {}\nA.prototype.f = g;\n"
        "function B() {}\nlib.inherits(B, A);\nfunction g() {}\nnew B().f();\n",
        {(M, "B"), (M, "g")},
    ),
    "methods that texts, numbers and functions are given": (
        "String.prototype.f = function () { g(); };\n"
        "Function.prototype.h = function () { this(); };\n"
        "function g() {}\n'a'.f();\ng.h();\n",
        {(M, "String.f"), ("String.f", "g"), (M, "Function.h"), ("Function.h", "g")},
    ),
    "what a file throws may be caught in it": (
        "class E extends Error { why() {} }\nfunction f() { throw new E(); }\n"
        "try { f(); } catch (e) { e.why(); }\n",
        {(M, "f"), (M, "E.why")},
    ),
    "a pattern takes apart what an iterator gives": (
        "const a = { [Symbol.iterator]() { return { next() { return { value: g }; } }; } };\n"
        "const [f] = a;\nf();\nfunction one([h]) { h(); }\none([k]);\n"
        "function g() {}\nfunction k() {}\n",
        {
            (M, "a.@@iterator"),
            (M, "a.@@iterator.next"),
            (M, "g"),
            (M, "one"),
            ("one", "k"),
        },
    ),
    "an iterator written by hand": (
        "const a = { [Symbol.iterator]() { return { next() { return { value: g }; } }; } };\n"
        "function g() {}\nfor (const f of a) f();\n",
        {(M, "a.@@iterator"), (M, "a.@@iterator.next"), (M, "g")},
    ),
    "a property defined under what is no name": (
        "function k() {}\nconst o = {};\nObject.defineProperty(o, k, { value: k });\nk();\n",
        {(M, "k")},
    ),
    "described properties": (
        "const a = Object.create({ f() { this.g(); } }, { g: { value: h } });\n"
        "function h() {}\na.f();\n",
        {(M, "f"), ("f", "h")},
    ),
    "prototypes and inheritance": (
        "function A() {}\nA.prototype.go = function () {};\nfunction B() { A.call(this); }\n"
        "B.prototype = Object.create(A.prototype);\nnew B().go();\n",
        {(M, "B"), ("B", "A"), (M, "A.go")},
    ),
    "this of a bound function": (
        "function a() { this.go(); }\nconst o = { go() {} };\na.bind(o)();\n",
        {(M, "a"), ("a", "o.go")},
    ),
    "callbacks of array methods": (
        "const o = { a() {} };\n[o.a].forEach(f => f());\n",
        {(M, "<lambda1>"), ("<lambda1>", "o.a")},
    ),
    "callbacks of unknown receivers": (
        "function a() {}\nexport function run(list) { list.map(a); }\n",
        {("run", "a")},
    ),
    "getters, setters and static members": (
        "class A { get v() { return 1; } set v(x) {} static make() { return new A(); } }\n"
        "const a = A.make();\na.v;\na.v = 1;\n",
        {(M, "A.make"), (M, "A.v")},
    ),
    "a mixin of classes": (
        "const M = B => class extends B { m() { this.b(); } };\nclass A { b() {} }\n"
        "class C extends M(A) {}\nnew C().m();\n",
        {(M, "M"), (M, "M.<class>.m"), ("M.<class>.m", "A.b")},
    ),
    "a variable that an inner function fills": (
        "let f = null;\nfunction set(g) { f = g; }\nfunction a() {}\nset(a);\nf();\n",
        {(M, "set"), (M, "a")},
    ),
    "a class that instanceof tells": (
        "class A { f() {} }\nexport function use(x) { if (x instanceof A) x.f(); }\n",
        {("use", "A.f")},
    ),
    "what a promise is rejected with": (
        "class E { show() {} }\nfunction fail() { return Promise.reject(new E()); }\n"
        "function recover(e) { e.show(); }\nfail().catch(recover);\n",
        {(M, "fail"), ("recover", "E.show")},
    ),
    "a text made of an object": (
        "class A { toString() { return ''; } }\nfunction f(a) { return `${a}`; }\nf(new A());\n",
        {(M, "f"), ("f", "A.toString")},
    ),
    "block scope": (
        "function a() {}\nfunction b() {}\nlet x = a;\n{ let x = b; x(); }\nx();\n",
        {(M, "a"), (M, "b")},
    ),
    "a component": (
        "function Button() {}\nfunction App() { return <div><Button/></div>; }\n",
        {("App", "Button")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source, suffix=".js") == expected


def test_what_is_under_one_symbol_is_no_copy_of_all(edges) -> None:
    found = edges(
        {
            "names.mjs": "export const KEPT = Symbol('kept');\n",
            "main.mjs": "import { KEPT } from './names.mjs';\n"
            "class A { get size() { return g(); } }\nclass B {}\nfunction g() {}\n"
            "function hand(to, from) { to[KEPT] = from[KEPT]; }\n"
            "const from = new A(), to = new B();\nfrom[KEPT] = g;\nhand(to, from);\n"
            "to[KEPT]();\n",
        }
    )
    assert found == {(M, "hand"), (M, "g"), ("A.size", "g")}


def test_modules_both_ways(edges) -> None:
    found = edges(
        {
            "main.js": "const lib = require('./lib');\nlib.a();\n"
            "import d, { x } from './esm.mjs';\n"
            "d(); x();\nimport('./lazy').then(m => m.late());\n",
            "lib/index.js": "const { a } = require('./a');\nmodule.exports = { a };\n",
            "lib/a.js": "exports.a = function a() {};\n",
            "esm.mjs": "export * from './more.mjs';\nexport { y as default } from './more.mjs';\n",
            "more.mjs": "export function x() {}\nexport const y = () => {};\n",
            "lazy.js": "export function late() {}\n",
        }
    )
    assert found == {
        (M, "lib/a.js::a"),
        (M, "more.mjs::y"),
        (M, "more.mjs::x"),
        ("<lambda1>", "lazy.js::late"),
    }


def test_a_barrel_gives_what_its_modules_export_not_what_they_get_from_it(edges) -> None:
    found = edges(
        {
            "all.ts": "export * from './errors';\nexport * from './common';\n"
            "export * from './old.cjs';\n",
            "errors.ts": "import { check } from './all';\nfunction own() {}\n"
            "export function die(e: any) { check(e); own(); }\n",
            "common.ts": "import { die } from './all';\n"
            "export let check = (e: any) => { if (!e) die(e); };\n"
            "export function own() {}\n",
            "old.cjs": "function past() {}\nmodule.exports = { past };\n",
            "main.ts": "import { check, die, own, past } from './all';\n"
            "check(1); die(2); own(); past();\n",
        }
    )
    assert found == {
        ("errors.ts::die", "common.ts::check"),
        ("errors.ts::die", "errors.ts::own"),
        ("common.ts::check", "errors.ts::die"),
        (M, "common.ts::check"),
        (M, "errors.ts::die"),
        (M, "common.ts::own"),
        (M, "old.cjs::past"),
    }


def test_aliases_and_workspace_packages(edges) -> None:
    layout = ProjectLayout(
        packages=(Package("packages/core", "@me/core", ("packages/core/src/index",)),),
        aliases=(PathAlias("", "@/*", ("app/*",)),),
    )
    found = edges(
        {
            "main.ts": "import { a } from '@/util.js';\nimport { b } from '@me/core';\na(); b();\n",
            "app/util.ts": "export function a() {}\n",
            "packages/core/src/index.ts": "export function b() {}\n",
        },
        layout=layout,
    )
    assert found == {(M, "app/util.ts::a"), (M, "packages/core/src/index.ts::b")}


def test_what_packages_export_and_import_is_found_in_their_sources(project) -> None:
    exports = {
        ".": {"import": "./dist/index.mjs", "require": "./dist/index.cjs"},
        "./util": "./dist/lib/util.js",
        "./deep/*": {"types": "./dist/lib/*.d.ts", "default": "./dist/lib/*.js"},
    }
    project.write("core/package.json", json.dumps({"name": "@me/core", "exports": exports}))
    project.write("core/src/index.ts", "export function a() {}\n")
    project.write("core/src/lib/util.ts", "export function u() {}\n")
    project.write("core/src/lib/thing.ts", "export default function thing() {}\n")
    project.write(
        "app/package.json",
        json.dumps({"name": "app", "imports": {"#inner/*": {"default": "./build/inner/*.js"}}}),
    )
    project.write("app/src/inner/x.ts", "export function x() {}\n")
    project.write(
        "app/src/main.ts",
        "import { a } from '@me/core'\nimport { u } from '@me/core/util'\n"
        "import deep from '@me/core/deep/thing'\nimport { x } from '#inner/x'\n"
        "export function run() { a(); u(); deep(); x() }\n",
    )
    project.write(
        "plain/package.json", json.dumps({"name": "one", "exports": {"node": "./main.js"}})
    )
    project.write("plain/main.js", "exports.one = function one() {}\n")
    project.write("plain/test.js", "require('one').one()\n")
    project.index("typescript", "javascript")
    for name in ("a", "u", "thing", "x"):
        assert project.callers(name) == ["app/src/main.ts::run"], name
    assert project.callers("one") == ["plain/test.js::<module>"]


def test_prototypes_in_a_circle_end(edges) -> None:
    found = edges(
        "const a = {}, b = {};\nObject.setPrototypeOf(a, b);\nObject.setPrototypeOf(b, a);\n"
        "a.go = function () {};\nb.go();\nb.missing();\n",
        suffix=".js",
    )
    assert found == {("<module>", "a.go")}


def test_a_type_that_is_made_is_no_function(project) -> None:
    project.write(
        "a.ts",
        "interface A {}\ninterface B {}\ndeclare const A: any;\n"
        "export function f() { new A(); new B(); return g(); }\nfunction g() {}\n",
    )
    project.index("typescript")
    assert project.callers("g") == ["a.ts::f"]


def test_typescript_that_the_grammar_does_not_know(project) -> None:
    project.write(
        "a.ts",
        "export interface Box<in out Key extends string, out Value = unknown> { key: Key }\n"
        "export const map: {\n"
        "  /** Of a function. */\n"
        "  <A, B>(f: (a: A) => B): (list: Array<A>) => Array<B>\n"
        "  // Of both.\n"
        "  <A, B>(list: Array<A>, f: (a: A) => B): Array<B>\n"
        "} = dual()\n"
        "function dual(): any { return make() }\n"
        "function make() {}\n",
    )
    assert project.index("typescript")["parse_errors"] == 0
    assert project.callers("make") == ["a.ts::dual"]


def test_newer_typescript_that_the_grammar_does_not_know(project) -> None:
    project.write("a.ts", "export type * from './b'\nexport type * as all from './b'\n")
    project.write(
        "b.tsx",
        "export abstract class Box {\n  abstract override size: number\n"
        "  static accessor made = make()\n  open() { make() }\n}\n"
        "export async function all(files: Box[]) {\n"
        "  for await (using file of files) { file.open() }\n"
        "  for (using it of files) it.open()\n}\n"
        'export const Link = () => <a href="/?a=1&utm=2&amp;b">{make()}</a>\n'
        "function make() {}\n",
    )
    assert project.index("typescript")["parse_errors"] == 0
    assert project.callers("make") == ["b.tsx::<module>", "b.tsx::Box.open", "b.tsx::Link"]
    assert project.callers("open") == ["b.tsx::all"]


@pytest.mark.parametrize("suffix", [".js", ".ts"])
def test_what_is_used_for_a_while_is_disposed_of(edges, suffix: str) -> None:
    found = edges(
        "class File { read() {} [Symbol.dispose]() {} }\n"
        "class Pipe { read() {} async [Symbol.asyncDispose]() {} }\n"
        "function one() { using it = new File(); it.read(); }\n"
        "async function two() { await using it = new Pipe(); it.read(); }\n",
        suffix=suffix,
    )
    assert found == {
        ("one", "File.read"), ("one", "File.@@dispose"), ("two", "Pipe.read"),
        ("two", "Pipe.@@asyncDispose"),
    }  # fmt: skip


def test_a_name_of_a_type_takes_no_other_code_along(project) -> None:
    project.write(
        "a.ts",
        "import { Base } from './b.js'\n"
        "export type Parsed<\n"
        "  serialized extends string = string,\n"
        "  type extends Kind = KindOf<serialized>,\n"
        "> = Narrow<serialized> extends true\n"
        "  ?\n"
        "      | (type extends 'a' ? A : never)\n"
        "      | (type extends 'b'\n"
        "          ? B<bigint>\n"
        "          : never)\n"
        "  : string\n"
        "\n"
        "export function parse(text: string): Parsed<string> { return make(text) }\n"
        "function make(text: any) { return text }\n"
        "class Box extends Base {\n"
        "  open() { return this.close() }\n"
        "}\n",
    )
    project.write("b.ts", "export class Base {\n  close() {}\n}\n")
    assert project.index("typescript")["parse_errors"] == 0
    assert project.callers("make") == ["a.ts::parse"]
    assert project.callers("close") == ["a.ts::Box.open"]


def test_javascript_that_the_grammar_does_not_know(project) -> None:
    project.write(
        "a.mjs", "function void_() { make() }\nfunction make() {}\nexport { void_ as void }\n"
    )
    project.write(
        "b.mjs", "import * as a from './a.mjs'\nexport const Box = () => <p>{a.void()}</p>\n"
    )
    project.write(
        "flow.js",
        "// @flow\nimport type { Shop } from './shop'\n"
        "export function open(shop: ?Shop, day: number = 1): Array<string> { return close(shop) }\n"
        "function close(shop: Shop) { return [] }\n",
    )
    assert project.index("javascript")["parse_errors"] == 0
    assert project.callers("void_") == ["b.mjs::Box"]
    assert project.callers("close") == ["flow.js::open"]


def test_a_line_after_an_arrow_goes_on_with_it(project) -> None:
    project.write(
        "a.ts",
        "export const map: {\n"
        "  <A>(list: Array<A>): Array<A>\n"
        "  <A>(value: A, list: Array<A>): Array<A>\n"
        "} = dual()\n"
        "const bits = (byte: number): number =>\n"
        "  (byte & 1) + make()\n"
        "const lift = (byte: number) =>\n"
        "  <A>(value: A) => bits(byte)\n"
        "function dual(): any { return lift(1)(2) }\n"
        "function make() { return 1 }\n",
    )
    assert project.index("typescript")["parse_errors"] == 0
    assert project.callers("make") == ["a.ts::bits"]


def test_a_namespace_joins_the_function_of_its_name(edges) -> None:
    source = (
        "function config() { return config.load(); }\n"
        "namespace config { export function load() {} }\n"
        "namespace Outer { export namespace Inner { export function f() {} } }\n"
        "import Short = Outer.Inner;\nconfig();\nShort.f();\n"
    )
    assert edges(source, suffix=".ts") == {
        (M, "config"),
        ("config", "config.load"),
        (M, "Outer.Inner.f"),
    }


def test_members_of_types_end_before_comments_and_long_type_parameters(project) -> None:
    project.write(
        "a.ts",
        "export const map: {\n"
        "  // mapping\n"
        "  <A, B>(f: (a: A) => B): (list: Array<A>) => Array<B>\n"
        "\n"
        "  // ------\n"
        "  // mapping, the list first\n"
        "\n"
        "  /** Of both. */\n"
        "  <\n    A,\n    F extends (a: A) => unknown\n  >(list: Array<A>, f: F): Array<A>\n"
        f"  {'/' * 200}\n"
        f"  // {'/' * 200} x\n"
        "  length: number\n"
        "} = pipe(\n  make,\n  // the last\n  (made) => dual(made)\n)\n"
        "function dual(made: any): any { return make() }\n"
        "function make() {}\n"
        "function pipe(value: any, then: any) { return then(value) }\n",
    )
    assert project.index("typescript")["parse_errors"] == 0
    assert project.callers("make") == ["a.ts::dual"]


def test_a_parameter_may_be_any_of_many_functions_and_they_get_the_arguments(edges) -> None:
    steps = [f"step{number}" for number in range(20)]
    source = (
        "function log() {}\n"
        "function run(step, write) { step.call(null, write); }\n"
        + "".join(f"function {step}(write) {{ write(); }}\n" for step in steps)
        + "".join(f"run({step}, log);\n" for step in steps)
    )
    assert edges(source, suffix=".js") == {
        (M, "run"),
        *(("run", step) for step in steps),
        *((step, "log") for step in steps),
    }


def test_names_in_a_list_that_a_loop_counts_through_are_keys(edges) -> None:
    names = [f"make{number}" for number in range(20)]
    source = (
        f"const names = {names};\n"
        "function load(made) {\n"
        "  for (let i = 0; i < names.length; i++) { const name = names[i]; made[name](); }\n"
        "}\n"
        "load({ other() {}, " + ", ".join(f"{name}() {{}}" for name in names) + " });\n"
    )
    assert edges(source, suffix=".js") == {(M, "load"), *(("load", name) for name in names)}


def test_a_table_under_an_unknown_key_may_be_any_of_many_functions(edges) -> None:
    names = [f"visit{number}" for number in range(20)]
    source = (
        "function done() {}\n"
        "const table = {};\n"
        + "".join(f"table.{name} = function {name}(node, then) {{ then(); }};\n" for name in names)
        + "exports.walk = function walk(node) { table[node.type](node, done); };\n"
    )
    assert edges(source, suffix=".js") == {
        *(("walk", name) for name in names),
        *((name, "done") for name in names),
    }


@pytest.mark.parametrize("number", [8, 24])
def test_a_table_of_which_few_keys_are_known_is_read_under_others_too(edges, number: int) -> None:
    kinds = [f"kind{index}" for index in range(number)]
    files = {f"rules/{name}.js": f"module.exports = function {name}() {{}};\n" for name in kinds}
    table = ", ".join(f"{name}: require('./rules/{name}')" for name in kinds)
    found = edges(
        {
            **files,
            "main.js": f"function load() {{ return {{ {table} }}; }}\n"
            "class Checker {\n"
            "  constructor() { this.rules = load(); }\n"
            "  all(of) { return this.check({ type: 'kind1', of }); }\n"
            "  check(schema) { const rule = this.rules[schema.type]; rule.call(this, schema); }\n"
            "}\nmodule.exports = Checker;\n",
        }
    )
    assert {callee for caller, callee in found if caller == "Checker.check"} == {
        f"rules/{name}.js::{name}" for name in kinds
    }


def test_a_table_that_others_read_is_read_under_the_keys_that_are_known(edges) -> None:
    source = (
        "const table = { one() {}, two() {}, three() {}, four() {}, five() {} };\n"
        "function run(key) { table[key](); }\nrun('one');\n"
        "function rest() { table.two(); table.three(); table.four(); table.five(); }\n"
    )
    assert ("run", "table.two") not in edges(source, suffix=".js")


def test_a_scope_that_asks_the_one_around_it_gives_what_a_name_stands_for(edges) -> None:
    source = (
        "function scope(outer) {\n  const names = Object.create(null);\n  return {\n"
        "    bind: function (name, value) { names[name] = value; },\n"
        "    lookup: function (name) {\n      let value;\n"
        "      if (names[name]) value = names[name];\n"
        "      else if (outer) value = outer.lookup(name);\n      return value;\n    },\n  };\n}\n"
        "const top = scope(null), inner = scope(top);\n"
        "top.bind('sum', function sum() {});\ntop.bind('max', function max() {});\n"
        "function one() { inner.lookup('sum')(); }\nfunction two() { inner.lookup('max')(); }\n"
        "function any(name) { inner.lookup(name)(); }\n"
    )
    found = edges(source, suffix=".js")
    called = {edge for edge in found if edge[1] in ("sum", "max")}
    assert called == {("one", "sum"), ("two", "max"), ("any", "sum"), ("any", "max")}


def test_rows_with_functions_are_told_as_many_as_functions(edges) -> None:
    rows = "".join(f"  [/^{number}/, function rule{number}() {{}}],\n" for number in range(24))
    source = (
        f"const rules = [\n{rows}];\nexports.next = function next(text) {{\n"
        "  for (let i = 0; i < rules.length; i++) {\n"
        "    if (rules[i][0].test(text)) return rules[i][1].call(this);\n  }\n};\n"
    )
    assert len([callee for caller, callee in edges(source, suffix=".js") if caller == "next"]) == 24


def test_one_text_does_not_keep_a_table_from_being_one(edges) -> None:
    names = [f"visit{number}" for number in range(24)]
    source = (
        "const table = { title: [] };\n"
        + "".join(f"table.{name} = function {name}() {{}};\n" for name in names)
        + "exports.walk = function walk(node) { table[node.type](node); };\n"
    )
    assert edges(source, suffix=".js") == {("walk", name) for name in names}


def test_options_with_lists_and_texts_are_no_table(edges) -> None:
    names = [f"make{number}" for number in range(20)]
    source = (
        "const options = { months: ['may'], label: 'x' };\n"
        + "".join(f"options.{name} = function {name}() {{}};\n" for name in names)
        + "exports.read = function read(key) { return options[key](); };\n"
    )
    assert len(edges(source, suffix=".js")) <= 16  # as many as weaker evidence tells of


def test_a_method_that_may_be_any_of_many_of_other_names_is_none_of_them(edges) -> None:
    tables = ", ".join(f"m{number}() {{}}" for number in range(20))
    found = edges(
        f"const all = {{ {tables} }};\nfunction pick(key) {{ return all[key + 1]; }}\n"
        "const some = new Proxy({}, { get(target, key) { return pick(key); } });\n"
        "function run() {\n  some.start();\n  some.m3();\n}\nrun();\n",
        suffix=".js",
    )
    assert found == {(M, "run"), ("run", "get"), ("get", "pick"), ("run", "all.m3")}


def test_a_method_may_be_any_of_many_that_are_kept_under_its_name(edges) -> None:
    functions = "".join(f"function f{number}() {{}}\non(f{number});\n" for number in range(20))
    found = edges(
        f"{functions}const route = {{}};\nfunction on(f) {{ route.handle = f; }}\n"
        "function run() { route.handle(); }\nrun();\n",
        suffix=".js",
    )
    assert found == {(M, "run"), (M, "on"), *(("run", f"f{number}") for number in range(20))}


def test_a_program_in_which_reading_takes_squares_of_work_keeps_fewer_functions(
    edges, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"f{number}" for number in range(40)]
    source = "".join(f"function {name}() {{}}\n" for name in names)
    source += f"const all = [{', '.join(names)}], one = {{ f: f0 }};\none.f();\n"
    source += "export function go(k) { all[k](); }\n"
    told = edges(source, suffix=".js")
    assert {("go", name) for name in names} < told
    monkeypatch.setattr(solver, "_PATIENCE", 0)
    assert (M, "f0") in edges(source, suffix=".js") < told


@pytest.mark.parametrize(
    "body",
    [
        "return new this.constructor();",
        "const made = new this.constructor(); made.size = 1; return made;",
        "return Object.create(Object.getPrototypeOf(this));",
        "return Object.assign(Object.create(this.constructor.prototype), this);",
        "const made = this.base(); made.size = 1; return made;",
    ],
)
def test_a_copy_of_the_receiver_is_each_callers_own(edges, body: str) -> None:
    source = (
        "class Base {\n  base() { return new this.constructor(); }\n"
        f"  make() {{ {body} }}\n}}\n"
        "class A extends Base { go() {} }\nclass B extends Base { go() {} }\n"
        "function a() { new A().make().go(); }\nfunction b() { new B().make().go(); }\na();\nb();\n"
    )
    found = {edge for edge in edges(source, suffix=".js") if edge[1].endswith(".go")}
    assert found == {("a", "A.go"), ("b", "B.go")}


def test_what_a_static_method_makes_is_of_the_class_it_is_called_on(edges) -> None:
    source = (
        "class Base {\n  static make() { return new this(); }\n"
        "  static of(size) { const made = new this(); made.size = size; return made; }\n}\n"
        "class A extends Base { go() {} }\nclass B extends Base { go() {} }\n"
        "function a() { A.make().go(); }\nfunction b() { B.of(1).go(); }\na();\nb();\n"
    )
    found = {edge for edge in edges(source, suffix=".js") if edge[1].endswith(".go")}
    assert found == {("a", "A.go"), ("b", "B.go")}


def test_a_method_runs_on_no_object_of_a_class_beside_its_own(
    edges, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contexts, "_MOST_SCOPES", 0)  # as in larger programs
    source = (
        "class Base {\n  press(key) { const f = this.options[key] || this.go; f.call(this); }\n}\n"
        "class A extends Base { go() { this.show(); } show() {} }\n"
        "class B extends Base { go() { this.show(); } show() {} }\n"
        "class Other { end() { this.show(); } }\n"
        "new A().press();\nnew B().press();\nOther.prototype.end.call(new A());\n"
    )
    found = {edge for edge in edges(source, suffix=".js") if edge[1].endswith(".show")}
    assert found == {("A.go", "A.show"), ("B.go", "B.show"), ("Other.end", "A.show")}


def test_what_is_added_to_a_parameter_that_nobody_passes_is_called_on_it(edges) -> None:
    found = edges(
        "const added = { logIn() { this.note(); } };\nfunction note() {}\n"
        "exports.start = function start(request) {\n"
        "  request.logIn = request.logIn || added.logIn;\n  request.note = note;\n"
        "  return function later() { request.logIn(); request.other(); };\n};\n",
        suffix=".js",
    )
    assert found == {("start.later", "added.logIn"), ("added.logIn", "note")}


_LISTING = (
    "function Shelf() { this.size = 0; }\n"
    "Shelf.prototype.add = function (it) { this[this.size++] = it; };\n"
    "Shelf.prototype.all = function () {\n"
    "  for (var i = 0; i < this.size; i++) this[i].read();\n};\n"
    "class Book { read() {} }\nclass Shop { open() {} read() {} }\n"
)


def test_what_stands_at_a_position_has_no_name(edges) -> None:
    found = edges(
        _LISTING + "const shelf = new Shelf();\nshelf.add(new Book());\nshelf.all();\n"
        "const shop = { keeper: new Shop(), length: 0 };\n"
        "function visit(list) { for (let i = 0; i < list.length; i++) list[i].read(); }\n"
        "function last(list) { return list[list.length - 1]; }\n"
        "visit([new Book()]);\nvisit(shop);\nlast(shop).open();\n"
        "const like = { 0: new Shop(), length: 1 };\n"
        "function show() { for (let i = 0; i < like.length; i++) like[i].open(); }\nshow();\n",
        suffix=".js",
    )
    assert found == {
        *(("<module>", name) for name in ("Shelf", "Shelf.add", "Shelf.all", "visit", "last")),
        ("<module>", "show"),
        ("Shelf.all", "Book.read"),
        ("visit", "Book.read"),
        ("show", "Shop.open"),
    }


def test_a_test_within_a_condition_of_a_loop_leaves_the_value_as_it_was(edges) -> None:
    found = edges(
        "function merge(to, from, deep) {\n  let copy;\n  for (const name in from) {\n"
        "    copy = from[name];\n"
        "    if (deep && copy && (Array.isArray(copy) || isPlain(copy))) "
        "to[name] = merge({}, copy);\n"
        "    else if (copy !== undefined) to[name] = copy;\n  }\n  return to;\n}\n"
        "function isPlain(it) { return typeof it === 'object'; }\n"
        "const base = { a() {} };\n"
        "merge(base, { b() {}, c() {} });\nbase.b();\n",
        suffix=".js",
    )
    assert {callee for caller, callee in found if caller == "<module>"} == {"merge", "b"}


def test_functions_alone_are_copied_under_their_names(edges) -> None:
    found = edges(
        "const to = {};\nfunction mix(from) {\n  for (const key in from) {\n"
        "    const value = from[key];\n"
        "    if (typeof value === 'function') to[key] = value;\n  }\n}\n"
        "mix({ a() {}, b() {} });\nto.a();\n",
        suffix=".js",
    )
    assert found == {("<module>", "mix"), ("<module>", "a")}


def test_what_is_spread_may_be_empty(edges) -> None:
    found = edges(
        "function run(task, ...values) { task(...values, done); }\nfunction done() {}\n"
        "function one(next) { next(); }\nfunction two(value, next) { next(value()); }\n"
        "const given = () => 1;\nrun(one);\nrun(two, given);\n",
        suffix=".js",
    )
    assert {("one", "done"), ("two", "done"), ("two", "given")} <= found


def test_a_module_is_asked_for_what_it_exports(edges) -> None:
    found = edges(
        {
            "main.js": "import * as all from './all.js';\n"
            "function run() { for (const it of Object.values(all)) it.go(); }\n"
            "function pick(key) { all[key].go(); }\nrun();\npick(process.argv[2]);\n",
            "all.js": "export * from './star.js';\nexport const own = { go() {} };\n"
            "const hidden = { go() {} };\n",
            "star.js": "export const star = { go() {} };\nconst secret = { go() {} };\n",
        }
    )
    for caller in ("run", "pick"):
        told = {callee for known, callee in found if known == caller}
        assert told == {"all.js::own.go", "star.js::star.go"}


def test_the_prototype_of_an_object_is_what_it_was_made_of(edges) -> None:
    found = edges(
        "const base = { step() {} };\nconst made = { __proto__: base, step() {} };\n"
        "Reflect.getPrototypeOf(made).step();\n",
        suffix=".js",
    )
    assert found == {("<module>", "base.step")}
