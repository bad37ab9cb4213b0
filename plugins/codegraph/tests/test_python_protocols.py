"""What Python calls by itself, and calls that cannot be of a function."""

from __future__ import annotations

import pytest

from toolroll_codegraph.languages.registry import extract
from toolroll_codegraph.resolve.graph import resolve

M = "<module>"

CASES = {
    "any, all and filter without a function ask each element whether it is true": (
        "class E:\n    def __bool__(self): return True\n"
        "class F:\n    def __len__(self): return 1\n"
        "def some(xs): return any(xs)\ndef kept(xs): return list(filter(None, xs))\n"
        "def texts(xs): return list(filter(str, xs))\n"
        "some([E()])\nkept([F()])\ntexts([F()])\n",
        {
            (M, "some"), (M, "kept"), (M, "texts"),
            ("some", "E.__bool__"), ("kept", "F.__len__"),
        },
    ),
    "a sequence of the project's own has the methods of its abstract class": (
        "from collections.abc import MutableSequence\ndef f(): pass\n"
        "class S(MutableSequence):\n    def __init__(self): self.items = []\n"
        "    def __getitem__(self, i): return self.items[i]\n"
        "    def __setitem__(self, i, v): self.items[i] = v\n"
        "    def __delitem__(self, i): del self.items[i]\n    def __len__(self): return 1\n"
        "    def insert(self, i, v): self.items.insert(i, v)\n"
        "s = S()\ns.append(f)\nfor x in s: x()\ns.pop()()\n",
        {(M, "S.__init__"), (M, "f")},
    ),
    "so has a mapping": (
        "from collections.abc import MutableMapping\ndef f(): pass\ndef g(): pass\n"
        "class D(MutableMapping):\n    def __init__(self): self.data = {}\n"
        "    def __getitem__(self, k): return self.data[k]\n"
        "    def __setitem__(self, k, v): self.data[k] = v\n"
        "    def __delitem__(self, k): del self.data[k]\n    def __len__(self): return 1\n"
        "    def __iter__(self): return iter(self.data)\n"
        "d = D()\nd.update({'f': f})\nd.get('f')()\nd.setdefault('g', g)\n"
        "for k, v in d.items(): v()\n",
        {(M, "D.__init__"), (M, "f"), (M, "g")},
    ),
    "what a list can't add asks the other operand": (
        "class A:\n    def __radd__(self, other): return self\n    def use(self): pass\n"
        "([1] + A()).use()\n",
        {(M, "A.__radd__"), (M, "A.use")},
    ),
    "so does what a text can't do, in its turn": (
        "class A:\n    def __rtruediv__(self, o): return A()\n"
        "    def __truediv__(self, o): return A()\n    def use(self): pass\n"
        "('a' / A() / 'b').use()\n",
        {(M, "A.__rtruediv__"), (M, "A.__truediv__"), (M, "A.use")},
    ),
    "what gives a number gives what its method does": (
        "import math\nclass B:\n    def __abs__(self): return B()\n"
        "    def __floor__(self): return B()\n    def use(self): pass\n"
        "abs(math.floor(B())).use()\n",
        {(M, "B.__abs__"), (M, "B.__floor__"), (M, "B.use")},
    ),
    "reversed asks for the length and each item": (
        "def f(): pass\nclass C:\n    def __getitem__(self, i): return f\n"
        "    def __len__(self): return 3\n    def __iter__(self): return iter(())\n"
        "for x in reversed(C()): x()\n",
        {(M, "C.__getitem__"), (M, "C.__len__"), (M, "f")},
    ),
    "what derives from a list or mapping has what it is made with": (
        "from typing import Generic, List, TypeVar\nT = TypeVar('T')\n"
        "def f(): pass\ndef g(): pass\ndef h(): pass\ndef i(): pass\ndef j(): pass\n"
        "class Plain(list): pass\nPlain([f])[0]()\n"
        "class Found(List[T], Generic[T]):\n    def __init__(self, source, items=()):\n"
        "        super(Found, self).__init__(items)\nfor x in Found(1, (g for _ in 'a')): x()\n"
        "class Old(list):\n    def __init__(self, items):\n        list.__init__(self, items)\n"
        "Old([h])[0]()\n"
        "class Spread(tuple):\n    def __new__(cls, *a): return super().__new__(cls, a)\n"
        "class Table(dict): pass\nTable({'i': i}, j=j)['i']()\nTable(k=1)['j']()\n",
        {(M, "f"), (M, "g"), (M, "h"), (M, "i"), (M, "j"), (M, "Plain"), (M, "Table"),
         (M, "Found.__init__"), (M, "Old.__init__")},
    ),
    "several expressions between brackets are one tuple": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "class C:\n    def __getitem__(self, keys):\n        for key in keys: key.go()\n"
        "    def __setitem__(self, keys, value):\n        keys[0].go()\n        value.go()\n"
        "C()[A(), A()]\nC()[A(), 1] = B()\n",
        {(M, "C.__getitem__"), (M, "C.__setitem__"), ("C.__getitem__", "A.go"),
         ("C.__setitem__", "A.go"), ("C.__setitem__", "B.go")},
    ),
    "keys and elements are asked for their hashes": (
        "class K:\n    def __hash__(self): return 1\nclass L(K): pass\n"
        "def written(): return {K(): 1}\ndef a_set(): return {L(), 1}\n"
        "def keyed(xs): return {x: 1 for x in xs}\ndef each(xs): return {x for x in xs}\n"
        "def in_tuples(): return {(K(), 2): 3}\ndef made(xs): return frozenset(xs)\n"
        "def of_two(table, key): return table[key]\ndef others(known, key): known.add(key)\n"
        "keyed([K(), L()])\neach([L()])\nmade([K()])\n"
        "of_two({}, K())\nof_two({}, L())\nothers(set(), K())\n",
        {
            (name, "K.__hash__")
            for name in (
                "written",
                "a_set",
                "keyed",
                "each",
                "in_tuples",
                "made",
                "of_two",
                "others",
            )
        }
        | {(M, name) for name in ("keyed", "each", "made", "of_two", "others")}
        | {(M, "K"), (M, "L"), ("written", "K"), ("a_set", "L"), ("in_tuples", "K")},
    ),
    "what is looked up in a list or a mapping is compared": (
        "class K:\n    def __hash__(self): return 1\n    def __eq__(self, o): return True\n"
        "{}[K()]\n[K()].remove(K())\n",
        {(M, "K"), (M, "K.__hash__"), (M, "K.__eq__")},
    ),
    "a key may be the empty text": (
        "class A:\n    def __getitem__(self, key): return key\nA()['']\n",
        {(M, "A.__getitem__")},
    ),
    "functions of operator are operators": (
        "import operator\nclass A:\n    def __add__(self, o): return self\n"
        "    def go(self): pass\noperator.add(A(), 1).go()\n",
        {(M, "A.__add__"), (M, "A.go")},
    ),
    "a metaclass's special methods are its classes'": (
        "class Meta(type):\n    def __iter__(cls): return iter([cls])\n"
        "    def __len__(cls): return 1\nclass A(metaclass=Meta): pass\n"
        "for one in A: pass\nlen(A)\n",
        {(M, "Meta.__iter__"), (M, "Meta.__len__")},
    ),
    "a slice begins anew": (
        "def f(): pass\ndef g(): pass\nitems = [f, g]\nitems[1:][0]()\n",
        {(M, "g")},
    ),
    "a data class runs what gives its fields their values": (
        "from dataclasses import dataclass, field\ndef make(): return []\n"
        "@dataclass\nclass A:\n    own: object = field(default_factory=lambda: A())\n"
        "    items: list = field(default_factory=make)\n    def __post_init__(self): pass\nA()\n",
        {
            (caller, callee)
            for caller in (M, "A.<lambda1>")
            for callee in ("make", "A.__post_init__", "A.<lambda1>")
        },
    ),
    "what is kept under its own name is found by it": (
        "table = {}\ndef keep(f):\n    table[f.__name__] = f\n    return f\n"
        "@keep\ndef go(): pass\n@keep\ndef stop(): pass\ntable['go']()\n",
        {(M, "keep"), (M, "go")},
    ),
    "a name before the slash is no keyword": (
        "def f(name, /, **rest): rest['name']()\ndef go(): pass\nf(1, name=go)\n",
        {(M, "f"), ("f", "go")},
    ),
    "the other operand is asked": (
        "class A:\n    def __radd__(self, x): return self\n    def go(self): pass\n"
        "(1 + A()).go()\n",
        {(M, "A.__radd__"), (M, "A.go")},
    ),
    "a missing member is asked for, a present one is not": (
        "class A:\n    def __getattr__(self, name): return act\n    def go(self): pass\n"
        "def act(): pass\na = A()\na.go()\na.other()\n",
        {(M, "A.go"), (M, "A.__getattr__"), (M, "act")},
    ),
    "private names are a class's own": (
        "class A:\n    def run(self): self.__go()\n    def __go(self): pass\n"
        "class B(A):\n    def __go(self): pass\nB().run()\n",
        {(M, "A.run"), ("A.run", "A.__go")},
    ),
    "a class pattern tells the class": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "def run(x):\n    match x:\n        case A(): x.go()\n        case B() as b: b.go()\n"
        "run(A())\nrun(B())\n",
        {(M, "run"), ("run", "A.go"), ("run", "B.go")},
    ),
    "a call that gives by name what a function does not take is of another": (
        "def plain(a): pass\ndef named(a, *, size): pass\ndef any_of(a, **more): pass\n"
        "class Box:\n    def __init__(self, a, size=1): pass\n"
        "def use(f): f(1, size=2)\n"
        "for it in (plain, named, any_of, Box): use(it)\n"
        "def spread(f, more): f(1, **more)\n"
        "for it in (plain, named): spread(it, {'size': 1})\n",
        {
            (M, "use"),
            ("use", "named"),
            ("use", "any_of"),
            ("use", "Box.__init__"),
            (M, "spread"),
            ("spread", "plain"),
            ("spread", "named"),
        },
    ),
    "a call that gives too few or too many is of another": (
        "class A:\n    def go(self, x): pass\nclass B:\n    def go(self): pass\n"
        "class C:\n    def go(self, x, y=1, *, z): pass\n"
        "def run(items):\n    for item in items: item.go()\n"
        "def other(items):\n    for item in items: item.go(1, z=2)\n"
        "run([A(), B(), C()])\nother([B(), C()])\n",
        {(M, "run"), (M, "other"), ("run", "B.go"), ("other", "C.go")},
    ),
    "a decorated function may take anything": (
        "import lib\n@lib.fill\ndef go(x, y): pass\ngo()\n",
        {(M, "go")},
    ),
    "what a generator is sent and returns is no element": (
        "def inner():\n    f = yield one\n    f()\n    return two\n"
        "def outer():\n    end = yield from inner()\n    end()\n"
        "def one(): pass\ndef two(): pass\ndef sent(): pass\n"
        "g = inner()\nnext(g)()\ng.send(sent)\nfor f in outer(): f()\n",
        {(M, "inner"), (M, "outer"), (M, "one"), ("outer", "inner"), ("outer", "two"),
         ("inner", "sent")},
    ),
    "a metaclass is called for its classes": (
        "class Meta(type):\n    def __call__(cls, *a): return super().__call__(*a)\n"
        "class A(metaclass=Meta):\n    def __init__(self): pass\nA()\n",
        {(M, "Meta.__call__"), ("Meta.__call__", "A.__init__")},
    ),
    "an instance keeps an object with __get__ as it is": (
        "class D:\n    def __get__(self, x, y): return 1\n"
        "class A:\n    def __init__(self, d): self.d = d\n    def go(self): return self.d\n"
        "A(D()).go()\n",
        {(M, "A.__init__"), (M, "A.go")},
    ),
    "a text added to an object asks that": (
        "class E:\n    def __radd__(self, other): return self\n    def use(self): pass\n"
        "def tell(e): return 'total: ' + e\ntell(E())\n",
        {(M, "tell"), ("tell", "E.__radd__")},
    ),
    "a name that is bound in a test is asked whether it is true": (
        "class E:\n    def __bool__(self): return True\n"
        "def f(): return E()\nif e := f(): pass\nwhile (e := f()) and M: pass\n",
        {(M, "f"), (M, "E.__bool__")},
    ),
    "del runs a descriptor's __delete__, or the deleter of a property object": (
        "class Field:\n    def __get__(self, obj, owner): return 1\n"
        "    def __delete__(self, obj): obj.gone()\n"
        "class E:\n    name = Field()\n    def drop(self): self.gone()\n"
        "    other = property(None, None, drop)\n    def gone(self): pass\n"
        "e = E()\ndel e.name, e.other\n",
        {(M, "Field.__delete__"), ("Field.__delete__", "E.gone"), (M, "E.drop"),
         ("E.drop", "E.gone")},
    ),
    "a subscript among the bases asks the class": (
        "class E:\n    def __class_getitem__(cls, item): return cls\n"
        "class F(E[int]): pass\n",
        {(M, "E.__class_getitem__")},
    ),
    "a manager that decorates is entered whenever the function is called": (
        "from contextlib import ContextDecorator\nclass Traced(ContextDecorator):\n"
        "    def __enter__(self): return self\n    def __exit__(self, *error): pass\n"
        "class E:\n    @Traced()\n    def g(self): pass\n"
        "@Traced()\ndef f(): pass\ndef h():\n    f()\n    E().g()\nh()\n",
        {(M, "h"), ("h", "f"), ("h", "E.g"), ("h", "Traced.__enter__"), ("h", "Traced.__exit__")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("title", CASES)
def test_calls(title: str) -> None:
    source, expected = CASES[title]
    graph = resolve([("main.py", extract("main.py", "python", source.encode()))])
    program = graph.program
    found = {
        (program.qualified_name(caller), program.qualified_name(callee))
        for caller, callee in graph.edges
        if program.qualified_name(callee) not in ("D", "A", "B", "C", "E", "F", "Field", "Traced")
    }
    assert found == expected


def test_a_module_is_asked_for_what_it_lacks() -> None:
    files = {
        "lib.py": "from inner import thing\ndef __getattr__(name): return thing\n",
        "inner.py": "def thing(): pass\n",
        "main.py": "import lib\nlib.other()\n",
    }
    graph = resolve(
        [(path, extract(path, "python", text.encode())) for path, text in sorted(files.items())]
    )
    program = graph.program
    found = {program.qualified_name(callee) for _, callee in graph.edges}
    assert found == {"__getattr__", "thing"}
