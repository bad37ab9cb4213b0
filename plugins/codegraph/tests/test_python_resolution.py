"""Who calls whom in Python, by language feature."""

from __future__ import annotations

import pytest

from toolroll_codegraph.confidence import WORDS
from toolroll_codegraph.languages.registry import extract
from toolroll_codegraph.resolve.graph import resolve

M = "<module>"

NODES = "".join(f"    def visit_{name}(self): pass\n" for name in range(70))
CASES = {
    "what is found among a module's and an object's members": (
        "import inspect, sys\n"
        "class Command:\n    def go(self): pass\nclass Add(Command):\n    def go(self): pass\n"
        "class Other:\n    def go(self): pass\ndef help_add(): pass\ndef other(): pass\n"
        "def one():\n    for name, found in globals().items():\n"
        "        if name.startswith('help_'): found()\n"
        "def two():\n"
        "    for name, found in inspect.getmembers(sys.modules[__name__], inspect.isclass):\n"
        "        if issubclass(found, Command): found().go()\n"
        "def three():\n    found = {n: f for n, f in globals().items() if n.endswith('Other')}\n"
        "    found['x']().go()\n"
        "class Shell:\n    def do_add(self): pass\n    def run(self):\n"
        "        for name, found in inspect.getmembers(self):\n"
        "            if name.startswith('do_'): found()\nShell().run()\n",
        {
            ("one", "help_add"),
            ("two", "Command.go"),
            ("two", "Add.go"),
            ("three", "Other.go"),
            (M, "Shell.run"),
            ("Shell.run", "Shell.do_add"),
        },
    ),
    "attributes that are passed by their names": (
        "from argparse import ArgumentParser\n"
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "def use(part, **rest): part.go()\n"
        "class C:\n    def __init__(self, part): self.part = part\n"
        "    def run(self, options): use(**vars(self), **options)\n"
        "C(A()).run({})\n"
        "parser = ArgumentParser()\nparser.add_argument('--part', type=lambda text: B())\n"
        "use(**vars(parser.parse_args()))\n",
        {
            (M, "C.__init__"),
            (M, "C.run"),
            (M, "use"),
            ("C.run", "use"),
            ("use", "A.go"),
            ("use", "B.go"),
        },
    ),
    "a future gives what it was given": (
        "import asyncio\n"
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "async def run():\n    one = asyncio.get_running_loop().create_future()\n"
        "    two = asyncio.Future()\n    one.set_result(A())\n    two.set_result(B())\n"
        "    one.result().go()\n    (await two).go()\n",
        {("run", "A.go"), ("run", "B.go")},
    ),
    "an object that is called by way of itself": (
        "class A: pass\nclass B: pass\nclass C:\n    def __call__(self): pass\n"
        "A.__call__ = A()\nB.__call__ = A()\nA.__call__ = B()\nB.__call__ = C()\nA()()\n",
        {(M, "C.__call__")},
    ),
    "a library's class iterates in its own way": (
        "from collections import OrderedDict\nclass Tree(OrderedDict):\n"
        "    def __getitem__(self, key): pass\nclass Row:\n    def __getitem__(self, key): pass\n"
        "for key in Tree(): pass\nfor cell in Row(): pass\n",
        {(M, "Row.__getitem__")},
    ),
    "a pair of a mapping is not added to": (
        "from collections import defaultdict\nclass A:\n    def go(self): pass\n"
        "    def stop(self): pass\n"
        "class S:\n    def fill(self):\n        self.kinds = defaultdict(list)\n"
        "        self.kinds[input()].append(A())\n        self.kinds = list(self.kinds.items())\n"
        "    def show(self):\n        for kind, parts in self.kinds:\n            kind.stop()\n"
        "            for part in parts: part.go()\n",
        {("S.show", "A.go")},
    ),
    "what a record is made with": (
        "from dataclasses import dataclass\nfrom typing import Callable, ClassVar, NamedTuple\n"
        "def one(): pass\ndef two(): pass\ndef three(): pass\n"
        "@dataclass\nclass Base:\n    kinds: ClassVar[int] = 1\n    name: str\n"
        "@dataclass(frozen=True)\nclass Task(Base):\n    act: Callable[[], None]\n"
        "    end: Callable[[], None] = two\n    def go(self):\n        self.act()\n"
        "        self.end()\n"
        "class Entry(NamedTuple):\n    name: str\n    check: Callable[[], None]\n"
        "Task('a', one, end=three).go()\n"
        "def checks():\n    for name, check in [Entry('a', one)]: check()\n",
        {
            (M, "Task.go"),
            ("Task.go", "one"),
            ("Task.go", "two"),
            ("Task.go", "three"),
            ("checks", "one"),
        },
    ),
    "a named tuple that a function makes": (
        "import collections\ndef one(): pass\ndef two(): pass\n"
        "Pair = collections.namedtuple('Pair', 'left right')\n"
        "class Both(Pair):\n    def go(self): self.left()\n"
        "Both(one, two).go()\ndef take(pair: tuple): pair[1]()\n"
        "take(Pair(right=two, left=one))\n",
        {(M, "Both.go"), ("Both.go", "one"), (M, "take"), ("take", "two")},
    ),
    "handlers by how their names begin and end": (
        "class A:\n    def on_x_key(self): pass\n    def on_y_key(self): pass\n"
        "    def on_move(self): pass\n"
        "    def key(self, name): getattr(self, f'on_{name}_key')()\n"
        "    def other(self, name): getattr(self, 'on_%s' % name)()\n",
        {("A.key", "A.on_x_key"), ("A.key", "A.on_y_key"), ("A.other", "A.on_move")},
    ),
    "a visitor by the class of what it visits": (
        "class Node:\n    def accept(self, visitor):\n"
        "        getattr(visitor, 'visit' + self.__class__.__name__)(self)\n"
        "class Leaf(Node):\n    def fall(self): pass\nclass Tree(Node):\n    def fall(self): pass\n"
        "class Walk:\n    def visitLeaf(self, node): node.fall()\n"
        "    def visitTree(self, node): node.fall()\n"
        "def walk():\n    for node in [Leaf(), Tree()]: node.accept(Walk())\n",
        {
            ("walk", "Node.accept"),
            ("Node.accept", "Walk.visitLeaf"),
            ("Node.accept", "Walk.visitTree"),
            ("Walk.visitLeaf", "Leaf.fall"),
            ("Walk.visitTree", "Tree.fall"),
        },
    ),
    "members of an enumeration": (
        "import enum\nclass Color(enum.IntEnum):\n    RED = 100\n"
        "    def shade(self): pass\n    @classmethod\n    def pick(cls): return cls.RED\n"
        "Color.RED.shade()\nColor['RED'].shade()\nColor.pick().shade()\n"
        "def every():\n    for color in Color: color.shade()\n",
        {(M, "Color.shade"), (M, "Color.pick"), ("every", "Color.shade")},
    ),
    "commands of argparse": (
        "import argparse\ndef one(args): pass\ndef two(args): pass\ndef three(): pass\n"
        "def main():\n    parser = argparse.ArgumentParser()\n"
        "    commands = parser.add_subparsers()\n"
        "    commands.add_parser('one').set_defaults(func=one, other=three)\n"
        "    commands.add_parser('two').set_defaults(func=two)\n"
        "    args, rest = parser.parse_known_args()\n    args.func(args)\n",
        {("main", "one"), ("main", "two")},
    ),
    "handlers collected by how their names begin": (
        "class A:\n    def __init__(self):\n"
        "        self.table = {n[3:]: getattr(self, n) for n in dir(self) if n.startswith('do_')}\n"
        "    def do_x(self): pass\n    def do_y(self): pass\n    def other(self): pass\n"
        "    def run(self, name): self.table[name]()\n",
        {("A.run", "A.do_x"), ("A.run", "A.do_y")},
    ),
    "every row of a long table": (
        "def first(): pass\ndef last(): pass\n"
        f"TABLE = {{0: (first, 0), {', '.join(f'{n}: (None, {n})' for n in range(1, 40))},"
        " 40: (last, 40)}\ndef run(key):\n    function, number = TABLE[key]\n    function()\n",
        {("run", "first"), ("run", "last")},
    ),
    "a handler found by the beginning of its name": (
        "class V:\n    def visit(self, kind):\n        getattr(self, 'visit_' + kind)()\n"
        "    def visit_a(self): pass\n    def visit_b(self): pass\n    def other(self): pass\n",
        {("V.visit", "V.visit_a"), ("V.visit", "V.visit_b")},
    ),
    "a name put together of several parts": (
        "class V:\n    def one(self, kind, way): getattr(self, f'on_{kind}_op_{way}')()\n"
        "    def two(self, kind, way): getattr(self, 'on_%s_of_%sed' % (kind, way))()\n"
        "    def on_a_op_b(self): pass\n    def on_a_of_bed(self): pass\n"
        "    def on_a_of_b(self): pass\n    def on_a(self): pass\n",
        {("V.one", "V.on_a_op_b"), ("V.two", "V.on_a_of_bed")},
    ),
    "a computed attribute may be any of more members than a slot has room for": (
        "class V:\n    def visit(self, kind):\n"
        "        method = getattr(self, 'visit_' + kind, self.unknown)\n"
        "        if callable(method): method()\n"
        "    def unknown(self): pass\n"
        + "".join(f"class V{n}(V):\n{NODES}" for n in range(3))
        + "def run(v): v.visit(input())\nrun(V0())\nrun(V1())\nrun(V2())\n",
        {
            ("<module>", "run"),
            ("run", "V.visit"),
            ("V.visit", "V.unknown"),
            *(("V.visit", f"V{n}.visit_{name}") for n in range(3) for name in range(70)),
        },
    ),
    "a handler's name that is formatted": (
        "class V:\n    def f(self, kind):\n        name = 'on_{}'.format(kind)\n"
        "        getattr(self, name.lower(), None)()\n        getattr(self, f'to_{kind}')()\n"
        "    def on_a(self): pass\n    def to_b(self): pass\n",
        {("V.f", "V.on_a"), ("V.f", "V.to_b")},
    ),
    "a function passed as an argument": (
        "def a(): pass\ndef run(f): f()\nrun(a)\n",
        {(M, "run"), ("run", "a")},
    ),
    "an identity function keeps its callers apart": (
        "def a(): pass\ndef b(): pass\ndef same(f): return f\nsame(b)\nsame(a)()\n",
        {(M, "same"), (M, "a")},
    ),
    "a variable that is overwritten": (
        "def a(): pass\ndef b(): pass\nx = a\nx()\nx = b\n",
        {(M, "a")},
    ),
    "a variable carried around a loop": (
        "def a(): pass\ndef b(): pass\nx = a\nfor i in (1, 2):\n    x()\n    x = b\n",
        {(M, "a"), (M, "b")},
    ),
    "a key that a variable holds": (
        "def a(): pass\ndef b(): pass\nd = {'a': a, 'b': b}\nk = 'b'\nd[k]()\n",
        {(M, "b")},
    ),
    "a context manager and an iterator": (
        "class A:\n    def __enter__(self): return self\n    def __exit__(self, *e): pass\n"
        "    def __iter__(self): return self\n    def __next__(self): return 1\n"
        "with A() as a:\n    for x in a: pass\n",
        {(M, "A.__enter__"), (M, "A.__exit__"), (M, "A.__iter__"), (M, "A.__next__")},
    ),
    "a name is never enough": (
        "class A:\n    def only_here(self): pass\ndef run(x): x.only_here()\n",
        set(),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source) == expected


def test_a_table_of_more_handlers_than_a_slot_has_room_for_instances(edges) -> None:
    names = [f"f{number}" for number in range(40)]
    source = "".join(f"def {name}(): pass\n" for name in names)
    found = edges(source + f"for handler in [{', '.join(names)}]:\n    handler()\n")
    assert found == {(M, name) for name in names}


def test_a_read_of_a_property_is_of_low_confidence() -> None:
    source = b"class A:\n    @property\n    def v(self): pass\n    def go(self): self.v\nA().go()\n"
    graph = resolve([("main.py", extract("main.py", "python", source))])
    name = graph.program.qualified_name
    found = {
        (name(caller), name(callee)): known for (caller, callee), (known, _) in graph.edges.items()
    }
    assert WORDS[found["A.go", "A.v"]] == "low"
    assert WORDS[found[M, "A.go"]] == "high"


def test_reads_that_run_getattribute_are_of_low_confidence() -> None:
    source = (
        b"class A:\n    def __getattribute__(self, name): return super().__getattribute__(name)\n"
        b"    def go(self): pass\ndef use(a):\n    a.x\n    a.go()\nuse(A())\n"
    )
    graph = resolve([("main.py", extract("main.py", "python", source))])
    name = graph.program.qualified_name
    found = {
        (name(caller), name(callee)): known for (caller, callee), (known, _) in graph.edges.items()
    }
    assert WORDS[found["use", "A.__getattribute__"]] == "low"
    assert WORDS[found["use", "A.go"]] == "high"
