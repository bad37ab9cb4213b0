"""Decorators, wrappers, properties and descriptors in Python."""

from __future__ import annotations

import pytest

M = "<module>"

CASES = {
    "an object that decorates is one for each function that it keeps": (
        "class Memo:\n    def __init__(self, f):\n        self.f, self.cache = f, {}\n"
        "    def __call__(self, *a):\n        self.cache[a] = self.f(*a)\n"
        "        return self.cache[a]\n"
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "@Memo\ndef make_a(): return A()\n@Memo\ndef make_b(): return B()\n"
        "def first(): make_a().go()\ndef second(): make_b().go()\n",
        {
            (M, "Memo.__init__"),
            ("Memo.__call__", "make_a"),
            ("Memo.__call__", "make_b"),
            ("first", "Memo.__call__"),
            ("first", "A.go"),
            ("second", "Memo.__call__"),
            ("second", "B.go"),
        },
    ),
    "a wrapper that returns a copy of its receiver gives each caller its own": (
        "import copy\nfrom functools import wraps\n"
        "def builder(method):\n    @wraps(method)\n    def changed(self, *args):\n"
        "        new = copy.copy(self)\n        result = method(new, *args)\n"
        "        return new if result is None else result\n    return changed\n"
        "class Table:\n    @builder\n    def drop(self): pass\n    def sql(self): pass\n"
        "class Query:\n    @builder\n    def where(self): pass\n    def sql(self): pass\n"
        "    @builder\n    def into(self, table): return table\n"
        "def first(): Table().drop().sql()\ndef second(): Query().where().sql()\n"
        "def third(): Query().into(Table()).sql()\n",
        {
            (M, "builder"),
            ("builder.changed", "Table.drop"),
            ("builder.changed", "Query.where"),
            ("builder.changed", "Query.into"),
            ("first", "builder.changed"),
            ("first", "Table.sql"),
            ("second", "builder.changed"),
            ("second", "Query.sql"),
            ("third", "builder.changed"),
            ("third", "Table.sql"),
            ("third", "Query.sql"),
        },
    ),
    "a registry whose methods hand on what they are given": (
        "class Library:\n    def filter(self, name=None, function=None, **flags):\n"
        "        if name is None and function is None:\n"
        "            def first(f): return self.add(f, **flags)\n            return first\n"
        "        if function is None:\n"
        "            if callable(name): return self.add(name, **flags)\n"
        "            def second(f): return self.filter(name, f, **flags)\n"
        "            return second\n        self.all[name] = function\n        return function\n"
        "    def add(self, f, **flags): return self.filter(f.__name__, f, **flags)\n"
        "library = Library()\n@library.filter\ndef one(): pass\n"
        "@library.filter()\ndef two(): pass\n@library.filter('3', safe=True)\ndef three(): pass\n"
        "def run(): one()\n",
        {
            (M, "Library.filter"),
            (M, "Library.filter.first"),
            (M, "Library.filter.second"),
            ("Library.filter", "Library.add"),
            ("Library.add", "Library.filter"),
            ("Library.filter.first", "Library.add"),
            ("Library.filter.second", "Library.filter"),
            ("run", "one"),
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
    "a decorator that may be given anything or nothing": (
        "def command(*args, hidden=False):\n    def mark(f):\n        f.hidden = hidden\n"
        "        return f\n    return mark(args[0]) if args else mark\n"
        "@command\ndef one(): pass\n@command(hidden=True)\ndef two(): pass\n"
        "@command\ndef three(): pass\ntwo()\n",
        {(M, "command"), (M, "command.mark"), ("command", "command.mark"), (M, "two")},
    ),
    "methods that a decorator has marked": (
        "import inspect\ndef command(f):\n    f.is_command = True\n    return f\n"
        "class Bot:\n    @command\n    def start(self): pass\n    def other(self): pass\n"
        "    def run(self):\n"
        "        for name, member in inspect.getmembers(self, inspect.ismethod):\n"
        "            if getattr(member, 'is_command', False):\n                member()\n"
        "Bot().run()\n",
        {(M, "command"), (M, "Bot.run"), ("Bot.run", "Bot.start")},
    ),
    "members that a predicate chooses by their mark": (
        "import inspect\ndef command(f):\n    setattr(f, 'is_command', True)\n    return f\n"
        "def is_command(f): return hasattr(f, 'is_command')\n"
        "class Bot:\n    @command\n    def start(self): pass\n    def other(self): pass\n"
        "    def run(self):\n"
        "        for name, member in inspect.getmembers(self, is_command): member()\n"
        "    def all(self):\n        for name, member in inspect.getmembers(\n"
        "            self, lambda f: hasattr(f, 'is_command')): member()\n"
        "Bot().run()\nBot().all()\n",
        {
            (M, "command"),
            (M, "Bot.run"),
            (M, "Bot.all"),
            ("Bot.run", "Bot.start"),
            ("Bot.all", "Bot.start"),
        },
    ),
    "a mark that no source sets": (
        "def run(functions):\n    for f in functions:\n"
        "        if hasattr(f, 'is_command'): f()\ndef one(): pass\nrun([one])\n",
        {(M, "run"), ("run", "one")},
    ),
    "a wrapper is not what it wraps": (
        "class Dispatcher:\n    def __init__(self, sock): self.socket = sock\n"
        "    def accept(self): return self.socket.accept()\n"
        "    def listen(self): return self.socket.listen()\n"
        "    def both(self):\n        self.listen()\n        self.accept()\n",
        {("Dispatcher.both", "Dispatcher.listen"), ("Dispatcher.both", "Dispatcher.accept")},
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
    "a wrapper that adds an argument, puts another in its place, or hands on what it is given": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "class C:\n    def c(self): pass\n"
        "def adds(f):\n    def first(self, *args, **kwargs):\n"
        "        return f(self, C(), *args, **kwargs)\n    return first\n"
        "def puts(f):\n    def other(w, *args, **kwargs):\n        w = str(w)\n"
        "        return f(w, *args, **kwargs)\n    return other\n"
        "class Z:\n    @adds\n    def one(self, c, x):\n        c.c()\n        x.go()\n"
        "        return self\n    @adds\n    def two(self, c, x): x.go()\n"
        "@puts\ndef three(text, x):\n    x.go()\n    return x\n"
        "@puts\ndef four(text, x): x.go()\n"
        "Z().one(A()).two(x=B())\nthree(C(), A()).go()\nfour(C(), x=B())\n",
        {
            (M, "adds"),
            (M, "puts"),
            (M, "adds.first"),
            (M, "puts.other"),
            ("adds.first", "Z.one"),
            ("adds.first", "Z.two"),
            ("puts.other", "three"),
            ("puts.other", "four"),
            ("Z.one", "C.c"),
            ("Z.one", "A.go"),
            ("Z.two", "B.go"),
            ("three", "A.go"),
            ("four", "B.go"),
            (M, "A.go"),
        },
    ),
    "a decorator that is called like any function, or by another decorator": (
        "import lib\ndef lazy(*kinds):\n    def decorate(f):\n"
        "        def inner(*args): return f(*args)\n        return inner\n    return decorate\n"
        "def lazy_text(f): return lazy(str)(f)\n"
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "def one(x): x.go()\ndef two(x): x.go()\n"
        "@lazy_text\ndef three(x): x.go()\n@lazy_text\ndef four(x): x.go()\n"
        "first = lazy(int)(one)\nsecond = lazy(int)(two)\nthird = lazy()(lib.out)\n"
        "def run():\n    first(A())\n    second(B())\n    three(B())\n    four(A())\n"
        "def other(): third(A())\n",
        {
            (M, "lazy"),
            (M, "lazy.decorate"),
            (M, "lazy_text"),
            ("lazy_text", "lazy"),
            ("lazy_text", "lazy.decorate"),
            ("run", "lazy.decorate.inner"),
            ("other", "lazy.decorate.inner"),
            ("lazy.decorate.inner", "one"),
            ("lazy.decorate.inner", "two"),
            ("lazy.decorate.inner", "three"),
            ("lazy.decorate.inner", "four"),
            ("one", "A.go"),
            ("two", "B.go"),
            ("three", "B.go"),
            ("four", "A.go"),
        },
    ),
    "a cache gives back what its own function returns, behind a wrapper around it too": (
        "import functools\ndef mutex(f):\n    @functools.wraps(f)\n"
        "    def hold(*args, **kwargs):\n        with lock:\n"
        "            return f(*args, **kwargs)\n    return hold\n"
        "def cache(f):\n    kept = {}\n    @functools.wraps(f)\n    def once():\n"
        "        if (value := kept.get(None)) is None:\n            value = kept[None] = f()\n"
        "        return value\n    wrapper = mutex(once)\n    return wrapper\n"
        "def memoized(f):\n    kept = {}\n    def recall(*args):\n"
        "        if args not in kept: kept[args] = f(*args)\n        found = kept[args]\n"
        "        found.count()\n        return found\n    return recall\n"
        "class A:\n    def go(self): pass\n    def count(self): pass\n"
        "class B:\n    def go(self): pass\n"
        "@cache\ndef one(): return A()\n@cache\ndef two(): return B()\n"
        "@memoized\ndef three(x): return A()\n"
        "def run():\n    one().go()\ndef walk():\n    two().go()\nthree(1).go()\n",
        {
            (M, "cache"),
            (M, "memoized"),
            ("cache", "mutex"),
            ("run", "mutex.hold"),
            ("walk", "mutex.hold"),
            ("mutex.hold", "cache.once"),
            ("cache.once", "one"),
            ("cache.once", "two"),
            ("run", "A.go"),
            ("walk", "B.go"),
            (M, "memoized.recall"),
            ("memoized.recall", "three"),
            ("memoized.recall", "A.count"),
            (M, "A.go"),
        },
    ),
    "a wrapper that nobody calls calls what it is given": (
        "def dec(f):\n    def inner(self, x): return f(x)\n    return inner\n"
        "def call(x): pass\nclass A:\n    go = dec(call)\n",
        {(M, "dec"), ("dec.inner", "call")},
    ),
    "a generic function goes by the annotation of what is registered": (
        "from functools import singledispatch\nclass P: pass\n"
        "@singledispatch\ndef show(x): pass\n"
        "@show.register\ndef of_number(x: int): pass\n"
        "@show.register\ndef of_list(x: 'list | P'): pass\n"
        "def a(): show(1)\ndef b(): show('text')\ndef c(): show(P())\n"
        "def d():\n    for x in [1, 'text']: show(x)\n",
        {
            ("a", "of_number"),
            ("b", "of_number"),
            ("b", "show"),
            ("c", "of_number"),
            ("c", "of_list"),
            ("d", "of_number"),
            ("d", "show"),
        },
    ),
    "a decorator that takes texts instead of a function gives what it defines": (
        "def takes(*args):\n    def mark(f):\n        f.marked = 1\n        return f\n"
        "    if len(args) == 1 and callable(args[0]): return mark(args[0])\n"
        "    else: return mark\n"
        "@takes\ndef one(a, b): pass\n@takes('x')\ndef two(a, b): pass\ntwo(1, 2)\n",
        {(M, "takes"), ("takes", "takes.mark"), (M, "takes.mark"), (M, "two")},
    ),
    "of decorators above one another each has what the one below it returns": (
        "def outer(m=None):\n    def wrap(f):\n        def first(*a): return f(*a)\n"
        "        return first\n    return wrap(m) if callable(m) else wrap\n"
        "def inner(m=None):\n    def wrap(f):\n        def second(*a): return f(*a)\n"
        "        return second\n    return wrap(m) if callable(m) else wrap\n"
        "def mark(*names):\n    def add(f):\n        f.names = names\n        return f\n"
        "    return add\n"
        "@outer\n@inner\n@mark('a')\n@mark('b')\ndef go(): pass\ndef use(): go()\n",
        {
            (M, "outer"),
            (M, "inner"),
            (M, "mark"),
            (M, "mark.add"),
            ("outer", "outer.wrap"),
            ("inner", "inner.wrap"),
            ("use", "outer.wrap.first"),
            ("outer.wrap.first", "inner.wrap.second"),
            ("inner.wrap.second", "go"),
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
    "a property and its setter": (
        "class A:\n    @property\n    def v(self): return 1\n    @v.setter\n"
        "    def v(self, x): self.check()\n    def check(self): pass\na = A()\na.v = 1\n",
        {(M, "A.v"), ("A.v", "A.check")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source) == expected
