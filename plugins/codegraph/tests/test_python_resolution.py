"""Who calls whom in Python, by language feature."""

from __future__ import annotations

import pytest

from toolroll_codegraph.languages.registry import extract
from toolroll_codegraph.resolve.graph import CONFIDENCES, resolve
from toolroll_codegraph.resolve.layout import ProjectLayout

M = "<module>"

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
    "a decorator with an argument that may be left out": (
        "from functools import partial, wraps\n"
        "def timed(function=None, *, name=''):\n"
        "    if function is None: return partial(timed, name=name)\n"
        "    @wraps(function)\n    def inner(*a): return function(*a)\n    return inner\n"
        "def cached(function=None):\n    def decorate(f):\n"
        "        def around(): return f()\n        return around\n"
        "    return decorate(function) if function else decorate\n"
        "@timed(name='a')\ndef one(): pass\n@cached()\ndef two(): pass\n"
        "def run(): one()\n@cached\ndef three(): pass\n",
        {
            (M, "timed"),
            (M, "cached"),
            (M, "cached.decorate"),
            ("cached", "cached.decorate"),
            ("timed.inner", "one"),
            ("run", "timed.inner"),
            ("cached.decorate.around", "two"),
            ("cached.decorate.around", "three"),
        },
    ),
    "a test of an attribute, until it may be another": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "class C:\n    def __init__(self, part): self.part = part\n"
        "    def one(self):\n        if isinstance(self.part, B):\n"
        "            return self.part.go()\n"
        "    def two(self):\n        if not isinstance(self.part, B):\n"
        "            self.part.go()\n"
        "    def three(self):\n        if isinstance(self.part, B):\n"
        "            self.one()\n            self.part.go()\n"
        "C(A()), C(B())\n",
        {
            (M, "C.__init__"),
            ("C.one", "B.go"),
            ("C.two", "A.go"),
            ("C.three", "C.one"),
            ("C.three", "A.go"),
            ("C.three", "B.go"),
        },
    ),
    "what a loop's condition tells inside and behind it": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "def run(node):\n    while not isinstance(node, B):\n        node.go()\n"
        "        node = node.above\n    node.go()\n"
        "top = A()\ntop.above = B()\nrun(top)\n",
        {(M, "run"), ("run", "A.go"), ("run", "B.go")},
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
    "a class that asks another for the methods it lacks itself": (
        "class A:\n    def go(self): pass\nclass Proxy:\n"
        "    def __init__(self): self.inner = A()\n"
        "    def __getattr__(self, name): return getattr(self.inner, name)\n"
        "class Own(Proxy):\n    def run(self): self.go()\n",
        {
            ("Own.run", "A.go"),
            ("Own.run", "Proxy.__getattr__"),
        },
    ),
    "a method outside of its class": (
        "class Scan:\n    def matches(self, text): pass\n    def read(self): pass\n"
        "def check(self):\n    if self.matches('a'): return True\n"
        "def other(scanner): scanner.matches('b')\ndef third(self): self.read()\n",
        {("check", "Scan.matches")},
    ),
    "what all methods use of an attribute tells what it is": (
        "class Filter:\n    def clean(self, x): pass\n    def skip(self): pass\n"
        "class Model:\n    def __init__(self, part=None): self.part = part\n"
        "    def fit(self, rows):\n        for row in rows:\n            self.part.skip()\n"
        "            self.part.clean(row)\n"
        "class Tree(Model):\n    def clean(self, x): return self.part.clean(x)\n",
        {
            ("Model.fit", "Filter.skip"),
            ("Model.fit", "Filter.clean"),
            ("Tree.clean", "Filter.clean"),
        },
    ),
    "an object that is called by way of itself": (
        "class A: pass\nclass B: pass\nclass C:\n    def __call__(self): pass\n"
        "A.__call__ = A()\nB.__call__ = A()\nA.__call__ = B()\nB.__call__ = C()\nA()()\n",
        {(M, "C.__call__")},
    ),
    "an annotation keeps other classes out": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "class C(A):\n    def go(self): pass\n"
        "def one(x: A): x.go()\ndef two(x: 'B | None' = None): x.go()\n"
        "def run(x):\n    one(x)\n    two(x)\nrun(B())\nrun(C())\n",
        {
            (M, "run"),
            ("run", "one"),
            ("run", "two"),
            ("one", "C.go"),
            ("two", "B.go"),
        },
    ),
    "a protocol keeps nothing out": (
        "from typing import Protocol\nclass Goes(Protocol):\n    def go(self): ...\n"
        "class A:\n    def go(self): pass\n"
        "def run(x: Goes): x.go()\nrun(A())\n",
        {(M, "run"), ("run", "A.go")},
    ),
    "what a protocol stands for": (
        "from typing import Protocol\nclass Goes(Protocol):\n    speed: int\n"
        "    def go(self) -> int: ...\n"
        "class A:\n    speed = 1\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "class Calls(Protocol):\n    def __call__(self): ...\n"
        "class C:\n    def __call__(self): pass\n"
        "def run(x: Goes): x.go()\ndef call(x: Calls): x()\n",
        {("run", "A.go"), ("call", "Calls.__call__")},
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
    "a class that lacks what is read of a value is not its class": (
        "class Server:\n    def __init__(self): self.family = 1\n"
        "    def get_name(self): return self.family\n"
        "def run(sock): return sock.family, sock.proto, sock.get_name()\n",
        set(),
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
    "a result is of the annotated class": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "BOTH = [A(), B()]\ndef first() -> A:\n    for one in BOTH: return one\n"
        "first().go()\n",
        {(M, "first"), (M, "A.go")},
    ),
    "what passed a check is of the class, in all the ways to check": (
        "class A:\n    def go(self): pass\nclass B(A):\n    def go(self): pass\n"
        "class C:\n    def go(self): pass\n"
        "def run(x):\n    if isinstance(x, A) and x.go(): pass\n"
        "def pick(x): return x.go() if isinstance(x, C) else None\n"
        "def leave(x):\n    if not isinstance(x, A): return\n    x.go()\n"
        "for f in (run, pick, leave):\n    f(B())\n    f(C())\n",
        {
            (M, "run"),
            (M, "pick"),
            (M, "leave"),
            ("run", "B.go"),
            ("pick", "C.go"),
            ("leave", "B.go"),
        },
    ),
    "what is no class of the project passes a check": (
        "def go(): pass\ndef run(x):\n    if isinstance(x, list):\n        for f in x: f()\n"
        "run([go])\n",
        {(M, "run"), ("run", "go")},
    ),
    "a name that a loop binds anew is nothing from its last round": (
        "class A:\n    def go(self): pass\nclass B:\n    def stop(self): pass\n"
        "    def go(self): pass\n"
        "def run():\n    for _ in range(2):\n        for x in [A()]: x.go()\n"
        "        for x in [B()]: x.stop()\nrun()\n",
        {(M, "run"), ("run", "A.go"), ("run", "B.stop")},
    ),
    "a wrapper is not what it wraps": (
        "class Dispatcher:\n    def __init__(self, sock): self.socket = sock\n"
        "    def accept(self): return self.socket.accept()\n"
        "    def listen(self): return self.socket.listen()\n"
        "    def both(self):\n        self.listen()\n        self.accept()\n",
        {("Dispatcher.both", "Dispatcher.listen"), ("Dispatcher.both", "Dispatcher.accept")},
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
    "an overriding method is given what the overridden one is": (
        "class Reader:\n    def take(self): pass\nclass Other:\n    def take(self): pass\n"
        "class A:\n    @classmethod\n    def parse(cls, source: Reader): return source.take()\n"
        "class B(A):\n    @classmethod\n    def parse(cls, source): return source.take()\n",
        {("A.parse", "Reader.take"), ("B.parse", "Reader.take")},
    ),
    "members of an enumeration": (
        "import enum\nclass Color(enum.IntEnum):\n    RED = 100\n"
        "    def shade(self): pass\n    @classmethod\n    def pick(cls): return cls.RED\n"
        "Color.RED.shade()\nColor['RED'].shade()\nColor.pick().shade()\n"
        "def every():\n    for color in Color: color.shade()\n",
        {(M, "Color.shade"), (M, "Color.pick"), ("every", "Color.shade")},
    ),
    "a generic class": (
        "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Box(Generic[T]):\n"
        "    def go(self): pass\nBox[int]().go()\n",
        {(M, "Box.go")},
    ),
    "what making a class runs": (
        "class Meta(type):\n    def __new__(mcs, name, bases, body): return None\n"
        "class A(metaclass=Meta):\n    def __init_subclass__(cls): cls.note()\n"
        "    @classmethod\n    def note(cls): pass\nclass B(A): pass\n",
        {(M, "Meta.__new__"), (M, "A.__init_subclass__"), ("A.__init_subclass__", "A.note")},
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
    "a mixin uses what the classes that join it have beside it": (
        "class Mixin:\n    def __init__(self):\n        super().__init__()\n        self.hook()\n"
        "class Base:\n    def __init__(self): pass\n    def hook(self): pass\n"
        "class Joined(Mixin, Base): pass\n",
        {("Mixin.__init__", "Base.__init__"), ("Mixin.__init__", "Base.hook")},
    ),
    "each of many subclasses that nobody makes": (
        "class A:\n    def run(self): self.step()\n    def step(self): return 1\n"
        + "".join(f"class B{n}(A):\n    def step(self): pass\n" for n in range(30)),
        {("A.run", "A.step"), *(("A.run", f"B{n}.step") for n in range(30))},
    ),
    "handlers collected by how their names begin": (
        "class A:\n    def __init__(self):\n"
        "        self.table = {n[3:]: getattr(self, n) for n in dir(self) if n.startswith('do_')}\n"
        "    def do_x(self): pass\n    def do_y(self): pass\n    def other(self): pass\n"
        "    def run(self, name): self.table[name]()\n",
        {("A.run", "A.do_x"), ("A.run", "A.do_y")},
    ),
    "an asserted type": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "def run(x):\n    assert isinstance(x, (A, B)), 'neither'\n    x.go()\n",
        {("run", "A.go"), ("run", "B.go")},
    ),
    "what a class method makes is of its receiver's class": (
        "class A:\n    @classmethod\n    def make(cls):\n        made = cls()\n"
        "        made.x = 1\n        return made\n    def go(self): pass\n"
        "class B(A):\n    def go(self): pass\nclass C(A):\n    def go(self): pass\n"
        "def one(): B.make().go()\ndef two(): C.make().go()\n",
        {("one", "A.make"), ("one", "B.go"), ("two", "A.make"), ("two", "C.go")},
    ),
    "a method called as a function runs on what its class made": (
        "class A:\n    def go(self): self.help()\n    def help(self): pass\n"
        "class B:\n    def help(self): pass\n"
        "def each(f, *args): f(*args)\neach(A.go, A())\neach(print, B())\n",
        {(M, "each"), ("each", "A.go"), ("A.go", "A.help")},
    ),
    "every row of a long table": (
        "def first(): pass\ndef last(): pass\n"
        f"TABLE = {{0: (first, 0), {', '.join(f'{n}: (None, {n})' for n in range(1, 40))},"
        " 40: (last, 40)}\ndef run(key):\n    function, number = TABLE[key]\n    function()\n",
        {("run", "first"), ("run", "last")},
    ),
    "an inherited method runs on the subclasses that redefine what it uses": (
        "class A:\n    def run(self): self.step()\n    def step(self): return 1\n"
        "class B(A):\n    def step(self): return 1\n",
        {("A.run", "A.step"), ("A.run", "B.step")},
    ),
    "a subclass that redefines the caller too is not called by it": (
        "class A:\n    def run(self): self.step()\n    def step(self): return 1\n"
        "class B(A):\n    def run(self): pass\n    def step(self): return 1\n",
        {("A.run", "A.step")},
    ),
    "two methods called on an unknown value tell its class": (
        "class Account:\n    def deposit(self): pass\n    def withdraw(self): pass\n"
        "def move(source):\n    source.withdraw()\n    source.deposit()\n",
        {("move", "Account.deposit"), ("move", "Account.withdraw")},
    ),
    "one method tells nothing unless the parameter is named like the class": (
        "class Account:\n    def deposit(self): pass\n"
        "def one(thing): thing.deposit()\ndef two(account): account.deposit()\n",
        {("two", "Account.deposit")},
    ),
    "what a library made is none of the project's classes": (
        "import bank\nclass Account:\n    def deposit(self): pass\n"
        "    def withdraw(self): pass\n"
        "def move():\n    account = bank.open()\n    account.withdraw()\n"
        "    account.deposit()\n",
        set(),
    ),
    "the class of an object": (
        "class A:\n    def __init__(self): pass\n    def copy(self): return self.__class__()\n"
        "A().copy()\n",
        {(M, "A.__init__"), (M, "A.copy"), ("A.copy", "A.__init__")},
    ),
    "a property object": (
        "class A:\n    def _get(self): return self.a()\n    def _set(self, v): self.b()\n"
        "    def a(self): pass\n    def b(self): pass\n    v = property(_get, fset=_set)\n"
        "x = A()\nx.v\nx.v = 1\n",
        {(M, "A._get"), (M, "A._set"), ("A._get", "A.a"), ("A._set", "A.b")},
    ),
    "a descriptor": (
        "class lazy:\n    def __init__(self, f): self.f = f\n"
        "    def __get__(self, o, c): return self.f(o)\n"
        "class A:\n    @lazy\n    def v(self): return B()\n"
        "class B:\n    def go(self): pass\nA().v.go()\n",
        {(M, "lazy.__init__"), (M, "lazy.__get__"), ("lazy.__get__", "A.v"), (M, "B.go")},
    ),
    "the last definition of a method": (
        "class A:\n    def f(self): pass\n    def f(self, x): self.g()\n    def g(self): pass\n"
        "A().f(1)\n",
        {(M, "A.f"), ("A.f", "A.g")},
    ),
    "an overload is no definition": (
        "from typing import overload\n@overload\ndef f(x: int): ...\ndef f(x): g()\n"
        "def g(): pass\nf(1)\n",
        {(M, "f"), ("f", "g")},
    ),
    "an abstract method is what overrides it": (
        "class A:\n    def f(self): raise NotImplementedError\n    def run(self): self.f()\n"
        "class B(A):\n    def f(self): pass\n",
        {("A.run", "B.f")},
    ),
    "a handler found by the beginning of its name": (
        "class V:\n    def visit(self, kind):\n        getattr(self, 'visit_' + kind)()\n"
        "    def visit_a(self): pass\n    def visit_b(self): pass\n    def other(self): pass\n",
        {("V.visit", "V.visit_a"), ("V.visit", "V.visit_b")},
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
    "the method resolution order of a diamond": (
        "class A:\n    def f(self): pass\nclass B(A): pass\nclass C(A):\n    def f(self): pass\n"
        "class D(B, C): pass\nD().f()\n",
        {(M, "C.f")},
    ),
    "a hook of the class that is really there": (
        "class A:\n    def run(self): self.hook()\n    def hook(self): pass\n"
        "class B(A):\n    def hook(self): pass\nB().run()\n",
        {(M, "A.run"), ("A.run", "B.hook")},
    ),
    "a method nobody calls runs on its own class": (
        "class A:\n    def run(self): self.hook()\n    def hook(self): pass\n",
        {("A.run", "A.hook")},
    ),
    "a decorator that wraps": (
        "def dec(f):\n    def inner(): f()\n    return inner\n@dec\ndef a(): pass\na()\n",
        {(M, "dec"), (M, "dec.inner"), ("dec.inner", "a")},
    ),
    "one wrapper for all that is decorated": (
        "def dec(f):\n    def inner(*args, **kwargs): return f(*args, **kwargs)\n"
        "    return inner\nclass A:\n    def a(self): pass\nclass B:\n    def b(self): pass\n"
        "@dec\ndef first(x):\n    x.a()\n    return A()\n"
        "@dec\ndef second(x):\n    x.b()\n    return B()\n"
        "first(A()).a()\nsecond(B()).b()\n",
        {
            (M, "dec"),
            (M, "dec.inner"),
            ("dec.inner", "first"),
            ("dec.inner", "second"),
            (M, "A.a"),
            (M, "B.b"),
            ("first", "A.a"),
            ("second", "B.b"),
        },
    ),
    "a wrapped method gets its receiver, twice wrapped too": (
        "def dec(f):\n    def inner(self, *args):\n        found = f(self, *args)\n"
        "        return found\n    return inner\n"
        "class A:\n    @dec\n    def go(self): return self.end()\n"
        "    @property\n    @dec\n    @dec\n    def part(self): return self\n"
        "    def end(self): return self\nA().part.go().end()\n",
        {
            (M, "dec"),
            (M, "dec.inner"),
            ("dec.inner", "dec.inner"),
            (M, "A.end"),
            ("dec.inner", "A.go"),
            ("dec.inner", "A.part"),
            ("A.go", "A.end"),
        },
    ),
    "a wrapper that is called as such": (
        "def dec(f):\n    def inner(*args): return f(*args)\n    return inner\n"
        "def call(x): return x()\ndef a(): return b\ndef b(): pass\nwrapped = dec(call)\n"
        "wrapped(a)()\n",
        {(M, "dec"), (M, "dec.inner"), ("dec.inner", "call"), ("call", "a"), (M, "b")},
    ),
    "a decorator from outside keeps the function": (
        "import lib\n@lib.dec(1)\ndef a(): pass\na()\n",
        {(M, "a")},
    ),
    "an annotated parameter that nobody fills": (
        "class A:\n    def go(self): pass\ndef run(a: 'A | None'): a.go()\n",
        {("run", "A.go")},
    ),
    "a type test": (
        "class A:\n    def go(self): pass\ndef run(x):\n    if isinstance(x, A):\n        x.go()\n",
        {("run", "A.go")},
    ),
    "a property and its setter": (
        "class A:\n    @property\n    def v(self): return 1\n    @v.setter\n"
        "    def v(self, x): self.check()\n    def check(self): pass\na = A()\na.v = 1\n",
        {(M, "A.v"), ("A.v", "A.check")},
    ),
    "a context manager and an iterator": (
        "class A:\n    def __enter__(self): return self\n    def __exit__(self, *e): pass\n"
        "    def __iter__(self): return self\n    def __next__(self): return 1\n"
        "with A() as a:\n    for x in a: pass\n",
        {(M, "A.__enter__"), (M, "A.__exit__"), (M, "A.__iter__"), (M, "A.__next__")},
    ),
    "super in a chain of classes": (
        "class A:\n    def f(self): pass\nclass B(A):\n    def f(self): super().f()\n"
        "class C(A):\n    def f(self): super().f()\nclass D(B, C): pass\nD().f()\n",
        {(M, "B.f"), ("B.f", "C.f"), ("C.f", "A.f")},
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


def test_imports_of_every_form(edges) -> None:
    found = edges(
        {
            "main.py": "import pkg.sub.deep\nimport pkg.sub as s\nfrom pkg import one as first\n"
            "from pkg import *\npkg.sub.deep.f()\ns.deep.f()\nfirst()\ntwo()\n",
            "pkg/__init__.py": "from .a import one\nfrom .b import *\n",
            "pkg/a.py": "from . import b\ndef one(): b.two()\n",
            "pkg/b.py": "__all__ = ['two']\ndef two(): pass\n",
            "pkg/sub/__init__.py": "",
            "pkg/sub/deep.py": "from ..a import one\ndef f(): one()\n",
        }
    )
    assert found == {
        (M, "pkg/sub/deep.py::f"),
        (M, "pkg/a.py::one"),
        (M, "pkg/b.py::two"),
        ("pkg/a.py::one", "pkg/b.py::two"),
        ("pkg/sub/deep.py::f", "pkg/a.py::one"),
    }


def test_a_source_layout_and_namespace_packages(edges) -> None:
    found = edges(
        {
            "src/lib/core.py": "from lib.util.text import clean\ndef run(): clean()\n",
            "src/lib/util/text.py": "def clean(): pass\n",
            "tests/test_core.py": "from lib.core import run\ndef test(): run()\n",
        }
    )
    assert ("tests/test_core.py::test", "src/lib/core.py::run") in found
    assert ("src/lib/core.py::run", "src/lib/util/text.py::clean") in found


def test_cycles_of_imports_bases_and_decorators_end(edges) -> None:
    found = edges(
        {
            "a.py": "from b import *\nfrom b import B\nclass A(B): pass\n",
            "b.py": "from a import *\nfrom a import A\nclass B(A):\n    def f(self): self.f()\n",
        }
    )
    assert found == {("b.py::B.f", "b.py::B.f")}


def test_a_package_that_imports_its_own_module(edges) -> None:
    found = edges(
        {
            "p/__init__.py": "from p import engine\ndef run(): return engine.start()\n",
            "p/engine.py": "def start(): pass\n",
        }
    )
    assert found == {("p/__init__.py::run", "p/engine.py::start")}


@pytest.mark.parametrize("root", ["/home/me/shop", "/src/market/shop", "C:/shop"])
def test_a_project_that_is_a_package_itself(edges, root: str) -> None:
    package = root.removeprefix("/src/").replace("/", ".") if "market" in root else "shop"
    found = edges(
        {
            "__init__.py": f"import {package}.cart\nfrom {package} import logging\n",
            "cart.py": f"import {package}.logging\nimport logging\n"
            f"def add(): {package}.logging.note()\ndef drop(): logging.note()\n",
            "logging.py": "def note(): pass\n",
            "parts/__init__.py": f"from {package}.cart import add\n",
            "parts/box.py": f"from {package}.parts import add\nfrom ..cart import add as put\n"
            "def pack(): add()\ndef fill(): put()\n",
        },
        layout=ProjectLayout(directory=root),
    )
    assert found == {
        ("cart.py::add", "logging.py::note"),
        ("parts/box.py::pack", "cart.py::add"),
        ("parts/box.py::fill", "cart.py::add"),
    }


def test_a_project_named_as_a_library_is_not_that_library(edges) -> None:
    files = {
        "utils.py": "def quote(): pass\n",
        "main.py": "from email.utils import quote\nquote()\n",
    }
    layout = ProjectLayout(directory="/home/me/email")
    assert edges(files, layout=layout) == set()
    assert edges({**files, "__init__.py": ""}, layout=layout) == {("<module>", "utils.py::quote")}


def test_a_script_inside_a_package_finds_the_module_beside_it_but_hides_no_library(edges) -> None:
    found = edges(
        {
            "p/__init__.py": "",
            "p/main.py": "import shop, json\nshop.buy()\njson.loads()\n",
            "p/shop.py": "def buy(): pass\n",
            "p/json.py": "def loads(): pass\n",
        }
    )
    assert found == {("p/main.py::<module>", "p/shop.py::buy")}


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
    assert CONFIDENCES[found["A.go", "A.v"]] == "low"
    assert CONFIDENCES[found[M, "A.go"]] == "high"
