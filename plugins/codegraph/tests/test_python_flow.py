"""What order, positions and text tell about Python's calls."""

from __future__ import annotations

import pytest

from toolroll_codegraph.languages.registry import extract
from toolroll_codegraph.resolve.graph import resolve

M = "<module>"
FG = "def f(): pass\ndef g(): pass\n"

CASES = {
    "one of the cases is taken where the last takes anything": (
        FG + "def one(kind):\n    made = g\n    match kind:\n        case 1: made = f\n"
        "        case 2: return\n        case _: raise ValueError\n    made()\n"
        "def two(kind):\n    match kind:\n        case 1: return f()\n        case other: return\n"
        "    g()\n"
        "def three(kind):\n    made = g\n    match kind:\n        case 1: made = f\n"
        "        case None: return\n        case other if other: return\n    made()\n"
        "one(1)\ntwo(1)\nthree(1)\n",
        {(M, "one"), (M, "two"), (M, "three"), ("one", "f"), ("two", "f"), ("three", "f"),
         ("three", "g")},
    ),
    "what ends the program ends its block": (
        FG + "import os, sys\n"
        "def one(kind):\n    if kind: made = f\n    else: sys.exit(1)\n    made()\n"
        "def two(job):\n    made = f\n    if job:\n        made = g\n        os._exit(1)\n"
        "    made()\n"
        "def three():\n    exit(1)\n    g()\none(1)\ntwo(1)\nthree()\n",
        {(M, "one"), (M, "two"), (M, "three"), ("one", "f"), ("two", "f")},
    ),
    "a function of the file's own that is named so may return": (
        FG + "def exit(code): g()\ndef one():\n    exit(1)\n    f()\none()\n",
        {(M, "one"), ("one", "exit"), ("exit", "g"), ("one", "f")},
    ),
    "a substitute for what every Python has is none, one for what Python 2 had is": (
        "try:\n    advance = next\nexcept NameError:\n    def advance(it): pass\n"
        "try:\n    text = unicode\nexcept NameError:\n    def text(x): pass\n"
        "try:\n    xrange\nexcept NameError:\n    def xrange(n): pass\n"
        "def other(): pass\n"
        "try:\n    go = other\nexcept NameError:\n    def go(): pass\n"
        "def f(): advance(iter([]))\ndef g(): text(1)\ndef h(): xrange(2)\ndef i(): go()\n"
        "advance(iter([]))\n",
        {("g", "text"), ("h", "xrange"), ("i", "go"), ("i", "other")},
    ),
    "what is returned among others, or by way of others, goes to each caller alone": (
        "def either(given, other): return given or other\n"
        "def keep(f, extra=None): return f\ndef hand(f): return keep(f)\n"
        "def default(f=None):\n    f = f or last\n    return f\n"
        "def store(f):\n    kept = keep(f)\n    kept()\n    return kept\n"
        "def a(): pass\ndef b(): pass\ndef c(): pass\ndef d(): pass\ndef last(): pass\n"
        "def one(): either(a, b)()\ndef two(): either(c, d)()\n"
        "def three(): hand(**{'f': a})()\ndef four(): hand(*[b])()\ndef five(): default()()\n"
        "def six(): default(c)()\ndef seven(): store(d)\n",
        {
            *((name, "either") for name in ("one", "two")),
            *((name, "hand") for name in ("three", "four")),
            *((name, "default") for name in ("five", "six")),
            ("hand", "keep"),
            ("store", "keep"),
            ("seven", "store"),
            ("one", "a"),
            ("one", "b"),
            ("two", "c"),
            ("two", "d"),
            ("three", "a"),
            ("four", "b"),
            ("five", "last"),
            ("six", "c"),
            ("six", "last"),
            ("store", "d"),
        },
    ),
    "what a function binds outside of itself is what others read": (
        FG + "a = f\ndef change():\n    global a\n    a = g\nchange()\na()\n",
        {(M, "change"), (M, "f"), (M, "g")},
    ),
    "a function alone may bind a name of the module": (
        FG + "def make():\n    global a\n    a = g\nmake()\na()\n",
        {(M, "make"), (M, "g")},
    ),
    "nonlocal binds what the function around reads": (
        FG + "def run():\n    a = f\n    def change():\n        nonlocal a\n        a = g\n"
        "    change()\n    a()\nrun()\n",
        {(M, "run"), ("run", "run.change"), ("run", "f"), ("run", "g")},
    ),
    "text is run where it stands": (
        FG + "def run(x):\n    eval('x()')\ncode = 'run(f)'\nexec(code)\n"
        "exec('''\na = g\na()\n''')\nexec(compile('eval(\"f\")()', '<string>', 'exec'))\n",
        {(M, "run"), ("run", "f"), (M, "g"), (M, "f")},
    ),
    "text that runs among other names is not followed": (
        FG + "exec('f()', {'f': g})\n",
        set(),
    ),
    "a negative index counts from the end": (
        FG + "items = [f, 1, g]\nitems[-1]()\n",
        {(M, "g")},
    ),
    "texts with colons are keys": (
        FG + "table = {':memory:': f, 'a:': g}\ntable[':memory:']()\ntable['a:']()\n"
        "def get(key): return table.get(key)\nget(':memory:')()\n",
        {(M, "f"), (M, "g"), (M, "get")},
    ),
    "a list that changes is no longer counted": (
        FG + "items = [f, g]\nitems.pop()\nitems[-1]()\n",
        {(M, "f"), (M, "g")},
    ),
    "a list that others are given is no longer counted": (
        FG + "def cut(x): x.pop()\nitems = [f, g]\ncut(items)\nitems[-1]()\n",
        {(M, "cut"), (M, "f"), (M, "g")},
    ),
    "slices keep positions, backwards too": (
        FG + "def h(): pass\nitems = [f, g, h]\nitems[1:2][0]()\nitems[::-1][0]()\n",
        {(M, "g"), (M, "h")},
    ),
    "sums, products and spreads keep positions": (
        FG + "def h(): pass\na = [f] * 2\nb = [*a, g] + [h]\nb[2]()\nb[3]()\n",
        {(M, "g"), (M, "h")},
    ),
    "what stands behind a star is spread whole, calls and attributes too": (
        FG + "class Box:\n    items = [f]\ndef all(): return [g]\ndef none(): pass\n"
        "for item in [*all()]: item()\n"
        "def one():\n    for item in {*Box.items}: item()\n"
        "def two():\n    for item in [*none() or [f]]: item()\n"
        "def three():\n    first, second = *all(), g\n    first()\n",
        {(M, "all"), (M, "g"), ("one", "f"), ("two", "none"), ("two", "f"), ("three", "all"),
         ("three", "g")},
    ),
    "an object that is spread is iterated over": (
        FG + "class Box:\n    def __iter__(self): yield f\n"
        "def call(a, b=None): a()\ndef rest(*all): all[0]()\n"
        "def one(): call(*Box())\ndef two(): rest(*Box())\ndef three(): rest(g, *Box())\n",
        {("one", "call"), ("two", "rest"), ("three", "rest"), ("call", "f"), ("rest", "f"),
         ("rest", "g"), *((name, "Box.__iter__") for name in ("one", "two", "three"))},
    ),
    "a list or tuple asks what it is made of for its length": (
        "class Box:\n    def __len__(self): return 0\n    def __iter__(self): return iter(())\n"
        "def one(): list(Box())\ndef two(): sorted(Box(), key=id)\ndef three(): set(Box())\n",
        {("one", "Box.__len__"), ("two", "Box.__len__"),
         *((name, "Box.__iter__") for name in ("one", "two", "three"))},
    ),
    "a slice of what is handed over begins and ends": (
        FG + "def h(): pass\ndef run(items): items[1:2][0]()\nrun([f, g, h])\n",
        {(M, "run"), ("run", "g")},
    ),
    "numbers are added, texts are joined": (
        FG + "i = 0\nitems = [f, g]\nitems[i + 1]()\ntable = {'01': f}\ntable['0' + '1']()\n",
        {(M, "g"), (M, "f")},
    ),
    "a list in another order has any item anywhere": (
        FG + "items = [f, g]\nitems.remove(f)\nitems[0]()\n",
        {(M, "f"), (M, "g")},
    ),
    "escapes in text that is run are read": (
        FG + "exec('f()\\nx = g')\nx()\n",
        {(M, "f"), (M, "g")},
    ),
    "a name may be bound through the mapping of all": (
        FG + "globals()['go'] = f\ngo()\n",
        {(M, "f")},
    ),
    "what next gives at an end, what pairs are made of": (
        FG + "import itertools\nnext(iter([]), f)()\n"
        "for a, b in itertools.product([f], [g]): b()\n",
        {(M, "f"), (M, "g")},
    ),
    "a partial may be made of a partial": (
        "from functools import partial\ndef f(a, b, c): c()\ndef g(): pass\n"
        "partial(partial(f, 1), 2)(g)\n",
        {(M, "f"), ("f", "g")},
    ),
    "members of an enumeration are called": (
        "from enum import Enum\nclass Op(Enum):\n    ADD = 'add'\n"
        "    def __call__(self): pass\nOp.ADD()\n",
        {(M, "Op.__call__")},
    ),
    "numbers are other keys than their digits, tuples are keys": (
        FG + "table = {1: f, '1': g}\ntable['1']()\nother = {(1, 'a'): g, (2, 'b'): f}\n"
        "other[1, 'a']()\n",
        {(M, "g")},
    ),
    "digits put into a text are digits": (
        "class A:\n    def go_1(self): pass\nn = '1'\ngetattr(A(), f'go_{n}')()\n",
        {(M, "A.go_1")},
    ),
    "a module is found by its own name": (
        "import sys\ndef go(): pass\ngetattr(sys.modules[__name__], 'go')()\n",
        {(M, "go")},
    ),
    "a variable taken away ends what it held": (
        "class A:\n    def __del__(self): pass\na = A()\ndel a\n",
        {(M, "A.__del__")},
    ),
    "a method of another class is bound where a class has it": (
        "class A:\n    def go(self): pass\nclass B: pass\nB.run = A.go\nB().run()\n",
        {(M, "A.go")},
    ),
    "super is an object": (
        "class A:\n    def go(self): pass\nclass B(A):\n    def run(self):\n"
        "        s = super()\n        s.go()\nB().run()\n",
        {(M, "B.run"), ("B.run", "A.go")},
    ),
    "functions are called by their own method": (FG + "f.__call__()\nx = g.__call__\nx()\n", {
        (M, "f"), (M, "g"),
    }),
    "the order of classes is a sequence": (
        "class A:\n    def go(self): pass\nclass B(A): pass\nfor c in B.__mro__: c.go(c())\n",
        {(M, "A.go")},
    ),
    "objects that a module makes keep what each was given": (
        FG + "class A:\n    def __init__(self, x): self.x = x\na = A(f)\nb = A(g)\na.x()\n",
        {(M, "A.__init__"), (M, "f")},
    ),
    "what ** holds under unknown names is no receiver, nor what is given by position": (
        "class A:\n    def go(self, x, y=None):\n        self.end()\n        x.end()\n"
        "        y.more()\n    def end(self): pass\n"
        "class B:\n    def end(self): pass\n    def more(self): pass\n"
        "def run(name):\n    options = {}\n    options[name] = B()\n"
        "    A().go(A(), **options)\nrun(input())\n",
        {(M, "run"), ("run", "A.go"), ("A.go", "A.end"), ("A.go", "B.more")},
    ),
}  # fmt: skip

CONTINUED = (
    "class A:\n    def __str__(self): return ''\n    def __bool__(self): return True\n"
    "def f(x=0): return A()\ndef g(): pass\n"
    "a, ~b = f(~1 ~), ~g\n'%s' ~% ~a\nb(~) if a ~else None\nfor c in [~b ~for _ in '1']: c()\n"
)
"""Where a line may go on at each tilde."""


@pytest.mark.parametrize(("inside", "outside"), [("\\\n", "\\\r\n"), ("# one's\n", "")])
def test_lines_go_on_between_operands_and_operators(edges, inside: str, outside: str) -> None:
    source = CONTINUED
    for place in ("(~", "~)", "[~", "~for", "~1"):
        source = source.replace(place, place.replace("~", inside))
    source = source.replace("~", outside)
    expected = {(M, "f"), (M, "g"), (M, "A.__str__"), (M, "A.__bool__")}
    assert edges(source) == expected


def test_a_bracket_may_be_unpacked_in_a_list_without_brackets(edges) -> None:
    source = (
        FG + "def h(): pass\n"
        "def many(n):\n    first = f(), *[g() for _ in n]\n    yield first, *(h(),)\n"
        "    return 2, *[f()]\n"
        "many(1)\n"
    )
    assert extract("a.py", "python", source.encode()).parse_errors == 0
    assert edges(source) == {("many", "f"), ("many", "g"), ("many", "h"), (M, "many")}


def test_what_follows_a_continued_line_stays_on_its_line() -> None:
    source = b"def f(x): pass\nf(\\\n 1)\ny = 1 + \\\n 2 + \\\n f(\n f(3))\nz = y \\\n  + 1\nf(4)\n"
    graph = resolve([("m.py", extract("m.py", "python", source))])
    assert [sorted(lines) for _, lines in graph.edges.values()] == [[2, 4, 7, 10]]


@pytest.mark.parametrize("title", CASES)
def test_calls(edges, title: str) -> None:
    source, expected = CASES[title]
    assert edges(source) == expected


def test_a_star_brings_the_modules_that_a_package_lists(edges) -> None:
    files = {
        "pkg/__init__.py": "__all__ = ['mod']\n",
        "pkg/mod.py": "def go(): pass\n",
        "main.py": "from pkg import *\nmod.go()\n",
    }
    assert edges(files) == {(M, "pkg/mod.py::go")}


def test_a_star_may_bring_what_a_function_binds_anew(edges) -> None:
    files = {
        "lib.py": "def go(): pass\n",
        "main.py": "from lib import *\ndef change():\n    global go\n    go = None\ngo()\n",
    }
    assert (M, "lib.py::go") in edges(files)


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("if sys.version_info.major < 3", "else", {"three"}),
        ("if sys.version_info[0] == 3", "else", {"two"}),
        ("if sys.version_info.major < 3", "elif other", {"three"}),
        ("if other", "else", {"two", "three"}),
    ],
)
def test_what_never_runs_defines_no_name_that_something_else_does(
    first: str, second: str, told: set[str], edges
) -> None:
    found = edges(
        f"import sys\ndef two(): pass\ndef three(): pass\n"
        f"{first}:\n    go = two\n    def only(): pass\n{second}:\n    go = three\n"
        "def use():\n    go()\n    only()\nuse()\n"
    )
    assert {callee for caller, callee in found if caller == "use"} == told | {"only"}
