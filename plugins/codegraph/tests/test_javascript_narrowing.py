"""What tests leave of a value in JavaScript and TypeScript."""

from __future__ import annotations

import pytest

_CLASSES = (
    "class A { go() {} }\nclass B { go() {} }\nclass C { go() {} }\n"
    "const all = [new A(), new B(), new C()];\n"
)

CASES = {
    "instanceof, where it holds and where it does not": (
        _CLASSES + "function f(x) { if (x instanceof A) x.go(); else other(x); }\n"
        "function other(x) { x.go(); }\nall.forEach(f);\n",
        {("f", "A.go"), ("f", "other"), ("other", "B.go"), ("other", "C.go")},
    ),
    "what is left behind an early exit": (
        _CLASSES + "function f(x) { if (!(x instanceof A)) return; x.go(); }\n"
        "function g(x) { if (x instanceof A || x instanceof B) throw x; x.go(); }\n"
        "all.forEach(f); all.forEach(g);\n",
        {("f", "A.go"), ("g", "C.go")},
    ),
    "within a condition": (
        _CLASSES + "const f = (x) => x instanceof A && x.go();\n"
        "const g = (x) => x instanceof A || x.go();\n"
        "const h = (x) => (x instanceof A ? 1 : x.go());"
        "\nall.forEach(f); all.forEach(g); all.forEach(h);\n",
        {("f", "A.go"), ("g", "B.go"), ("g", "C.go"), ("h", "B.go"), ("h", "C.go")},
    ),
    "a function that asks": (
        _CLASSES + "function isA(it) { return it != null && it instanceof A; }\n"
        "const isB = (it) => { if (it instanceof B) return true; return false; };\n"
        "function f(x) { if (isA(x)) x.go(); }\nfunction g(x) { if (!isA(x) && !isB(x)) x.go(); }\n"
        "all.forEach(f); all.forEach(g);\n",
        {("f", "isA"), ("f", "A.go"), ("g", "isA"), ("g", "isB"), ("g", "C.go")},
    ),
    "what says of itself what it is": (
        "const MARK = '@@mark';\nclass A { isA = true; go() {} }\nclass B { go() {} }\n"
        "class C { constructor() { this.isA = true; } go() {} }\nclass D { isA = false; go() {} }\n"
        "B.prototype[MARK] = true;\nfunction isB(it) { return Boolean(it && it[MARK]); }\n"
        "function f(x) { if (x.isA) x.go(); }\nfunction g(x) { if (isB(x)) x.go(); }\n"
        "const all = [new A(), new B(), new C(), new D()];\nall.forEach(f); all.forEach(g);\n",
        {("f", "A.go"), ("f", "C.go"), ("g", "isB"), ("g", "B.go")},
    ),
    "what has the methods": (
        "class A { next() {} error() {} }\nclass B { next() {} }\n"
        "const isFunction = (it) => typeof it === 'function';\n"
        "const isA = (it) => it && isFunction(it.next) && isFunction(it.error);\n"
        "function f(x) { if (isA(x)) x.next(); }\nf(new A()); f(new B()); f({ next() {} });\n",
        {("f", "isA"), ("f", "A.next"), ("isA", "isFunction")},
    ),
    "a method that is given later": (
        "function A() {}\nfunction B() {}\nconst is = (it) => typeof it.go === 'function';\n"
        "function f(x) { if (is(x)) x.go(); }\nf(new A()); f(new B());\n"
        "A.prototype.go = function () {};\n",
        {("f", "is"), ("f", "A.go")},
    ),
    "functions, texts and arrays": (
        "class A { map() {} call() {} }\n"
        "function f(x) { if (typeof x === 'object') x.map((i) => i); }\n"
        "function g(x) { if (Array.isArray(x)) x.map(each); else x.map(); }\n"
        "function each() {}\nf(new A()); f(['a']); g(new A()); g(['a']);\n",
        {("f", "A.map"), ("f", "f.<lambda1>"), ("g", "each"), ("g", "A.map")},
    ),
    "a parameter that is returned under a test is each caller's own": (
        "class A { go() {} }\nclass B { go() {} }\nclass W { constructor(it) {} go() {} }\n"
        "const isA = (it) => it instanceof A;\n"
        "function wrap(it) { return isA(it) ? it : new W(it); }\n"
        "function one() { wrap(new A()).go(); }\nfunction two() { wrap(new B()).go(); }\n",
        {
            ("one", "wrap"),
            ("one", "A.go"),
            ("one", "W.go"),
            ("two", "wrap"),
            ("two", "W.go"),
            ("wrap", "isA"),
            ("wrap", "W.constructor"),
        },
    ),
    "a variable that is given anew is what it was given": (
        _CLASSES + "function f(x) { if (x instanceof A) x = new B(); x.go(); }\n"
        "let y = new A();\nfunction g() { if (y instanceof A) { y = new C(); y.go(); } }\n"
        "f(new A()); f(new C()); g();\n",
        {("f", "B.go"), ("f", "A.go"), ("f", "C.go"), ("g", "C.go"), ("g", "A.go")},
    ),
    "an unknown value is of the class": (
        "class A { go() {} }\nmodule.exports = (x) => { if (x instanceof A) x.go(); };\n",
        {("module.exports", "A.go")},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_tests_tell(edges, case: str) -> None:
    code, expected = CASES[case]
    found = edges(code, suffix=".js")
    assert {edge for edge in found if edge[0] != "<module>"} == expected


def test_predicates_of_typescript_tell(edges) -> None:
    source = (
        "class A { go() {} }\nclass B { go() {} }\n"
        "function isA(it: A | B): it is A { return it instanceof A; }\n"
        "function f(x: A | B) { isA(x) ? x.go() : other(x); }\nfunction other(x: B) { x.go(); }\n"
        "f(new A()); f(new B());\n"
    )
    found = edges(source, suffix=".ts")
    assert {edge for edge in found if edge[0] != "<module>"} == {
        ("f", "isA"), ("f", "A.go"), ("f", "other"), ("other", "B.go"),
    }  # fmt: skip
