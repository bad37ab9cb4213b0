"""Who calls whom in what packages of JavaScript are written with: registries, mixins, helpers."""

from __future__ import annotations

import pytest

M = "<module>"

CASES = {
    "each function is kept under the name that comes with it": (
        "const all = {};\nfunction on(name, f) { all[name] = f; }\non('a', fa);\non('b', fb);\n"
        "function fa() {}\nfunction fb() {}\nfunction run() { all.a(); }\nrun();\n",
        {(M, "on"), (M, "run"), ("run", "fa")},
    ),
    "each call gets what is kept under its name": (
        "const all = { a: fa, b: fb };\nfunction get(name) { return all[name]; }\n"
        "function fa() {}\nfunction fb() {}\nfunction run() { get('b')(); }\nrun();\n",
        {(M, "run"), ("run", "get"), ("run", "fb")},
    ),
    "a helper that defines getters": (
        "function lazy(o, name, get) { Object.defineProperty(o, name, { get: get }); }\n"
        "const o = {};\nlazy(o, 'a', () => fa);\nlazy(o, 'b', () => fb);\n"
        "function fa() {}\nfunction fb() {}\nfunction run() { o.a(); }\nrun();\n",
        {(M, "lazy"), (M, "run"), ("run", "<lambda1>"), ("run", "fa")},
    ),
    "a call that gives nothing keeps the default": (
        "const all = {};\nfunction on(name, f = fa) { all[name] = f; }\non('a');\non('b', fb);\n"
        "function fa() {}\nfunction fb() {}\nfunction run() { all.a(); }\nrun();\n",
        {(M, "on"), (M, "run"), ("run", "fa")},
    ),
    "a call that gives nothing gets back the default": (
        "function pick(f = fa) { return f; }\nconst second = (x, o = { go() {} }) => o;\n"
        "function fa() {}\nfunction fb() {}\nfunction run() { pick()(); second(1).go(); }\n"
        "function other() { pick(fb)(); }\n",
        {
            ("run", "pick"),
            ("run", "fa"),
            ("run", "second"),
            ("run", "second.o.go"),
            ("other", "pick"),
            ("other", "fb"),
        },
    ),
    "a trap calls a method of what it traps the reads of": (
        "function fa() {}\n"
        "const traps = { get(o, name) { o.held.fa(); return o[name]; } };\n"
        "const o = { fa };\nconst proxy = new Proxy({ fa, held: o }, traps);\no.held = proxy;\n"
        "function run() { new Proxy({ fa, held: proxy }, traps).fa(); }\n",
        {
            ("run", "fa"),
            ("run", "traps.get"),
            ("traps.get", "fa"),
            ("traps.get", "traps.get"),
        },
    ),
    "an object's functions are replaced by what wraps them": (
        "function wrap(f) { return function outer() { return f(); }; }\n"
        "function every(o) { for (const k of Object.keys(o)) o[k] = wrap(o[k]); return o; }\n"
        "const o = every({ a: fa });\nfunction fa() {}\nfunction run() { o.a(); }\nrun();\n",
        {
            (M, "every"),
            (M, "run"),
            ("every", "wrap"),
            ("run", "wrap.outer"),
            ("run", "fa"),
            ("wrap.outer", "fa"),
            ("wrap.outer", "wrap.outer"),
        },
    ),
    "what returns another method's receiver returns its own": (
        "class A { rule() { return this; } need() { return this.rule(); } done() {} }\n"
        "class B extends A { done() {} }\nclass C extends A { done() {} }\n"
        "function b() { new B().need().done(); }\nfunction c() { new C().need().done(); }\n"
        "b();\nc();\n",
        {
            (M, "b"),
            (M, "c"),
            ("b", "A.need"),
            ("c", "A.need"),
            ("A.need", "A.rule"),
            ("b", "B.done"),
            ("c", "C.done"),
        },
    ),
    "what is read of a parameter tells classes with the same method apart": (
        "class Context { header() {} get req() {} get res() {} }\nclass Request { header() {} }\n"
        "exports.cors = function cors(c) { c.req; c.res; c.header(); };\n",
        {("cors", "Context.header"), ("cors", "Context.req"), ("cors", "Context.res")},
    ),
    "what a text is split into is a list of what each part is made": (
        "class A { run() {} }\nclass B { run() {} }\n"
        "function parse(text) {\n  return text.split(' ').filter(Boolean)\n"
        "    .map((part) => part ? new A() : new B());\n}\n"
        "exports.run = function run(text) { for (const one of parse(text)) one.run(); };\n",
        {
            ("parse", "parse.<lambda1>"),
            ("run", "parse"),
            ("run", "A.run"),
            ("run", "B.run"),
        },
    ),
    "arguments that are spread may be any": (
        "const all = {};\nfunction on(name, f) { all[name] = f; }\non(...['a', fa]);\n"
        "function fa() {}\nall.a();\n",
        {(M, "on"), (M, "fa")},
    ),
    "properties of what a function inherits from": (
        "function base() {}\nbase.go = function go() { return this.end(); };\n"
        "base.end = function end() {};\nfunction f() {}\n"
        "Object.setPrototypeOf(f, base);\nf.go();\n",
        {(M, "go"), ("go", "end")},
    ),
    "a parameter that is used as objects of one prototype are": (
        "function Graph() {}\nGraph.prototype.nodes = function () {};\n"
        "Graph.prototype.sinks = function () {};\nexports.Graph = Graph;\n"
        "exports.sort = function (g) { g.nodes(); g.sinks(); };\n",
        {("sort", "Graph.nodes"), ("sort", "Graph.sinks")},
    ),
    "what an attribute is used as wherever it is read": (
        "class Schema { types() {} roots() {} }\nexports.Schema = Schema;\n"
        "class Context { constructor(schema) { this.schema = schema; } }\n"
        "exports.check = function (schema) { const c = new Context(schema); one(c); two(c); };\n"
        "function one(context) { context.schema.types(); }\n"
        "function two(context) { const { schema } = context; schema.roots(); }\n",
        {
            ("check", "Context.constructor"),
            ("check", "one"),
            ("check", "two"),
            ("one", "Schema.types"),
            ("two", "Schema.roots"),
        },
    ),
    "methods of a literal that is copied to a prototype": (
        "function A() {}\nA.prototype.push = function () {};\n"
        "Object.assign(A.prototype, { add() { this.push(); } });\nmodule.exports = A;\n",
        {("add", "A.push")},
    ),
    "what Lodash's packages copy and bind": (
        "const _ = { extend: require('lodash.assignin'), bind: require('lodash/bind') };\n"
        "const a = {};\n_.extend(a, { go() { this.end(); }, end() {} });\n"
        "a.go();\n_.bind(function () { this.end(); }, a)();\n",
        {(M, "go"), ("go", "end"), (M, "<lambda1>"), ("<lambda1>", "end")},
    ),
    "what a library makes of a function is called on the same object": (
        "const wrap = require('wrap');\nfunction A() {}\n"
        "A.prototype.build = wrap(function* () { this.clean(); });\n"
        "A.prototype.clean = function () {};\nmodule.exports = A;\n",
        {("<lambda1>", "A.clean")},
    ),
    "what is only read of a copied literal hides nothing": (
        "function Base() {}\nBase.prototype.push = function () {};\n"
        "function A() {}\nrequire('util').inherits(A, Base);\n"
        "Object.assign(A.prototype, { add() { this.push(); } });\nnew A().add();\n",
        {(M, "A"), (M, "add"), ("add", "Base.push")},
    ),
    "functions under names not known are not what others define": (
        "const a = {};\na[key()] = function f() {};\nclass B { save() {} }\n"
        "a.run = function run() { this.save(); this.split(); this.other(); };\n",
        {("run", "f")},
    ),
    "callbacks in another place are not called here": (
        "function f(it, list) { it.map(list, g); list.filter(h, it); 'a'.replace(/a/, r); }\n"
        "function g() {}\nfunction h() {}\nfunction r() {}\n",
        {("f", "h"), ("f", "r")},
    ),
    "descriptors are not what getters are called on": (
        "function lazy(o, name, get) { Object.defineProperty(o, name, { get: get }); }\n"
        "const o = { get(x) {} };\nlazy(o, 'a', function fa() { return this.get(1); });\n"
        "lazy(o, 'b', function fb() { return 1; });\n",
        {(M, "lazy"), ("fa", "o.get")},
    ),
    "each import has its own module": (
        "function interop(m) { return m && m.__esModule ? m : { default: m }; }\n"
        "const a = interop(fa), b = interop({ __esModule: true, default: fb });\n"
        "function fa() {}\nfunction fb() {}\n"
        "function x() { (0, a.default)(); }\nfunction y() { b.default(); }\n",
        {(M, "interop"), ("x", "fa"), ("y", "fb")},
    ),
    "each call gets what its own argument returns": (
        "function lazy(make) { const made = make(); made.x = 1; return made; }\n"
        "const a = lazy(() => fa), b = lazy(...[() => fb]);\nfunction fa() {}\nfunction fb() {}\n"
        "function x() { a(); }\nfunction y() { b(); }\n",
        {
            (M, "lazy"),
            ("lazy", "<lambda1>"),
            ("lazy", "<lambda2>"),
            ("x", "fa"),
            ("y", "fb"),
        },
    ),
    "each read through a trap that reflects has its own property": (
        "const seen = (o) => new Proxy(o, {\n"
        "  get(t, k, r) { note(k); return Reflect.get(t, k, r); },\n});\n"
        "const a = seen({ go() {}, end() {} });\nfunction note() {}\n"
        "function x() { a.go(); }\nfunction y() { a.end(); }\n",
        {
            (M, "seen"),
            ("x", "seen.get"),
            ("x", "go"),
            ("y", "seen.get"),
            ("y", "end"),
            ("seen.get", "note"),
        },
    ),
    "helpers of TypeScript that a library has": (
        "const lib = require('tslib');\nconst a = lib.__importDefault(fa);\n"
        "const b = lib.__assign({}, { go: fb });\nvar B = (function (base) {\n"
        "  lib.__extends(B, base);\n  function B() {}\n  return B;\n})(A);\n"
        "function A() {}\nA.prototype.end = function () {};\nfunction fa() {}\nfunction fb() {}\n"
        "function x() { a.default(); b.go(); new B().end(); }\n",
        {(M, "<lambda1>"), ("x", "fa"), ("x", "fb"), ("x", "<lambda1>.B"), ("x", "A.end")},
    ),
    "an array that is imported": (
        "const methods = require('methods');\nmethods.forEach(each);\nfunction each(name) {}\n",
        {(M, "each")},
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES)
def test_a_call_in_a_package_is_found(source, expected, edges) -> None:
    assert edges(source, suffix=".js") == expected


def test_a_call_that_would_reach_far_too_much_tells_nothing(edges) -> None:
    def program(number: int) -> str:
        tables = "".join(
            f"{table}[key()] = function {table}{index}() {{}};\n"
            for table in "abc"
            for index in range(number)
        )
        objects = "const a = {}, b = {}, c = {};\n"
        return f"{objects}{tables}a.run = b.run = c.run = function run() {{ this.go(); }};\n"

    assert len(edges(program(3), suffix=".js")) == 9
    assert edges(program(8), suffix=".js") == set()


def test_modules_of_a_directory_are_known_by_the_names_of_their_files(project) -> None:
    project.write("parts/log.js", "exports.write = function write() {};\n")
    project.write("parts/disk/index.js", "exports.save = function save() {};\n")
    project.write(
        "main.js",
        "const all = {};\nfunction load(name) { return all[name] = require('./parts/' + name); }\n"
        "const log = load('log');\nload('disk');\n"
        "function first() { log.write(); log.save(); }\n"
        "function second() { all.disk.save(); all.disk.write(); }\n",
    )
    project.write(
        "parts/all.js",
        "require('fs').readdirSync(__dirname).forEach(function (file) {\n"
        "  exports[file.slice(0, -3)] = require(require('path').join(__dirname, file));\n});\n",
    )
    project.write("third.js", "const all = require('./parts/all');\nall.log.write();\n")
    project.index("javascript")
    assert project.callers("write") == ["main.js::first", "third.js::<module>"]
    assert project.callers("save") == ["main.js::second"]


def test_modules_are_required_by_the_texts_that_name_them(edges) -> None:
    found = edges(
        {
            "main.js": "function use(part) { part(); }\n"
            "function load(names) { return names.map((name) => require(name)); }\n"
            "['./a', './b', 'fs', './none'].forEach((path) => use(require(path)));\n"
            "for (const part of load(['../c'])) part.go();\n",
            "a.js": "module.exports = function a() {};\n",
            "b.js": "module.exports = function b() {};\n",
            "c.js": "exports.go = function go() {};\n",
        }
    )
    assert {callee for caller, callee in found if caller == "use"} == {"a.js::a", "b.js::b"}


def test_modules_pass_through_helpers_that_a_library_has(project) -> None:
    project.write(
        "plain.js",
        "exports.__esModule = true;\nexports.default = function plain() {};\n"
        "exports.other = function other() {};\n",
    )
    project.write("made.js", "module.exports = function made() {};\n")
    project.write("all.js", "require('tslib').__exportStar(require('./plain'), exports);\n")
    project.write(
        "main.js",
        "const interop = require('@babel/runtime/helpers/interopRequireDefault');\n"
        "const { __importStar } = require('tslib');\n"
        "const plain = interop(require('./plain')), made = interop(require('./made'));\n"
        "const all = __importStar(require('./all'));\n"
        "function first() { (0, plain.default)(); (0, made.default)(); }\n"
        "function second() { all.other(); }\n",
    )
    project.index("javascript")
    assert project.callers("plain") == project.callers("made") == ["main.js::first"]
    assert project.callers("other") == ["main.js::second"]


def test_a_few_tables_that_weaker_evidence_leads_to_are_called_whole(edges) -> None:
    table = "".join(f"  on{number}() {{}},\n" for number in range(24))
    source = (
        f"const all = {{\n{table}}};\nfunction run(name) {{ (0, all[name])(); }}\n"
        "class Walker {\n  accept(actions) { this.actions = actions; }\n"
        "  step(node) { const f = this.actions[node.type]; f.apply(node, []); }\n"
        "  walk() { this.accept(all); }\n}\nexports.Walker = Walker;\n"
    )
    found = edges(source, suffix=".js")
    assert len([callee for caller, callee in found if caller == "Walker.step"]) == 24


def test_names_with_gaps_are_those_that_fit(edges) -> None:
    source = (
        "class A {\n  andWhereNot() {}\n  orWhereNot() {}\n  whereIn() {}\n"
        "  run(kind, rest) { this[kind + 'Where' + rest](); }\n"
        "  go(name) { this[`where${name}`](); }\n}\n"
        "class B { constructor() { new.target.boot(); } }\nclass C extends B { static boot() {} }\n"
        "new A().run(key(), key());\nnew A().go(key());\nnew C();\n"
    )
    found = edges(source, suffix=".js")
    assert {callee for caller, callee in found if caller == "A.run"} == {
        "A.andWhereNot",
        "A.orWhereNot",
    }
    assert ("A.go", "A.whereIn") in found
    assert ("B.constructor", "C.boot") in found


def test_callbacks_that_all_pass_through_the_same_hands_tell_nothing(edges) -> None:
    makers = [f"make{number}" for number in range(40)]  # more than are told apart
    source = (
        "function own(f) { f(); }\nfunction pass(f) { take(f); }\nfunction take(f) { give(f); }\n"
        "function give(f) { one(f); two(f); three(f); four(f); }\n"
        + "".join(f"function {name}(f) {{ f(); }}\n" for name in ("one", "two", "three", "four"))
        + "".join(
            f"function {name}() {{ function a() {{}} own(a); function b() {{}} pass(b); }}\n"
            for name in makers
        )
    )
    found = edges(source, suffix=".js")
    assert {callee for caller, callee in found if caller == "own"} == {f"{it}.a" for it in makers}
    assert not {callee for caller, callee in found if caller == "four"}


def test_helpers_that_a_program_has_for_itself_give_each_call_its_own(edges) -> None:
    source = (
        "var __values = (this && this.__values) || function (o) {\n"
        "  var s = typeof Symbol === 'function' && Symbol.iterator, m = s && o[s];\n"
        "  if (m) return m.call(o);\n"
        "  return { next: function () { return { value: o[0] }; } };\n};\n"
        "function one() { for (var a = __values([fa]), b = a.next(); !b.done;) b.value(); }\n"
        "function two() { for (var a = __values([fb]), b = a.next(); !b.done;) b.value(); }\n"
        "function fa() {}\nfunction fb() {}\none();\ntwo();\n"
    )
    found = edges(source, suffix=".js")
    assert found == {
        ("<module>", "one"), ("<module>", "two"), ("one", "__values"), ("two", "__values"),
        ("one", "fa"), ("two", "fb"),
    }  # fmt: skip


def test_classes_that_babels_runtime_makes_have_their_methods(edges) -> None:
    source = (
        "var _interop = require('@babel/runtime/helpers/interopRequireDefault');\n"
        "var _create = _interop(require('@babel/runtime/helpers/createClass'));\n"
        "var _define = _interop(require('@babel/runtime/helpers/defineProperty'));\n"
        "var A = function () {\n  function A() { (0, _define.default)(this, 'own', own); }\n"
        "  (0, _create.default)(A, [{ key: 'go', value: function go() { this.own(); } },\n"
        "    { key: 'size', get: function get() { return 1; } }],\n"
        "    [{ key: 'make', value: function make() { return new A(); } }]);\n  return A;\n}();\n"
        "function own() {}\nA.make().go();\nA.make().size;\n"
    )
    found = edges(source, suffix=".js")
    assert {(caller[10:], callee[10:]) for caller, callee in found if "." in callee} == {
        ("", "make"), ("make", "A"), ("", "go"), ("", "get"),
    }  # fmt: skip
    assert ("<lambda1>.go", "own") in found


def test_what_is_reduced_of_a_texts_parts_is_handed_on(edges) -> None:
    source = (
        "const root = { kids: {} };\nroot.kids.a = { kids: {}, handler: () => served() };\n"
        "function served() {}\n"
        "const find = (path) => path.split('/').reduce((node, key) => node.kids[key], root);\n"
        "find('a').handler();\n"
    )
    found = edges(source, suffix=".js")
    assert ("<module>", "root.kids.a.handler") in found


def test_setters_under_names_that_are_computed_are_run(edges) -> None:
    source = (
        "const kind = 'size';\nconst box = { set [kind](to) { one(to); } };\n"
        "class C { set [kind](to) { two(to); } }\nfunction one() {}\nfunction two() {}\n"
        "box.size = 1;\nnew C().size = 2;\nbox.other = 3;\n"
    )
    found = edges(source, suffix=".js")
    assert len([callee for caller, callee in found if caller == "<module>"]) == 2


def test_what_fields_begin_with_runs_on_what_is_made(edges) -> None:
    source = (
        "class Base {\n  run = { go: () => this.on(), stop: this.off.bind(this) };\n"
        "  on() { this.name(); }\n  off() {}\n  name() {}\n}\n"
        "class Heir extends Base { on() {} off() {} }\n"
        "const heir = new Heir();\nheir.run.go();\nheir.run.stop();\n"
    )
    found = edges(source, suffix=".js")
    assert {callee for _, callee in found} >= {"Heir.on", "Heir.off"}
    assert not {callee for _, callee in found} & {"Base.on", "Base.off"}


def test_a_module_that_imports_nothing_is_no_script(edges) -> None:
    files = {
        "a.js": "export function shared() {}\n", "b.js": "function run() { shared(); own(); }\n",
        "c.js": "function own() {}\n",
    }  # fmt: skip
    assert edges(files) == {("b.js::run", "c.js::own")}


def test_a_field_is_made_when_what_is_declared_further_down_is_there(edges) -> None:
    found = edges(
        "export class Box { part = new Part(); go() { this.part.run(); } }\n"
        "class Part { run() {} }\n",
        suffix=".ts",
    )
    assert found == {("Box.go", "Part.run")}


def test_an_alias_that_only_a_bundler_knows_leads_below_the_source(project) -> None:
    """Vue CLI has `@` without any configuration, others have it in files of code."""
    project.write("web/package.json", '{"name": "web"}')
    project.write("web/src/utils/text.js", "export function trim() {}\n")
    project.write("web/src/views/Home.js", "import { trim } from '@/utils/text';\ntrim();\n")
    project.write("web/tests/text.js", "import { trim } from '~/utils/text';\ntrim();\n")
    project.write("resources/js/api.js", "export function ask() {}\n")
    project.write("resources/js/pages/Show.js", "import { ask } from '@/api';\nask();\n")
    project.write("lib/utils/text.js", "export function trim() {}\n")
    project.write("web/src/views/other.js", "import { none } from '@/none';\nnone();\n")
    project.index("javascript")
    assert project.callers("web/src/utils/text.js::trim") == [
        "web/src/views/Home.js::<module>",
        "web/tests/text.js::<module>",
    ]
    assert project.callers("ask") == ["resources/js/pages/Show.js::<module>"]
    assert project.callers("lib/utils/text.js::trim") == []
