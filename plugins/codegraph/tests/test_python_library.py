"""What Python's exceptions, managers and library functions hand on."""

from __future__ import annotations

import pytest

M = "<module>"
FG = "def f(): pass\ndef g(): pass\n"
ERRORS = (
    "class Base(Exception):\n    def code(self): return 1\n"
    "class Late(Base):\n    def code(self): return 2\n"
    "class Lost(Base):\n    def code(self): return 3\n"
)

CASES = {
    "a context runs what it is handed at once, an event loop's runner what that gives": (
        FG + "import asyncio, contextvars\nasync def main(): return f\n"
        "contextvars.copy_context().run(f)\n"
        "with asyncio.Runner() as runner: runner.run(main())()\n",
        {(M, "f"), (M, "main")},
    ),
    "what a task group starts has its arguments, and is not called by who starts it": (
        FG + "import anyio, trio\nasync def work(job): job()\n"
        "async def main():\n    async with anyio.create_task_group() as group:\n"
        "        group.start_soon(work, f)\n"
        "    async with trio.open_nursery() as nursery: nursery.start_soon(work, g)\n"
        "anyio.run(main)\n",
        {(M, "main"), ("work", "f"), ("work", "g")},
    ),
    "bound arguments are those of the function that is called with them": (
        FG + "import inspect\ndef run(first, *, last):\n    first()\n    last()\n"
        "def call(function, *args, **kwargs):\n"
        "    bound = inspect.signature(function).bind(*args, **kwargs)\n"
        "    return function(*bound.args, **bound.kwargs)\n"
        "def one(first, last):\n    bound = inspect.signature(two).bind_partial(first, key=last)\n"
        "    two(*bound.args, **bound.kwargs)\n"
        "def two(it, key): key()\ncall(run, f, last=g)\none(f, f)\n",
        {(M, "call"), (M, "one"), ("call", "run"), ("run", "f"), ("run", "g"), ("one", "two"),
         ("two", "f")},
    ),
    "a flag has those that it is made of": (
        "import enum\nclass Mode(enum.Flag):\n    READ = enum.auto()\n    WRITE = enum.auto()\n"
        "    def label(self): pass\nfor mode in Mode.READ | Mode.WRITE: mode.label()\n",
        {(M, "Mode.label")},
    ),
    "what is copied is, by a method of its own if it has one": (
        "import copy\nclass Job:\n    def __copy__(self): pass\n"
        "    def __deepcopy__(self, memo): pass\n    def go(self): pass\n"
        "class Plain:\n    def go(self): pass\n"
        "def one(): copy.copy(Job()).go()\ndef two(): copy.deepcopy(Job())\n"
        "def three(): copy.copy(Plain()).go()\ndef four(): copy.deepcopy([Job()])\n"
        "class Old:\n    def __reduce__(self): pass\ndef five(): copy.copy(Old())\n",
        {("one", "Job.__copy__"), ("one", "Job.go"), ("two", "Job.__deepcopy__"),
         ("three", "Plain.go"), ("four", "Job.__deepcopy__"), ("five", "Old.__reduce__")},
    ),
    "a proxy of a mapping has what that has": (
        FG + "import types\ntable = types.MappingProxyType({'f': f, 'g': g})\ntable['f']()\n",
        {(M, "f")},
    ),
    "a bound method knows its function and its receiver": (
        "class Job:\n    def go(self): pass\n    def end(self): pass\n"
        "def one(method): method.__self__.end()\ndef two(method): method.__func__(None)\n"
        "one(Job().go)\ntwo(Job().go)\n",
        {(M, "one"), (M, "two"), ("one", "Job.end"), ("two", "Job.go")},
    ),
    "a named tuple is spread field by field": (
        FG + "from typing import NamedTuple\nclass Pair(NamedTuple):\n    first: object\n"
        "    second: object\ndef run(first, second): second()\nrun(*Pair(f, g))\n",
        {(M, "run"), ("run", "g")},
    ),
    "a handler catches what is made below its class": (
        ERRORS + "try:\n    raise Late()\nexcept Base as e:\n    e.code()\n",
        {(M, "Late.code")},
    ),
    "a handler catches its own class where nothing is made": (
        ERRORS
        + "def run(work):\n    try:\n        work()\n    except Base as e:\n        e.code()\n",
        {("run", "Base.code")},
    ),
    "what is raised makes an object of a class and calls nothing else": (
        FG + "class Bad(Exception):\n    def __init__(self): f()\n"
        "    def __call__(self): g()\n"
        "def fail(error): raise error\n"
        "fail(Bad)\nfail(g)\nfail(Bad().__call__)\nfail(Bad())\n",
        {
            (M, "fail"), (M, "Bad.__init__"), ("fail", "Bad.__init__"),
            ("Bad.__init__", "f"), ("Bad.__call__", "g"),
        },
    ),
    "an exception keeps its cause": (
        ERRORS + "def run():\n    try:\n        raise Lost()\n    except Lost as lost:\n"
        "        raise Late() from lost\n"
        "try:\n    run()\nexcept Late as late:\n    late.__cause__.code()\n",
        {(M, "run"), (M, "Lost.code")},
    ),
    "a manager in parentheses is entered": (
        "class A:\n    def __enter__(self): return self\n    def __exit__(self, *a): pass\n"
        "    def use(self): pass\nwith (A() as a):\n    a.use()\n",
        {(M, "A.__enter__"), (M, "A.__exit__"), (M, "A.use")},
    ),
    "closing gives what it closes": (
        "from contextlib import closing\nclass A:\n    def close(self): pass\n"
        "    def use(self): pass\nwith closing(A()) as a:\n    a.use()\n",
        {(M, "A.use")},
    ),
    "reduce hands its result on": (
        "from functools import reduce\n" + FG
        + "def both(a, b):\n    a()\n    b()\n    return h\ndef h(): pass\n"
        "reduce(both, [f, g])()\n",
        {(M, "both"), (M, "h"), ("both", "f"), ("both", "g"), ("both", "h")},
    ),
    "zip turns rows into columns": (
        FG + "names, calls = zip(*[('a', f), ('b', g)])\nfor call in calls: call()\n",
        {(M, "f"), (M, "g")},
    ),
    "json hands objects to its default": (
        "import json\nclass A:\n    def data(self): return {}\n"
        "class B:\n    def data(self): return {}\n"
        "def encode(o): return o.data()\njson.dumps([A()], default=encode)\nB()\n",
        {("encode", "A.data")},
    ),
    "json hands objects to its encoder's default": (
        "import json\nclass A:\n    def data(self): return {}\n"
        "class E(json.JSONEncoder):\n    def default(self, o): return o.data()\n"
        "json.dumps([A()], cls=E)\n",
        {("E.default", "A.data")},
    ),
    "options that nobody gives are what they are by default": (
        FG + "class A:\n    def __init__(self, **kw): self.run = kw.pop('run', f)\n"
        "    def go(self): self.run()\n"
        "def late(**kw): kw.get('call', g)()\nA().go()\nlate()\n",
        {(M, "A.__init__"), (M, "A.go"), ("A.go", "f"), (M, "late"), ("late", "g")},
    ),
    "a class or static method may be made by a call": (
        "class A:\n    def make(cls): return cls()\n    make = classmethod(make)\n"
        "    def plain(x): return x()\n    plain = staticmethod(plain)\n"
        "    def go(self): pass\ndef f(): pass\nA.make().go()\nA.plain(f)\n",
        {(M, "A.make"), (M, "A.go"), (M, "A.plain"), ("A.plain", "f")},
    ),
    "bases may be spread": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "bases = (B, A)\nclass C(*bases): pass\nC().go()\n",
        {(M, "B.go")},
    ),
    "a default that is returned is what a call without it gets": (
        FG + "def same(x=f): return x\nsame()()\n"
        "def keep(x, seen=[]):\n    seen.append(x)\n    return seen\nkeep(g)[0]()\n",
        {(M, "same"), (M, "f"), (M, "keep"), (M, "g")},
    ),
    "what is given is not the default": (
        FG + "def same(x=f): return x\nsame(g)()\n",
        {(M, "same"), (M, "g")},
    ),
    "what is spread on has lost its first": (
        FG + "def h(): pass\ndef run(first, *rest):\n    first()\n    if rest: run(*rest)\n"
        "run(f, g, h)\n",
        {(M, "run"), ("run", "run"), ("run", "f"), ("run", "g"), ("run", "h")},
    ),
    "a percent sign asks for str": (
        "class A:\n    def __format__(self, x): return ''\n    def __str__(self): return ''\n"
        "'%s' % A()\n",
        {(M, "A.__str__")},
    ),
    "each field of a text asks its own value, an attribute not what has it": (
        "class A:\n    def __init__(self, b): self.b = b\n    def __str__(self): return ''\n"
        "class B:\n    def __format__(self, x): return ''\n    def __repr__(self): return ''\n"
        "def first(a): '{.b:5}'.format(a)\ndef second(a, b): '{1!r:{2}} {0!s}'.format(a, b, 1)\n"
        "def third(a, b): '%*d %r %s' % (5, 1, b, a)\ndef fourth(a): '{x.b!r}'.format(x=a)\n"
        "a = A(B())\nfirst(a)\nsecond(a, B())\nthird(a, B())\nfourth(a)\n",
        {
            (M, "A.__init__"),
            (M, "first"),
            (M, "second"),
            (M, "third"),
            (M, "fourth"),
            ("first", "B.__format__"),
            ("second", "A.__str__"),
            ("second", "B.__repr__"),
            ("third", "A.__str__"),
            ("third", "B.__repr__"),
            ("fourth", "B.__repr__"),
        },
    ),
    "what a dictionary lacks is made by who reads it": (
        "from collections import defaultdict\nclass A:\n    def __init__(self): pass\n"
        "    def go(self): pass\ndef make(): pass\ndef unread(): pass\n"
        "class S:\n    def __init__(self):\n        self.all = defaultdict(A)\n"
        "        self.more = defaultdict(lambda: make())\n        self.last = defaultdict(unread)\n"
        "    def read(self, key): self.all[key].go()\n    def ask(self, key): self.all.get(key)\n"
        "    def first(self): return self.more['a']\n"
        "s = S()\ns.read(1)\ns.ask(1)\ns.first()\n",
        {
            (M, "S.__init__"),
            (M, "S.read"),
            (M, "S.ask"),
            (M, "S.first"),
            ("S.read", "A.__init__"),
            ("S.read", "A.go"),
            ("S.first", "S.__init__.<lambda1>"),
            ("S.__init__.<lambda1>", "make"),
            ("S.__init__", "unread"),
        },
    ),
    "reading any attribute may be a call": (
        "class A:\n    def __getattribute__(self, name): return super().__getattribute__(name)\n"
        "    def go(self): pass\nA().go()\n",
        {(M, "A.__getattribute__"), (M, "A.go")},
    ),
    "__getattr__ may give a method of its own": (
        "class A:\n    def __getattr__(self, name): return self.other\n"
        "    def other(self): pass\nA().go()\n",
        {(M, "A.__getattr__"), (M, "A.other")},
    ),
    "a named tuple with other values is one of its class": (
        "from collections import namedtuple\nclass P(namedtuple('P', 'x y')):\n"
        "    def go(self): return self._replace(x=1)\nP(1, 2).go().go()\n",
        {(M, "P.go")},
    ),
    "gather gives what it waits for, in order": (
        "import asyncio\nclass A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "async def one(): return A()\nasync def two(): return B()\n"
        "async def main():\n    a, b = await asyncio.gather(one(), two())\n    b.go()\n"
        "    for c in await asyncio.gather(*(one() for _ in '12')): c.go()\n"
        "asyncio.run(main())\n",
        {(M, "main"), ("main", "one"), ("main", "two"), ("main", "A.go"), ("main", "B.go")},
    ),
    "a metaclass says what is an instance": (
        "class Meta(type):\n    def __instancecheck__(cls, obj): return True\n"
        "class A(metaclass=Meta): pass\nisinstance(3, A)\n",
        {(M, "Meta.__instancecheck__")},
    ),
    "a member of an enumeration is no more than its value": (
        "from enum import Enum\nclass Op(Enum):\n    ADD = 'add'\n"
        "    def __call__(self): return self.value()\nOp.ADD()\n",
        {(M, "Op.__call__")},
    ),
    "StopIteration has what a generator returns": (
        "class A:\n    def use(self): pass\n    def __call__(self): pass\n"
        "def gen():\n    yield 1\n    return A()\n"
        "g = gen()\ntry:\n    next(g)\n    g.send(2)\nexcept StopIteration as stop:\n"
        "    stop.value.use()\n    stop.value()\n",
        {(M, "gen"), (M, "A.use"), (M, "A.__call__")},
    ),
    "a handler of groups catches groups": (
        ERRORS + "try:\n    raise ExceptionGroup('two', [Late(), Lost()])\n"
        "except* Late as group:\n    for error in group.exceptions: error.code()\n",
        {(M, "Late.code")},
    ),
    "an exception keeps what it is made with": (
        FG + "class A(Exception): pass\nclass B(Exception):\n"
        "    def __init__(self, call): super().__init__(call)\n"
        "try:\n    raise A('x', f)\nexcept A as a:\n    a.args[1]()\n"
        "try:\n    raise B(g)\nexcept B as b:\n    b.args[0]()\n",
        {(M, "f"), (M, "g"), (M, "B.__init__")},
    ),
    "a container's method is handed on": (
        FG + "def walk(found):\n    found(f)\n    found(g)\n"
        "kept = []\nwalk(kept.append)\nfor call in kept: call()\n"
        "find = {'f': f}.get\nfind('f')()\n",
        {(M, "walk"), (M, "f"), (M, "g")},
    ),
    "what can't be called is left where callable says no": (
        "class A:\n    def use(self): pass\ndef f(): pass\ndef wrap(x):\n"
        "    if callable(x): return lambda: x()\n    return x\nwrap(f)()\nwrap(A()).use()\n",
        {(M, "wrap"), (M, "wrap.<lambda1>"), ("wrap.<lambda1>", "f"), (M, "A.use")},
    ),
    "a task is a future of what its coroutine returns": (
        "import asyncio\nclass A:\n    def use(self): pass\n"
        "async def load(): return A()\ndef done(t): t.result().use()\n"
        "async def main():\n    async with asyncio.TaskGroup() as group:\n"
        "        task = group.create_task(load())\n    task.add_done_callback(done)\n"
        "    task.result().use()\n    (await task).use()\n"
        "    for one in await asyncio.gather(task, load()): one.use()\nasyncio.run(main())\n",
        {(M, "main"), ("main", "load"), ("main", "A.use"), ("done", "A.use")},
    ),
    "what a field's factory makes, of a class that nobody makes": (
        "from dataclasses import dataclass, field\nclass A:\n    def __init__(self): pass\n"
        "    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "def make(): return B()\n@dataclass\nclass C:\n"
        "    a: A = field(default_factory=A)\n    b: B = field(default_factory=make)\n"
        "    def run(self):\n        self.a.go()\n        self.b.go()\n"
        "@dataclass\nclass D:\n    a: A = field(default_factory=A)\n"
        "    def run(self): self.a.go()\ndef start(): D().run()\n",
        {
            ("C.run", "A.go"),
            ("C.run", "B.go"),
            ("D.run", "A.go"),
            ("start", "A.__init__"),
            ("start", "D.run"),
        },
    ),
    "what is put into a sorted list, and found in one": (
        "import bisect\nclass A:\n    def __init__(self, rank): self.rank = rank\n"
        "    def __lt__(self, other): return self.rank < other.rank\n"
        "    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "def rank(b): return 1\n"
        "ones, twos, pairs = [], [], []\n"
        "def one():\n    bisect.insort(ones, A(1))\n    for a in ones: a.go()\n"
        "def two():\n    bisect.insort_left(twos, B(), key=rank)\n    twos[0].go()\n"
        "def three():\n    bisect.insort_right(pairs, (1, B()))\n"
        "    for _, b in pairs: b.go()\n"
        "def four(): return bisect.bisect(ones, A(2))\n",
        {
            ("one", "A.__init__"),
            ("one", "A.__lt__"),
            ("one", "A.go"),
            ("two", "rank"),
            ("two", "B.go"),
            ("three", "B.go"),
            ("four", "A.__init__"),
            ("four", "A.__lt__"),
        },
    ),
    "what heaps give back, largest, smallest and merged": (
        "import heapq\nclass A:\n    def go(self): pass\n    def __lt__(self, other): return 0\n"
        "def rank(a): return 1\nheap = [A()]\n"
        "def one(): heapq.heappushpop(heap, A()).go()\n"
        "def two(): heapq.heapreplace(heap, A()).go()\n"
        "def three():\n    for a in heapq.nlargest(2, heap, key=rank): a.go()\n"
        "def four():\n    for a in heapq.nsmallest(2, heap): a.go()\n"
        "def five():\n    for a in heapq.merge(heap, heap, key=rank): a.go()\n",
        {
            ("one", "A.__lt__"),
            ("one", "A.go"),
            ("two", "A.__lt__"),
            ("two", "A.go"),
            ("three", "rank"),
            ("three", "A.go"),
            ("four", "A.__lt__"),
            ("four", "A.go"),
            ("five", "rank"),
            ("five", "A.go"),
        },
    ),
    "an event loop gives the protocol that it made": (
        "import asyncio\nclass P:\n    def use(self): pass\nasync def main():\n"
        "    loop = asyncio.get_running_loop()\n"
        "    transport, p = await loop.create_connection(lambda: P(), 'x', 1)\n    p.use()\n",
        {("main", "P.use")},
    ),
    "json returns what its hook makes": (
        "import json\nclass A:\n    def use(self): pass\ndef hook(d): return A()\n"
        "json.loads('[{}]', object_hook=hook)[0].use()\n",
        {(M, "A.use")},
    ),
    "what a thread keeps has any attributes": (
        "import threading\n" + FG + "local = threading.local()\nlocal.run = f\nlocal.run()\n",
        {(M, "f")},
    ),
    "some flags together are of their class": (
        "from enum import Flag\nclass A(Flag):\n    X = 1\n    Y = 2\n"
        "    def use(self): pass\n(A.X | A.Y).use()\n",
        {(M, "A.use")},
    ),
    "a generic function is chosen by what is given": (
        "from functools import singledispatch\nclass A: pass\nclass B(A): pass\nclass C: pass\n"
        "@singledispatch\ndef show(x): pass\n@show.register\ndef a(x: A): pass\n"
        "@show.register(B)\ndef b(x): pass\n@show.register(C)\ndef c(x): pass\n"
        "@show.register(list)\ndef items(x):\n    for item in x: show(item)\n"
        "show(B())\nshow([A()])\n",
        {(M, "b"), (M, "items"), ("items", "a")},
    ),
    "a generic method may fall back": (
        "from functools import singledispatchmethod\nclass A: pass\nclass B: pass\nclass V:\n"
        "    @singledispatchmethod\n    def see(self, x): pass\n"
        "    @see.register\n    def see_a(self, x: A): pass\n"
        "    def one(self, x): self.see(x)\n    def two(self, x): self.see(x)\n"
        "V().one(A())\nV().two(B())\n",
        {(M, "V.one"), (M, "V.two"), ("V.one", "V.see_a"), ("V.two", "V.see")},
    ),
    "what a class body makes is shared by its instances": (
        FG + "class R:\n    known = {}\n    def add(self, x): self.known['x'] = x\n"
        "    def run(self): self.known['x']()\nR().add(f)\nR().run()\n",
        {(M, "R.add"), (M, "R.run"), ("R.run", "f")},
    ),
    "Python 3 runs it": (
        "import sys\n" + FG + "if sys.version_info[0] == 2: f()\nelse: g()\n"
        "if sys.version_info < (3, 0): f()\nrun = g if sys.version_info >= (3,) else f\nrun()\n",
        {(M, "g")},
    ),
    "a module's own names say so too, and texts": (
        "import sys\nPY3 = sys.version_info[0] == 3  # or not\nOLD = (not PY3)\n" + FG
        + "if PY3: g()\nelse: f()\ndef run():\n    if OLD: f()\n    if not OLD: g()\n"
        "if sys.version > '3': g()\nelse: f()\nrun = f if sys.version[0] == '2' else run\nrun()\n",
        {(M, "g"), (M, "run"), ("run", "g")},
    ),
    "a name that is given something else too may be either": (
        "import sys\nOLD = sys.version_info < (3,)\nOLD = read()\n" + FG
        + "if OLD: f()\nelse: g()\n",
        {(M, "f"), (M, "g")},
    ),
    "a newer Python 3 may or may not": (
        "import sys\n" + FG + "if sys.version_info >= (3, 12): f()\nelse: g()\n",
        {(M, "f"), (M, "g")},
    ),
    "a signal calls what is connected to it": (
        "from django.dispatch import Signal, receiver\nsaved, sold = Signal(), Signal()\n"
        "@receiver(saved)\ndef a(sender, **kw): pass\n"
        "@receiver([saved, sold], sender=int)\ndef b(sender, **kw): pass\n"
        "def c(sender, **kw): pass\nsold.connect(c)\n"
        "def save(): saved.send(sender=None)\ndef sell(): sold.send_robust(sender=None)\n",
        {("save", "a"), ("save", "b"), ("sell", "b"), ("sell", "c")},
    ),
    "signals have names": (
        "from blinker import Namespace, signal\nready, done = signal('ready'), signal('done')\n"
        "@ready.connect\ndef a(sender): sender()\n@done.connect_via('x')\ndef b(sender): pass\n"
        "def c(sender): pass\ndone.connect(c)\ndef d(): pass\n"
        "def start(): signal('ready').send(d)\ndef end(): Namespace().signal('done').send('x')\n",
        {("start", "a"), ("a", "d"), ("end", "b"), ("end", "c")},
    ),
    "signals of Qt are emitted": (
        "from PySide6.QtCore import QObject, Signal\n"
        "class Worker(QObject):\n    done, failed = Signal(int), Signal(str)\n"
        "    told = Signal()\n    def run(self): self.done.emit(1)\n"
        "    def tell(self): self.told.emit()\n"
        "class Window:\n    def __init__(self):\n        self.worker = Worker()\n"
        "        self.worker.done.connect(self.show)\n"
        "        self.worker.failed.connect(self.hide)\n"
        "        self.worker.told.connect(lambda: self.hide(1))\n"
        "    def show(self, n): pass\n    def hide(self, text): pass\nWindow()\n",
        {
            (M, "Window.__init__"), ("Worker.run", "Window.show"),
            ("Worker.tell", "Window.__init__.<lambda1>"),
            ("Window.__init__.<lambda1>", "Window.hide"),
        },
    ),
    "a function with a cache wraps itself": (
        "from functools import cache, lru_cache\n@cache\ndef f(): pass\n"
        "@lru_cache(maxsize=9)\ndef g(): pass\n"
        "f.__wrapped__()\nplain = g.__wrapped__\nplain()\n",
        {(M, "f"), (M, "g")},
    ),
    "a dictionary with a default has what it is made with": (
        "from collections import defaultdict\n" + FG
        + "d = defaultdict(list, {'a': f}, b=g)\nd['a']()\nd['b']()\n",
        {(M, "f"), (M, "g")},
    ),
    "a text is in pieces, translated, or unknown where a tuple is put into it": (
        "class A:\n    def __str__(self): return ''\n"
        "class B:\n    def __format__(self, s): return ''\n"
        "def a(x: A): return ('%s '\n    '%s') % (1, x)\ndef b(x: A): return _('%s') % x\n"
        "def c(x: A, text): return text % (1, x)\ndef d(x: A): return 7 % x\n"
        "class C:\n    def __mod__(self, x): return ''\n"
        "def g(t: C, x: A): return t % (1, x), 'a' % x\n"
        "def e(x: B): return ('{} '\n    '{}').format(1, x)\n"
        "def f(x: B): return gettext('{}').format(x)\n",
        {("a", "A.__str__"), ("b", "A.__str__"), ("c", "A.__str__"),
         ("g", "C.__mod__"), ("g", "A.__str__"), ("e", "B.__format__"), ("f", "B.__format__")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("title", CASES)
def test_calls(edges, title: str) -> None:
    source, expected = CASES[title]
    assert edges(source) == expected


def test_text_with_more_lines_than_its_file_is_run_where_it_stands(edges) -> None:
    assert edges("def f(): pass\nexec('f()\\n\\n\\n\\nif True:\\n    f()')\n") == {(M, "f")}


def test_modules_are_imported_by_the_beginning_of_their_names(edges) -> None:
    files = {
        "plug/__init__.py": "",
        "plug/one.py": "def setup(): pass\n",
        "plug/two.py": "def setup(): pass\n",
        "main.py": "from importlib import import_module\n"
        "def load(name): import_module(f'plug.{name}').setup()\nload(input())\n",
    }
    assert edges(files) == {
        (M, "load"),
        ("load", "plug/one.py::setup"),
        ("load", "plug/two.py::setup"),
    }


def test_modules_beside_a_file_are_imported_by_the_beginning_of_their_names(edges) -> None:
    files = {
        "tool/plug_one.py": "def setup(): pass\n",
        "tool/plain.py": "def setup(): pass\n",
        "plug_two.py": "def setup(): pass\n",
        "tool/main.py": "from importlib import import_module\n"
        "def load(name): import_module('plug_' + name).setup()\nload(input())\n",
    }
    load = "tool/main.py::load"
    assert edges(files) == {("tool/main.py::<module>", load), (load, "tool/plug_one.py::setup")}


def test_a_plugin_has_the_class_of_its_own_name_or_any_that_it_defines(edges) -> None:
    view = "from base import Base\nclass Helper:\n    def __init__(self): pass\n"
    files = {
        "base.py": "class Base:\n    def __init__(self): pass\n",
        "views/wide_list.py": view + "class WideList(Base):\n    def show(self): pass\n",
        "views/plain.py": view.replace("Helper", "Other"),
        "main.py": "import importlib\nimport base\ndef load(name, wanted):\n"
        "    module = importlib.import_module('views.%s' % name)\n"
        "    getattr(module, wanted)().show()\n    getattr(base, wanted)()\n"
        "load(input(), input())\n",
    }
    assert edges(files) == {
        (M, "load"),
        ("load", "base.py::Base.__init__"),
        ("load", "views/wide_list.py::WideList.show"),
        ("load", "views/plain.py::Other.__init__"),
    }


def test_modules_are_found_where_they_were_imported_to(edges) -> None:
    files = {
        "plug/one.py": "def setup(): pass\ndef stop(): pass\n",
        "main.py": "import sys\nimport plug.one\nsys.modules['plug.one'].setup()\n"
        "def end(name): sys.modules[name].stop()\nend('plug.one')\n"
        "def any(name): sys.modules['plug.%s' % name].go()\nany(input())\n",
        "plug/two.py": "def go(): pass\n",
    }
    assert edges(files) == {
        (M, "any"),
        ("any", "plug/two.py::go"),
        (M, "plug/one.py::setup"),
        (M, "end"),
        ("end", "plug/one.py::stop"),
    }


def test_members_are_read_by_the_names_that_dir_lists(edges) -> None:
    source = (
        "class A:\n    def __init__(self):\n        self.found = []\n"
        "        for name in dir(self):\n            member = getattr(self, name)\n"
        "            if hasattr(member, 'event'): self.found.append(member)\n"
        "    def fire(self):\n        for member in self.found: member()\n"
        "    def on(self): pass\n    on.event = 1\n    def off(self): pass\n"
        "    def each(self):\n        for name in dir(self):\n"
        "            if name.startswith('o'): getattr(self, name)()\n"
        "        for name in sorted(dir(self)):\n"
        "            if name.endswith('_end'): getattr(self, name)()\n"
        "    def at_end(self): pass\n"
        "a = A()\na.fire()\na.each()\n"
    )
    assert edges(source) == {
        (M, "A.__init__"),
        (M, "A.fire"),
        (M, "A.each"),
        ("A.fire", "A.on"),
        ("A.each", "A.on"),
        ("A.each", "A.off"),
        ("A.each", "A.at_end"),
    }


def test_names_are_taken_apart(edges) -> None:
    files = {
        "main.py": "import importlib\n"
        "def load(path):\n    module, _, name = path.rpartition('.')\n"
        "    return getattr(importlib.import_module(module), name)\n"
        "def find(path):\n    module, name = path.split(':', 1)\n"
        "    return getattr(importlib.import_module(module), name)\n"
        "load('stores.files.save')()\nfind('stores.files:drop')()\n",
        "stores/__init__.py": "",
        "stores/files.py": "def save(): pass\ndef drop(): pass\ndef other(): pass\n",
    }
    assert edges(files) == {
        (M, "load"),
        (M, "find"),
        (M, "stores/files.py::save"),
        (M, "stores/files.py::drop"),
    }


def test_each_partial_call_gives_what_it_was_made_with(edges) -> None:
    source = (
        "from functools import partial\ndef f(x): pass\ndef g(x): pass\n"
        "best, first = partial(max, key=f), partial(min, key=g)\n"
        "def use(choose): choose([1])\nuse(best)\nuse(first)\n"
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "def run(it): it.go()\n"
        "for call in (partial(run, A()), partial(run, B())): call()\n"
    )
    assert edges(source) == {
        (M, "use"),
        ("use", "f"),
        ("use", "g"),
        (M, "run"),
        ("run", "A.go"),
        ("run", "B.go"),
    }


def test_a_command_is_given_what_click_passes_first(edges) -> None:
    source = (
        "import click\nclass News:\n    def top(self): pass\n"
        "class Other:\n    def top(self): pass\n"
        "pass_news = click.make_pass_decorator(News, ensure=True)\n"
        "class Cli:\n    @click.command()\n    @pass_news\n    def top(news): news.top()\n"
        "@click.command()\n@pass_news\ndef show(news): news.top()\n"
    )
    found = edges(source)
    assert found == {("Cli.top", "News.top"), ("show", "News.top")}


def test_what_commands_keep_in_their_context_is_there_for_others(edges) -> None:
    source = (
        "import click\nclass Conf:\n    def read(self): pass\n"
        "class Log:\n    def read(self): pass\n"
        "@click.group()\n@click.pass_context\ndef cli(ctx):\n    ctx.ensure_object(dict)\n"
        "    ctx.obj['conf'] = Conf()\n    ctx.obj['log'] = Log()\n    ctx.state = Log()\n"
        "@cli.command()\n@click.option('--all')\n@click.pass_context\n"
        "def show(ctx, all):\n    ctx.obj['conf'].read()\n"
        "@cli.command()\n@click.pass_obj\ndef tail(obj): obj['log'].read()\n"
        "def deep(): click.get_current_context().find_root().obj['conf'].read()\n"
        "@click.pass_context\ndef above(ctx): ctx.parent.state.read()\n"
    )
    found = {edge for edge in edges(source) if edge[1].endswith("read")}
    assert found == {
        ("show", "Conf.read"), ("tail", "Log.read"), ("deep", "Conf.read"), ("above", "Log.read"),
    }  # fmt: skip


KEYS = {
    "under a number": "d = {}\nd[Job()] = 0\nfor job in d: job.go()\n",
    "in a literal": "for job in {Job(): 1}.keys(): job.go()\n",
    "in a comprehension": "d = {job: len(name) for name, job in [('a', Job())]}\n"
    "for job, size in d.items(): job.go()\n",
    "counted by hand": "from collections import defaultdict\nd = defaultdict(int)\nd[Job()] += 1\n"
    "for job in sorted(d): job.go()\n",
    "counted": "from collections import Counter\nCounter([Job()]).most_common(1)[0][0].go()\n",
    "of setdefault": "d = {}\nd.setdefault(Job(), 0)\nfor job in d: job.go()\n",
}
SETS = ("a - b", "a & b", "a ^ b", "a.intersection(b)", "a.difference(b)",
        "a.symmetric_difference(b)", "{job: 1 for job in a}.keys() - b")  # fmt: skip
ELEMENTS = {
    "chain.from_iterable": "list(itertools.chain.from_iterable([[job] for job in jobs]))[0].go()",
    "combinations": "[b.go() for a, b in itertools.combinations(jobs, 2)]",
    "compress": "next(itertools.compress(jobs, [1])).go()",
    "tee": "a, b = itertools.tee(jobs)\nnext(b).go()",
    "pairwise": "[b.go() for a, b in itertools.pairwise(jobs)]",
    "choice": "random.choice(jobs).go()",
    "sample": "random.sample(jobs, 2)[0].go()",
}


@pytest.mark.parametrize(
    "text",
    [
        *KEYS.values(),
        *(f"a, b = {{Job()}}, {{1}}\nfor job in {text}: job.go()\n" for text in SETS),
        *(f"import itertools, random\njobs = [Job()]\n{text}\n" for text in ELEMENTS.values()),
    ],
    ids=[*KEYS, *SETS, *ELEMENTS],
)
def test_keys_and_elements_are_the_objects_that_were_put_there(edges, text: str) -> None:
    assert edges("class Job:\n    def go(self): pass\n" + text) == {(M, "Job.go")}
