"""What JSDoc comments tell of types in JavaScript, where no value flows."""

from __future__ import annotations

import pytest

M = "<module>"
BUILDER = "export class Builder { build() {} part() { return null; } }\n"

CASES = {
    "parameters, of functions however they are written": (
        "import { Builder } from './builder.js';\n"
        "/** @param {Builder} b - What builds. */\nexport function one(b) { b.build(); }\n"
        "/**\n * @param {number} n\n * @param {?Builder} [b]\n */\n"
        "const two = (n, b) => { b.build(); };\n"
        "export class Three {\n  /** @param {Builder|null} b */\n  run(b) { b.build(); }\n}\n"
        "/** @param {Array<Builder>} all */\n"
        "exports.four = function four(all) { all.forEach(b => b.build()); };\n",
        {"one", "two", "Three.run", "four.<lambda1>"},
    ),
    "results and fields": (
        "import { Builder } from './builder.js';\n"
        "/** @returns {Promise<Builder>} */\nasync function make() { return outside(); }\n"
        "async function one() { (await make()).build(); }\n"
        "class Two {\n  /** @type {Builder} */\n  kept = null;\n"
        "  constructor() {\n    /**\n     * @type {?Builder}\n     * @default null\n     */\n"
        "    this.own = null;\n  }\n"
        "  run() { this.kept.build(); }\n  go() { this.own.build(); }\n}\n",
        {"one", "Two.run", "Two.go"},
    ),
    "casts": (
        "import { Builder } from './builder.js';\n"
        "function one() { /** @type {Builder} */ (outside()).build(); }\n"
        "function two() { const b = /** @type {Builder} */ (outside()); b.build(); }\n"
        "function make() { return /** @type {Builder} */ (outside()); }\n"
        "function three() { make().build(); }\n"
        "class Other { build() {} }\n"
        "function four(it) { /** @type {Builder} */ (it).build(); }\n"
        "four(new Other());\nfour(new Builder());\n",
        {"one", "two", "three", "four"},
    ),
    "types of several lines": (
        "import { Builder } from './builder.js';\n"
        "/**\n * @param {Map<string, {\n *   part: Builder,\n * }>} parts\n */\n"
        "function one(parts) { for (const { part } of parts.values()) part.build(); }\n"
        "/**\n * @param {(\n *   Builder\n * )} b\n */\nfunction two(b) { b.build(); }\n",
        {"one", "two"},
    ),
    "what is no type says nothing": (
        "/** @type {} } { A : */\nlet one = make();\n/** @type {=> A} */\nlet two = make();\n"
        "/** @type {Map<A, {\n **   a: import('./builder.js').Builder,\n **   b: "
        "import('./builder.js').Builder,\n ** }[]>} */\nlet three = make();\nfunction make() {}\n",
        set(),
    ),
    "a name before its type": (
        "/**\n * @param b {Builder} what builds\n */\nfunction one(b) { b.build(); }\n"
        "/** @arg b {Builder} */\nfunction two(b) { b.build(); }\n"
        "/** @param b the {Builder} */\nfunction three(b) { b.build(); }\n",
        {"one", "two"},
    ),
    "types that comments name or import, and variables": (
        "/** @typedef {import('./builder.js').Builder} Maker what builds */\n"
        "/**\n * @typedef {string | Maker | null} Part\n * @typedef {{ part: Part }} Options\n */\n"
        "/** @param {Part} p */\nfunction one(p) { p.build(); }\n"
        "/** @param {Array<import('./builder.js').Builder>} all */\n"
        "function two(all) { for (const b of all) b.build(); }\n"
        "/** @param {Options} o */\nfunction three(o) { o.part.build(); }\n"
        "function four() {\n  /** @type {Maker} */\n  const made = outside();\n"
        "  made.build();\n}\n",
        {"one", "two", "three", "four"},
    ),
    "an object type, and one that nothing imports": (
        "/** @param {{ builder: Builder, size: number }} options */\n"
        "function one({ builder }) { builder.build(); }\n"
        "/** @param {Builder} b */\nfunction two(b) { b.build(); }\n",
        {"one", "two"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_comments_tell_types(edges, case: str) -> None:
    code, callers = CASES[case]
    found = edges({"main.js": code, "builder.js": BUILDER})
    assert {caller for caller, callee in found if callee == "builder.js::Builder.build"} == callers


def test_a_comment_may_name_a_function_with_a_prototype(edges) -> None:
    found = edges(
        {
            "main.js": "/** @param {Runner} r */\nexports.go = function go(r) { r.run(); };\n",
            "runner.js": "function Runner() {}\nRunner.prototype.run = function () {};\n"
            "module.exports = Runner;\n",
        }
    )
    assert found == {("go", "runner.js::Runner.run")}


def test_a_comment_may_import_what_a_file_exports_in_place_of_itself(edges) -> None:
    found = edges(
        {
            "main.js": "/** @typedef {import('./source')} Source */\n"
            "/** @param {Source} s */\nexports.go = function go(s) { s.size(); };\n",
            "source.js": "class Source { size() {} }\nmodule.exports = Source;\n",
        }
    )
    assert found == {("go", "source.js::Source.size")}


def test_other_comments_tell_none(edges) -> None:
    found = edges(
        {
            "main.js": "import { Builder } from './builder.js';\n"
            "// @param {Builder} b\nfunction one(b) { b.build(); }\n"
            "/** @param {Builder} other */\nfunction two(b) { b.build(); }\n"
            "/** @param {Bui{lder} b */\nfunction three(b) { b.build(); }\n"
            "/** @param {Builder} b */\n\nlet x = 1;\nfunction four(b) { b.build(); }\n",
            "builder.js": BUILDER,
        }
    )
    assert found == set()
