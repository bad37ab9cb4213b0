"""Who calls whom in what Babel, esbuild, TypeScript and bundlers make of classes and modules."""

from __future__ import annotations

import pytest

FIVE = (  # as Babel 6 wrote it
    "var _createClass = function () { function defineProperties(target, props) {"
    " for (var i = 0; i < props.length; i++) { var descriptor = props[i];"
    " Object.defineProperty(target, descriptor.key, descriptor); } }"
    " return function (Constructor, protoProps, staticProps) {"
    " if (protoProps) defineProperties(Constructor.prototype, protoProps);"
    " if (staticProps) defineProperties(Constructor, staticProps); return Constructor; }; }();\n"
)
SEVEN = (
    "function _callSuper(t, o, e) { return o = _getPrototypeOf(o), o.apply(t, e); }\n"
    "function _getPrototypeOf(t) { return _getPrototypeOf = Object.getPrototypeOf.bind(),"
    " _getPrototypeOf(t); }\n"
    "function _inherits(t, e) { t.prototype = Object.create(e && e.prototype),"
    " e && _setPrototypeOf(t, e); }\n"
    "function _setPrototypeOf(t, e) { return _setPrototypeOf = Object.setPrototypeOf.bind(),"
    " _setPrototypeOf(t, e); }\n"
    "function _defineProperties(e, r) { for (var t = 0; t < r.length; t++) { var o = r[t];"
    " Object.defineProperty(e, o.key, o); } }\n"
    "function _createClass(e, r, t) { return r && _defineProperties(e.prototype, r),"
    " t && _defineProperties(e, t), e; }\n"
)
COPY = (
    "var __defProp = Object.defineProperty;\n"
    "var __getOwnPropNames = Object.getOwnPropertyNames;\n"
    "var __export = (target, all) => {\n  for (var name in all)\n"
    "    __defProp(target, name, { get: all[name], enumerable: true });\n};\n"
    "var __copyProps = (to, from, except, desc) => {\n"
    "  for (let key of __getOwnPropNames(from))\n    if (key !== except)\n"
    "      __defProp(to, key, { get: () => from[key], enumerable: true });\n  return to;\n};\n"
    "var __reExport = (target, mod, secondTarget) =>"
    " (__copyProps(target, mod, 'default'), secondTarget && __copyProps(secondTarget, mod));\n"
    "var __toCommonJS = (mod) => __copyProps(__defProp({}, '__esModule', { value: true }), mod);\n"
    "var __toESM = (mod) => __copyProps(__defProp({}, 'default', { value: mod }), mod);\n"
)


def made(name: str, base: str, methods: str, static: str = "") -> str:
    """A class as Babel compiles it; `base` may be empty."""
    above = f"_callSuper(this, {name}, arguments);" if base else ""
    inherits = f"_inherits({name}, _B);" if base else ""
    return (
        f"var {name} = function ({'_B' if base else ''}) {{\n  function {name}() {{ {above} }}\n"
        f"  {inherits}\n  _createClass({name}, [{methods}]{f', [{static}]' if static else ''});\n"
        f"  return {name};\n}}({base});\n"
    )


def method(name: str, body: str) -> str:
    return f"{{ key: '{name}', value: function {name}() {{ {body} }} }}"


def plain(found: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Calls by the last part of names, those of helpers and of what a class is made in aside."""
    last = {(caller.rpartition(".")[2], callee.rpartition(".")[2]) for caller, callee in found}
    return {edge for edge in last if edge[1][0] not in "_<" and edge[1] != "defineProperties"}


def test_each_class_has_the_methods_that_it_is_made_with(edges) -> None:
    source = (
        FIVE
        + made("A", "", method("go", "return this.step();") + "," + method("step", ""))
        + made("B", "", method("step", ""), method("of", "return new B();"))
        + "new A().go();\nfunction run() { B.of().step(); }\nrun();\n"
    )
    found = {edge for edge in edges(source, suffix=".js") if "B" not in edge[0]}
    assert ("run", "<lambda3>.step") in found
    assert ("<lambda2>.go", "<lambda2>.step") in found
    assert plain(found) == {
        ("<module>", "A"), ("<module>", "go"), ("<module>", "run"), ("go", "step"),
        ("run", "of"), ("run", "step"), ("of", "B"),
    }  # fmt: skip


def test_compiled_classes_inherit(edges) -> None:
    source = (
        SEVEN
        + made("A", "", method("go", "return this.step();") + "," + method("step", "one();"),
               method("of", "return new this();"))
        + made("B", "A", method("step", "two();"))
        + made("C", "A", method("step", "three();"))
        + "function one() {}\nfunction two() {}\nfunction three() {}\n"
        "function b() { B.of().go(); }\nfunction c() { new C().go(); }\nb();\nc();\n"
    )  # fmt: skip
    found = plain(edges(source, suffix=".js"))
    assert {("b", "of"), ("of", "B"), ("b", "go"), ("c", "C"), ("c", "go")} <= found
    assert {("_callSuper", "A"), ("go", "step"), ("step", "two"), ("step", "three")} <= found
    assert not found & {("_callSuper", "B"), ("_callSuper", "C"), ("of", "C"), ("c", "of")}


def test_functions_that_esbuild_names_are_told_apart(edges) -> None:
    functions = "".join(
        f'var f{i} = __name(() => {i}, "f{i}");\nvar k{i} = keep(function g{i}() {{}});\n'
        for i in range(40)
    )
    found = edges(
        "var define = Object.defineProperty;\n"
        'var __name = (target, value) => define(target, "name", { value, configurable: true });\n'
        "function keep(object) { return Object.freeze(object); }\n"
        f"{functions}function all() {{ f3(); k5(); }}\nall();\n",
        suffix=".js",
    )
    assert {callee for caller, callee in found if caller == "all"} == {"f3", "g5"}


def test_exports_are_read_through_the_getters_of_esbuild(edges) -> None:
    files = {
        "main.js": COPY
        + "var import_util = require('./util');\nvar parts = __toESM(require('./index'));\n"
        "function one() { (0, import_util.run)(); }\nfunction two() { parts.halt(); }\n"
        "function three() { return Object.assign({}, import_util); }\n"
        "one();\ntwo();\nthree();\n",
        "util.js": COPY + "var util_exports = {};\n__export(util_exports, {\n  run: () => go,\n"
        "  halt: () => stop,\n  rest: () => idle\n});\n"
        "module.exports = __toCommonJS(util_exports);\n"
        "function go() {}\nfunction stop() {}\nfunction idle() {}\n",
        "index.js": COPY + "var index_exports = {};\n"
        "module.exports = __toCommonJS(index_exports);\n"
        "__reExport(index_exports, require('./util'), module.exports);\n",
    }
    own, index, util = (f"{path}__copyProps.get" for path in ("", "index.js::", "util.js::"))
    named = {"util.js::run", "util.js::halt", "util.js::rest"}
    callers = ("one", "two", "three", own, index, util)
    assert {edge for edge in edges(files) if edge[0] in callers} == {
        ("one", util), ("one", "util.js::go"), ("two", own), ("two", "util.js::stop"),
        ("three", util), (own, index), (index, util), *((util, name) for name in named),
    }  # fmt: skip


BINDING = (
    "var __createBinding = (this && this.__createBinding) || (Object.create ?"
    " (function(o, m, k, k2) {\n  if (k2 === undefined) k2 = k;\n  BODY\n}) :"
    " (function(o, m, k, k2) { o[k2 || k] = m[k]; }));\n"
)
OLD = BINDING.replace(
    "BODY", "Object.defineProperty(o, k2, { enumerable: true, get: function() { return m[k]; } });"
)
NEW = BINDING.replace(
    "BODY",
    "var desc = Object.getOwnPropertyDescriptor(m, k);\n"
    "  if (!desc || ('get' in desc ? !m.__esModule : desc.writable))"
    " { desc = { enumerable: true, get: function() { return m[k]; } }; }\n"
    "  Object.defineProperty(o, k2, desc);",
)
STAR = (
    "var __exportStar = (this && this.__exportStar) || function(m, exports) {"
    " for (var p in m) if (p !== 'default') __createBinding(exports, m, p); };\n"
)
ES = "Object.defineProperty(exports, '__esModule', { value: true });\n"


@pytest.mark.parametrize("binding", [OLD, NEW])
def test_barrels_of_typescript_hand_on_each_name_through_their_getter(edges, binding) -> None:
    found = edges(
        {
            "main.js": "const all = require('./all');\n"
            "function run() { (0, all.parse)(); return all.LIMIT; }\n"
            "function show() { all.print(); }\nfunction none() { return all.nothing; }\n",
            "all.js": binding
            + STAR
            + ES
            + "".join(
                f"__exportStar(require('./{name}'), exports);\n" for name in ("inner", "named")
            ),
            "inner.js": binding + STAR + ES + "__exportStar(require('./parse'), exports);\n",
            "parse.js": ES + "exports.LIMIT = 3;\nexports.parse = parse;\nfunction parse() {}\n",
            "named.js": ES + "var print_1 = require('./print');\nObject.defineProperty(exports,"
            " 'print', { enumerable: true, get: function () { return print_1.print; } });\n",
            "print.js": ES + "exports.print = print;\nfunction print() {}\n",
        }
    )
    calls = {edge for edge in found if edge[0] in ("run", "show", "none")}
    told = {(caller, callee.partition("::")[0]) for caller, callee in calls}
    if binding is OLD:  # each barrel has a getter of its own, which asks the next one
        assert told == {("run", "parse.js"), ("run", "all.js"), ("show", "print.js"),
                        ("show", "all.js")}  # fmt: skip
        asked = {callee.partition("::")[0] for caller, callee in found if "all.js::<l" in caller}
        assert asked == {"inner.js", "named.js"}
    else:
        assert told == {("run", "parse.js"), ("run", "inner.js"), ("show", "print.js"),
                        ("show", "named.js")}  # fmt: skip


def test_names_of_libraries_that_are_imported_whole_have_getters(edges) -> None:
    star = (
        "var __importStar = (this && this.__importStar) || (function () {\n"
        "  var ownKeys = function(o) { return Object.getOwnPropertyNames(o); };\n"
        "  return function (mod) {\n    if (mod && mod.__esModule) return mod;\n"
        "    var result = {};\n    for (var k = ownKeys(mod), i = 0; i < k.length; i++)"
        " __createBinding(result, mod, k[i]);\n    return result;\n  };\n})();\n"
    )
    found = edges(
        {
            "main.js": NEW + star + ES + "const path = __importStar(require('path'));\n"
            "const own = __importStar(require('./own'));\n"
            "const plain = __importStar(require('./plain'));\n"
            "function first() { return path.join('a'); }\nfunction second() { return path.sep; }\n"
            "function third() { own.work(); }\nfunction fourth() { plain.go(); }\n",
            "own.js": ES + "exports.work = function work() {};\n",
            "plain.js": "exports.go = function go() {};\n",
        }
    )
    callees = {
        caller: sorted(callee.rpartition(".")[2] for of, callee in found if of == caller)
        for caller in ("first", "second", "third", "fourth")
    }
    assert callees == {
        "first": ["get"], "second": ["get"], "third": ["js::work"], "fourth": ["get", "js::go"],
    }  # fmt: skip


WEBPACK = (
    "return (function (modules) {\n  function __webpack_require__(id) {\n"
    "    var module = { exports: {} };\n"
    "    modules[id].call(module.exports, module, module.exports, __webpack_require__);\n"
    "    return module.exports;\n  }\n  __webpack_require__.d = DEFINE;\n"
    "  return __webpack_require__(__webpack_require__.s = 2);\n})"
)
MODULES = (
    "(function (module, exports, __webpack_require__) {\n"
    "  module.exports = function one() { __webpack_require__(1).two(); };\n}),\n",
    "(function (module, __webpack_exports__, __webpack_require__) {\n"
    "  GIVEN\n  function two() {}\n}),\n",
    "(function (module, exports) {\n"
    "  exports.three = function three() { return exports.four(); };\n"
    "  exports.four = function four() {};\n}),\n",
    "(function (module, exports, __webpack_require__) {\n"
    "  exports.five = function five() {\n    __webpack_require__(/*! ./one */ 0)();\n"
    "    Object(__webpack_require__(2)['three'])();\n  };\n})\n",
)
GIVING = {
    "function (exports, name, getter)"
    " { Object.defineProperty(exports, name, { enumerable: true, get: getter }); }": (
        "__webpack_require__.d(__webpack_exports__, 'two', function () { return two; });"
    ),
    "(exports, definition) => { for (var key in definition)"
    " Object.defineProperty(exports, key, { enumerable: true, get: definition[key] }); }": (
        "__webpack_require__.d(__webpack_exports__, { two: () => (two) });"
    ),
}


@pytest.mark.parametrize("define", GIVING)
def test_modules_that_webpack_put_together_have_their_own_exports(edges, define: str) -> None:
    given = [text.replace("GIVEN", GIVING[define]) for text in MODULES]
    named = "".join(f"{number}: {text}" for number, text in enumerate(given))
    for modules in (f"([{''.join(given)}])", f"({{{named}}})"):
        source = WEBPACK.replace("DEFINE", define) + modules
        found = edges(f"module.exports = (function () {{\n{source};\n}})();\n", suffix=".js")
        own = {"one", "two", "three", "four", "five"}
        assert {edge for edge in plain(found) if own.issuperset(edge)} == {
            ("one", "two"), ("five", "one"), ("three", "four"), ("five", "three"),
        }  # fmt: skip


def test_modules_that_browserify_put_together_ask_for_each_other(edges) -> None:
    found = edges(
        {
            "main.js": "const lib = require('./lib');\nfunction go() { lib.start(); }\n",
            "lib.js": "module.exports = (function () { function r(e, n, t) { function o(i) {\n"
            "  var p = n[i] = { exports: {} };\n"
            "  e[i][0].call(p.exports, function (r) { return o(e[i][1][r]); }, p, p.exports, r);\n"
            "  return p.exports; } return o; } return r; })()({\n"
            "1: [function (require, module, exports) {\n"
            "exports.start = function start() { require('./part')(); };\n}, { './part': 2 }],\n"
            "2: [function (require, module, exports) {\n"
            "module.exports = function part() {};\n}, {}] }, {}, [1])(1);\n",
        }
    )
    assert {("start", "part"), ("go", "start")} <= plain(found)


@pytest.mark.parametrize("written", ["({{ 'x.js'({}) {{ {} }} }})", "((({}) => {{ {} }}))"])
def test_modules_that_esbuild_put_together_are_called_by_their_names(edges, written) -> None:
    bodies = {
        "require_a": ("exports, module", "module.exports = function a() {};"),
        "require_b": ("exports", "exports.b = function b() { require_a()(); };"),
        "require_c": ("exports, module", "module.exports = function c() { require_b().b(); };"),
    }
    modules = [
        f"var {name} = /* @__PURE__ */ __commonJS{written.format(*body)};\n"
        for name, body in bodies.items()
    ]
    found = edges(
        "var __commonJS = (cb, mod) => function __require() { return mod || (0,"
        " cb[Object.keys(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports; };\n"
        f"{''.join(modules)}function go() {{ require_c()(); }}\n",
        suffix=".js",
    )
    own = {"a", "b", "c", "go"}
    assert {edge for edge in plain(found) if own.issuperset(edge)} == {
        ("b", "a"), ("c", "b"), ("go", "c"),
    }  # fmt: skip


def test_a_parameter_hides_what_a_file_exports(edges) -> None:
    found = edges(
        "exports.run = function run() {};\n"
        "function fill(exports) { exports.run = function other() {}; }\n"
        "fill({});\nfunction go() { exports.run(); }\n"
        "define(function (require, exports, module) { exports.late = function late() {}; });\n"
        "function end() { exports.late(); }\n",
        suffix=".js",
    )
    assert {edge for edge in plain(found) if edge[0] in ("go", "end")} == {
        ("go", "run"), ("end", "late"),
    }  # fmt: skip


def test_a_method_runs_on_what_typescript_lets_inherit_it(edges) -> None:
    extends = (
        "function __extends(d2, b) {\n  extendStatics(d2, b);\n"
        "  function __() { this.constructor = d; }\n"
        "  d.prototype = (__.prototype = b.prototype, new __());\n}\n"
    )
    derived = "".join(
        f"var {name} = (function (_super) {{\n  __extends({name}, _super);\n"
        f"  function {name}() {{ return _super.call(this) || this; }}\n"
        f"  {name}.prototype.draw = function () {{ return {name.lower()}(); }};\n"
        f"  return {name};\n}}(Shape));\nfunction {name.lower()}() {{}}\n"
        for name in ("Circle", "Square")
    )
    found = edges(
        f"{extends}function Shape() {{}}\n"
        "Shape.prototype.show = function () { return this.draw(); };\n"
        f"{derived}exports.Circle = Circle;\nexports.Square = Square;\n",
        suffix=".js",
    )
    assert {edge for edge in found if edge[0] == "Shape.show"} == {
        ("Shape.show", "<lambda1>.Circle.draw"),
        ("Shape.show", "<lambda2>.Square.draw"),
    }
