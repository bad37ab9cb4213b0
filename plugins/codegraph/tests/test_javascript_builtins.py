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
    "accessors that are copied by their descriptors run where they are read": (
        "class View { get size() { return one(); } }\nclass A {}\nclass B {}\n"
        "function mix(to, from) {\n  for (const key of Reflect.ownKeys(from))\n"
        "    Object.defineProperty(to, key, Object.getOwnPropertyDescriptor(from, key));\n}\n"
        "function define(to, from) {\n"
        "  Object.defineProperties(to, Object.getOwnPropertyDescriptors(from));\n}\n"
        "function one() {}\nfunction a() { return new A().size; }\n"
        "function b() { return new B().size; }\n"
        "mix(A.prototype, View.prototype);\ndefine(B.prototype, View.prototype);\na();\nb();\n",
        {
            *((M, name) for name in ("mix", "define", "a", "b")),
            ("a", "View.size"),
            ("b", "View.size"),
            ("View.size", "one"),
        },
    ),
    "options that are merged keep their names": (
        "function merge(base, given) {\n  const all = { ...base };\n  for (const key in given)\n"
        "    all[key] = typeof given[key] === 'object' ? merge(base[key], given[key])\n"
        "      : given[key];\n"
        "  return all;\n}\n"
        "function fill(given) {\n  const all = {};\n"
        "  for (const key in base) all[key] = given[key] || base[key];\n  return all;\n}\n"
        "const base = { a: { one() {}, two() {} }, other() {} };\n"
        "function run() { merge(base, { a: { three() {} } }).a.three(); }\n"
        "function go() { fill({ four() {} }).four(); }\nrun();\ngo();\n",
        {
            (M, "run"),
            ("run", "merge"),
            ("merge", "merge"),
            ("run", "run.a.three"),
            (M, "go"),
            ("go", "fill"),
            ("go", "go.four"),
        },
    ),
    "what rejects is given no value of its promise": (
        "async function made() { return { a() {} }; }\n"
        "made().catch(function failed(it) { it.a(); });\n",
        {(M, "made")},
    ),
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
REACHED = {
    "a proxy without a trap for it": "new Proxy({ a: h }, { set() { return true; } }).a();",
    "a proxy of a function": "new Proxy(h, {})();",
    "a proxy that can be revoked": "const { proxy } = Proxy.revocable({ a: h }, {});\nproxy.a();",
    "groups of an object": "Object.groupBy([h], () => 'key').key[0]();",
    "what groups": "Object.groupBy([1], h);",
    "groups of a map": "Map.groupBy([h], (f) => f.name).get('key')[0]();",
    "a promise with its resolvers": "const { promise, resolve } = Promise.withResolvers();\n"
    "promise.then((f) => f());\nresolve(h);",
    "what a promise tries": "Promise.try(h);",
    "a weak reference": "const to = new WeakRef({ a: h });\nto.deref()?.a();",
    "sets joined": "new Set([1]).union(new Set([h])).forEach((f) => f());",
    "part of a set": "new Set([h]).difference(new Set()).forEach((f) => f());",
    "what a storage runs": "const { AsyncLocalStorage } = require('node:async_hooks');\n"
    "const storage = new AsyncLocalStorage();\nstorage.run({}, h);",
    "what a storage keeps": "const { AsyncLocalStorage } = require('async_hooks');\n"
    "const storage = new AsyncLocalStorage();\n"
    "storage.run({ a: h }, () => storage.getStore().a());",
    "a map taken apart": "const [[, value]] = new Map([['a', h]]);\nvalue();",
    "a bracket as a key": "const table = { ')': () => {}, '(': h };\n"
    "function run(sign) { table[sign](); }\nrun('(');",
    "a name asked for that was given under one not known": "const made = {};\n"
    "for (const name of process.argv) made[name] = h;\nmade.a();",
    "what a bound function of the language's copies": "const copy = Object.assign.bind(Object);\n"
    "class A {}\n[{ a: h }].forEach((mixed) => copy(A.prototype, mixed));\nnew A().a();",
    "what an object has under each of its keys": "const table = { a: h };\n"
    "Object.keys(table).map((key) => table[key]).forEach((f) => f());",
    "what is deprecated": "const old = require('util').deprecate(h, 'no');\nold();",
    "a list of what is waited for": "async function* all() { yield h; }\n"
    "Array.fromAsync(all()).then((list) => list[0]());",
    "an object that is not extended": "Object.preventExtensions({ a: h }).a();",
    "a promise behind finally": "const made = async () => ({ a: h });\n"
    "made().finally(() => 1).then((it) => it.a());",
    "a promise behind catch": "const made = async () => ({ a: h });\n"
    "made().catch(() => 1).then((it) => it.a());",
    "what an error is given": "const error = Object.assign(new Error('no'), { a: h });\nerror.a();",
    "properties as others define them": "const from = { get a() { return h; } };\n"
    "const to = Object.create(null, Object.getOwnPropertyDescriptors(from));\nto.a();",
}


@pytest.mark.parametrize("source", REACHED.values(), ids=REACHED)
def test_reaches(source: str, edges: Edges) -> None:
    found = edges(f"{source}\nfunction h() {{}}\n", suffix=".js")
    assert "h" in {callee for _, callee in found}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES)
def test_resolves(source: str, expected: set[tuple[str, str]], edges: Edges) -> None:
    assert edges(source, suffix=".js") == expected
