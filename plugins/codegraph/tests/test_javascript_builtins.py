"""What the language's own functions and protocols call: accessors, iterators, methods of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

M = "<module>"
VIEW = "class View { set title(v) { drawn(v); } }\nfunction drawn(v) {}\nconst show = () => {};\n"
SOURCE = (
    "class Source {\n  [Symbol.iterator]() { return this; }\n"
    "  next() { return { value: make() }; }\n  return() { return closed(); }\n}\n"
    "function make() { return { use() {} }; }\nfunction closed() { return {}; }\n"
)

CASES = {
    "writing under a key that is known runs the setter": (
        f"{VIEW}function put(key, value) {{\n  const view = new View();\n  view[key] = value;\n}}\n"
        "put('title', show);\n",
        {(M, "put"), ("put", "View.title"), ("View.title", "drawn")},
    ),
    "copying to an object runs its setters": (
        f"{VIEW}function a(from) {{ Object.assign(new View(), from); }}\n"
        "function b(from) { const v = new View(); for (const k in from) v[k] = from[k]; }\n"
        "a({ title: show });\nb({ title: show });\n",
        {(M, "a"), (M, "b"), ("a", "View.title"), ("b", "View.title"), ("View.title", "drawn")},
    ),
    "what a literal spreads runs no setter": (
        f"{VIEW}function a() {{ return {{ ...new View(), ...{{ title: show }} }}; }}\na();\n",
        {(M, "a"), ("View.title", "drawn")},
    ),
    "who reads under the key that it is given runs the getter": (
        "class View { get size() { return 1; } }\nconst get = (view, key) => view[key];\n"
        "function run() { get(new View(), 'size'); }\nrun();\n",
        {(M, "run"), ("run", "get"), ("get", "View.size")},
    ),
    "pairs of entries are copied under their names": (
        "class Chain {}\nfor (const [name, f] of Object.entries({ a() {}, b() {} })) {\n"
        "  Chain.prototype[name] = f;\n}\nconst other = {};\n"
        "Object.entries({ c() {}, d() {} }).forEach(([name, f]) => { other[name] = f; });\n"
        "function run() { new Chain().b(); other.d(); }\nrun();\n",
        {(M, "run"), (M, "<lambda1>"), ("run", "b"), ("run", "d")},
    ),
    "an array's method called on what may be a list": (
        "function a(nodes) { [].forEach.call(nodes, seen); }\n"
        "function b() { return Array.prototype.map.call('ab', () => seen)[0](); }\n"
        "function c(text) { return String.prototype.replace.call(text, /a/, seen); }\n"
        "const { slice } = [];\nfunction d() { slice.call({ 0: seen, length: 1 })[0](); }\n"
        "function seen() {}\na(document.querySelectorAll('p'));\nb();\nc('a');\nd();\n",
        {
            *((M, name) for name in "abcd"),
            *((name, "seen") for name in "abcd"),
            ("b", "b.<lambda1>"),
        },
    ),
    "an array's method called on an object with one of its own": (
        "class List { forEach(f) { [].forEach.call(this, f); } }\nfunction seen() {}\n"
        "function run() { new List().forEach(seen); }\nrun();\n",
        {(M, "run"), ("run", "List.forEach"), ("List.forEach", "seen")},
    ),
    "what splice and with put in": (
        "function a(list) { list.splice(0, 1, fa); list.forEach((f) => f()); }\n"
        "function b(list) { list.toSpliced(0, 1, fb).forEach((f) => f()); }\n"
        "function c(list) { list.with(0, fc)[0](); }\n"
        "function fa() {}\nfunction fb() {}\nfunction fc() {}\na([]);\nb([]);\nc([]);\n",
        {
            *((M, name) for name in "abc"),
            ("a", "a.<lambda1>"),
            ("a.<lambda1>", "fa"),
            ("b", "b.<lambda1>"),
            ("b.<lambda1>", "fb"),
            ("c", "fc"),
        },
    ),
    "an object that iterates itself is spread": (
        f"{SOURCE}function a() {{ each(...new Source()); }}\n"
        "function each(...items) { items.forEach((item) => item.use()); }\n"
        "function b() { new Set(new Source()).forEach((item) => item.use()); }\na();\nb();\n",
        {
            (M, "a"),
            (M, "b"),
            ("a", "each"),
            *((name, step) for name in "ab" for step in ("Source.@@iterator", "Source.next")),
            ("each", "each.<lambda1>"),
            ("b", "b.<lambda1>"),
            *((name, "make.use") for name in ("each.<lambda1>", "b.<lambda1>")),
            ("Source.next", "make"),
            ("Source.return", "closed"),
        },
    ),
    "who leaves an iteration early closes it": (
        f"{SOURCE}function a() {{ for (const item of new Source()) {{ item.use(); break; }} }}\n"
        "function b() { const [item] = new Source(); item.use(); }\n"
        "function c() { for (const item of new Source()) item.use(); }\na();\nb();\nc();\n",
        {
            *((M, name) for name in "abc"),
            *((name, "make.use") for name in "abc"),
            *((name, step) for name in "abc" for step in ("Source.@@iterator", "Source.next")),
            ("a", "Source.return"),
            ("b", "Source.return"),
            ("Source.next", "make"),
            ("Source.return", "closed"),
        },
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES)
def test_resolves(source: str, expected: set[tuple[str, str]], edges: Edges) -> None:
    assert edges(source, suffix=".js") == expected
