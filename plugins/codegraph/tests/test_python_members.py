"""What classes have from outside of their bodies, and how programs choose among members."""

from __future__ import annotations

import pytest

M = "<module>"

CASES = {
    "what a class assigns to an inherited property hides no getter": (
        "class Node:\n    @property\n    def kids(self): return self._kids\n"
        "    @kids.setter\n    def kids(self, value): self._kids = value\n"
        "class Leaf(Node):\n    def __init__(self, kids): self.kids = kids\n"
        "    def count(self): return len(self.kids)\n",
        {("Leaf.__init__", "Node.kids"), ("Leaf.count", "Node.kids")},
    ),
    "a member of an enumeration is made of what it is assigned": (
        "from enum import Enum\ndef plus(): pass\ndef minus(): pass\ndef other(): pass\n"
        "class Base(Enum):\n    def __init__(self, run, sign=None):\n        self.run = run\n"
        "    def go(self): self.run()\n"
        "class Op(Base):\n    PLUS = (plus, '+')\n    MINUS = minus, '-'\n    _ignore_ = (other,)\n"
        "Op.PLUS.go()\n",
        {(M, "Base.go"), ("Base.go", "plus"), ("Base.go", "minus")},
    ),
    "only deleting an attribute runs a property's deleter": (
        "class A:\n    @property\n    def x(self): pass\n"
        "    @x.setter\n    def x(self, value): put()\n"
        "    @x.deleter\n    def x(self): drop()\n"
        "    @property\n    def y(self): pass\n    @y.deleter\n    def y(self): drop()\n"
        "def put(): pass\ndef drop(): pass\n"
        "def write(a): a.y = 1\ndef delete(a): del a.y\nwrite(A())\ndelete(A())\n",
        {
            (M, "write"),
            (M, "delete"),
            ("A.x", "put"),
            ("A.x", "drop"),
            ("A.y", "drop"),
            ("delete", "A.y"),
        },
    ),
    "a function that a class has is a method on its instances, though nobody calls it": (
        "def having(self): self.items()\ndef other(self): self.items()\n"
        "class Table:\n    rest = other\n    def items(self): pass\nTable.having = having\n",
        {("having", "Table.items"), ("other", "Table.items")},
    ),
    "a function that no class has as a method stays without a receiver": (
        "def use(it): it.items()\nclass Table:\n    def items(self): pass\n"
        "    use = staticmethod(use)\n",
        set(),
    ),
    "classes that are joined have what each assigns to an attribute": (
        "def one(): pass\ndef two(): pass\n"
        "class A:\n    def first(self): self.hook = one\n    def run(self): self.hook()\n"
        "class B:\n    def last(self): self.hook = two\n    def go(self): self.hook()\n"
        "class C(A, B): pass\nc = C()\nc.first()\nc.last()\nc.run()\nc.go()\n",
        {
            (M, "A.first"),
            (M, "A.run"),
            (M, "B.last"),
            (M, "B.go"),
            ("A.run", "one"),
            ("A.run", "two"),
            ("B.go", "one"),
            ("B.go", "two"),
        },
    ),
    "each descriptor gives the class that it was made with, bound to who reads it": (
        "from types import MethodType\nclass Bound:\n"
        "    def __init__(self, cls): self.cls = cls\n"
        "    def __get__(self, instance, owner): return MethodType(self.cls, instance)\n"
        + "".join(
            f"class {name}:\n    def __init__(self, env): pass\n    def go(self): pass\n"
            for name in "ABCDEFGHI"
        )
        + "class Env:\n"
        + "".join(f"    make_{name} = Bound({name})\n" for name in "ABCDEFGHI")
        + "def f(): Env().make_A().go()\ndef g(): Env().make_I()\n",
        {
            (M, "Bound.__init__"),
            ("f", "Bound.__get__"),
            ("f", "A.__init__"),
            ("f", "A.go"),
            ("g", "Bound.__get__"),
            ("g", "I.__init__"),
        },
    ),
    "a descriptor's copies give no reader themselves": (
        "class Late:\n    def __set_name__(self, owner, name): self.name = name\n"
        "    def __get__(self, instance, owner):\n        if instance is None: return self\n"
        "        return getattr(instance, '_' + self.name)\n"
        "    def __set__(self, instance, value): pass\n"
        "class A:\n    x = Late()\n    y = Late()\n"
        "def f(a: A): use(a.x)\ndef use(x): x.go()\nclass Other:\n    def go(self): pass\n"
        "    x = None\n    def g(self, a: A): self.x = a.x\n",
        {
            (M, "Late.__set_name__"),
            ("f", "Late.__get__"),
            ("f", "use"),
            ("Other.g", "Late.__get__"),
        },
    ),
    "descriptors keep values under names that they make of their own": (
        "class Kept:\n    def __init__(self, kind): self.kind = kind\n"
        "    def __set_name__(self, owner, name):\n        self.name = '_' + name\n"
        "        self.other = f'{name}_other'\n"
        "    def __get__(self, it, owner): return getattr(it, self.name)\n"
        "    def __set__(self, it, value):\n        setattr(it, self.name, self.kind())\n"
        "        setattr(it, self.other, self.kind())\n"
        "class A:\n    def go(self): pass\nclass B:\n    def run(self): pass\n"
        "class Owner:\n    a = Kept(A)\n    b = Kept(B)\n"
        "    def __init__(self): self.a = self.b = 1\n"
        "    def use_a(self): self.a.go()\n    def use_other(self): self.b_other.run()\nOwner()\n",
        {
            (M, "Kept.__init__"),
            (M, "Kept.__set_name__"),
            (M, "Owner.__init__"),
            ("Owner.__init__", "Kept.__set__"),
            ("Owner.use_a", "Kept.__get__"),
            ("Owner.use_a", "A.go"),
            ("Owner.use_other", "B.run"),
        },
    ),
    "what a library calls on a class that joins others has what these have": (
        "import xml.sax.handler\n"
        "class Strict:\n    def startElement(self, name): self.unknown(name)\n"
        "class Mixin:\n    def unknown(self, name): pass\n"
        "Parser = type('Parser', (Strict, Mixin, xml.sax.handler.ContentHandler), {})\n"
        "xml.sax.parse('a', Parser())\n",
        {("Strict.startElement", "Mixin.unknown")},
    ),
    "what a class only tells type checkers hides nothing that another base has": (
        "from typing import TYPE_CHECKING, Any\n"
        "class Query:\n    if TYPE_CHECKING:\n        pre: Any\n        def log(self): ...\n"
        "    def run(self):\n        self.pre.stop()\n        self.log()\n"
        "class Output:\n    def log(self): pass\n    def setup(self): self.pre = Pre()\n"
        "class Pre:\n    def stop(self): pass\nclass Other:\n    def stop(self): pass\n"
        "class App(Query, Output): pass\napp = App()\napp.setup()\napp.run()\n",
        {
            (M, "Output.setup"),
            (M, "Query.run"),
            ("Query.run", "Pre.stop"),
            ("Query.run", "Output.log"),
        },
    ),
    "names of which a class only says the type are left to __getattr__": (
        "class Options:\n    parser: str\n    kept: 'Kept'\n"
        "    def __init__(self, given):\n        self.given = given\n        self.kept = Kept()\n"
        "    def __getattr__(self, name): return self.given[name]\n"
        "class Kept:\n    def go(self): pass\n"
        "def use(options: Options):\n    options.parser\n"
        "def other(options: Options): options.kept.go()\n"
        "use(Options({}))\nother(Options({}))\n",
        {
            (M, "Options.__init__"),
            (M, "use"),
            (M, "other"),
            ("use", "Options.__getattr__"),
            ("other", "Kept.go"),
        },
    ),
    "a method that another class has too runs on its own class, whoever calls it": (
        "class Other:\n    def look(self): pass\n"
        "class Rules:\n    def expand(self): self.add()\n    def add(self): pass\n"
        "Other.expand = Rules.expand\nOther().expand()\n",
        {(M, "Rules.expand"), ("Rules.expand", "Rules.add")},
    ),
    "one telling method is enough where a class is named as its parameter ends": (
        "class FileManager:\n    def list_issues(self): pass\n"
        "class Manager:\n    def other(self): pass\n"
        "class Setmanager:\n    def list_sets(self): pass\n"
        "def report(manager): manager.list_issues()\ndef other(it): it.list_issues()\n"
        "def sets(manager): manager.list_sets()\n",
        {("report", "FileManager.list_issues")},
    ),
    "what runs replaces what type checkers read": (
        "from typing import TYPE_CHECKING\nimport typing\ndef a(): pass\n"
        "if TYPE_CHECKING:\n    def make(): pass\n    class Only: pass\n"
        "else:\n    make = a\n"
        "if not typing.TYPE_CHECKING:\n    done = a\nelse:\n    def done(): pass\n"
        "make()\ndone()\ndef use(x: Only): pass\n",
        {(M, "a")},
    ),
    "a computed name that begins with underscores is none of the language's own": (
        "class A:\n    def __init__(self): pass\n    def __len__(self): pass\n"
        "    def __rule_1(self): pass\n    def __rule_2(self): pass\n"
        "def f(a: A, n): getattr(a, f'__{n}')()\n",
        {("f", "A.__rule_1"), ("f", "A.__rule_2")},
    ),
    "what an enumeration's member is made of only its value gives": (
        "from enum import Enum\nfrom functools import partial\ndef plus(a): pass\n"
        "class Op(Enum):\n    PLUS = partial(plus)\n    def __call__(self, a): self.value(a)\n"
        "    def go(self): pass\nOp.PLUS(1)\ndef g(): Op.PLUS.go()\n"
        "def h():\n    op = Op.PLUS\n    op(1)\n",
        {(M, "Op.__call__"), ("g", "Op.go"), ("h", "Op.__call__"), ("Op.__call__", "plus")},
    ),
    "a metaclass is given the name and the namespace of what it makes": (
        "class Field:\n    def clean(self): pass\n"
        "class Meta(type):\n    known = {}\n    def __new__(meta, name, bases, space):\n"
        "        space['fields'] = [v for v in space.values() if isinstance(v, Field)]\n"
        "        made = super().__new__(meta, name, bases, space)\n"
        "        meta.known[name.lower()] = made\n        return made\n"
        "class Model(metaclass=Meta):\n    def check(self):\n"
        "        for field in self.fields: field.clean()\n"
        "class User(Model):\n    name = Field()\n    def go(self): pass\n"
        "def f(): Meta.known['user']().go()\n",
        {(M, "Meta.__new__"), ("Model.check", "Field.clean"), ("f", "User.go")},
    ),
    "members whose names do not begin so are left": (
        "from inspect import getmembers, isclass\n"
        "class A:\n    def one(self): pass\n    def two(self): pass\n    def _own(self): pass\n"
        "    class Inner:\n        def __init__(self): pass\n"
        "def wrap(f):\n    def run(*args): return f(*args)\n    return run\n"
        "def change():\n    for name, value in getmembers(A):\n"
        "        if name.startswith('_') or not value: continue\n"
        "        if not callable(value): continue\n        if isclass(value): continue\n"
        "        wrap(getattr(A, name))(A())\n",
        {
            ("change", "wrap"),
            ("change", "wrap.run"),
            ("wrap.run", "A.one"),
            ("wrap.run", "A.two"),
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source) == expected


def test_getattr_is_asked_for_each_name_alone(edges) -> None:
    source = (
        "class Memory:\n    def __getitem__(self, key): pass\n    def go(self): pass\n"
        "class Config:\n    def __getitem__(self, key): pass\n    def go(self): pass\n"
        "class Bot:\n    def __init__(self): self.memory, self.config = Memory(), Config()\n"
        "class Wrapper:\n    def __init__(self, bot): object.__setattr__(self, '_bot', bot)\n"
        "    def __getattr__(self, name): return getattr(self._bot, name)\n"
        "    def __setattr__(self, name, value): setattr(self._bot, name, value)\n"
        "class Items:\n    def __init__(self): self.data = {'a': Memory(), 'b': Config()}\n"
        "    def __getattr__(self, name): return self.data[name]\n"
        "def one(w): w.memory['x']\ndef two(w): w.config.go()\ndef three(w): w.a.go()\n"
        "w = Wrapper(Bot())\none(w)\ntwo(w)\nthree(Items())\n"
    )
    found = edges(source)
    assert {callee for caller, callee in found if caller == "one"} == {
        "Memory.__getitem__",
        "Wrapper.__getattr__",
    }
    assert {callee for caller, callee in found if caller == "two"} == {
        "Config.go",
        "Wrapper.__getattr__",
    }
    assert {callee for caller, callee in found if caller == "three"} == {
        "Memory.go",
        "Items.__getattr__",
    }


def test_what_object_sets_asks_no_method_of_the_class(edges) -> None:
    source = (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "class Frozen:\n    def __setattr__(self, name, value): raise TypeError\n"
        "class First(Frozen):\n    def __init__(self, it): object.__setattr__(self, 'it', it)\n"
        "    def use(self): self.it.go()\n"
        "class Second(Frozen):\n    def __init__(self, it): super().__setattr__('it', it)\n"
        "    def use(self): self.it.go()\n"
        "class Third(Frozen):\n    def __init__(self, **given):\n"
        "        for name, value in given.items(): object.__setattr__(self, name, value)\n"
        "    def use(self): self.it.go()\n"
        "First(A()).use()\nSecond(B()).use()\nThird(it=A()).use()\n"
    )
    found = edges(source)
    assert {("First.use", "A.go"), ("Second.use", "B.go"), ("Third.use", "A.go")} < found
    assert not {("First.use", "B.go"), ("Second.use", "A.go"), ("Third.use", "B.go")} & found
    assert ("First.__init__", "Frozen.__setattr__") not in found


def test_attributes_that_a_loop_sets_run_setters(edges) -> None:
    source = (
        "class Option:\n    def __set__(self, it, value): pass\n"
        "class Settings:\n    port = Option()\n"
        "    @property\n    def root(self): pass\n"
        "    @root.setter\n    def root(self, value): pass\n"
        "    def __init__(self, **given):\n"
        "        for name, value in given.items(): setattr(self, name, value)\n"
        "class Plain:\n    port = Option()\n    def __init__(self, given):\n"
        "        vars(self).update(given)\n"
        "def value(): pass\n"
        "Settings(port=value, root=value)\nPlain({'port': value})\n"
    )
    found = edges(source)
    assert ("Settings.__init__", "Option.__set__") in found
    assert ("Settings.__init__", "Settings.root") in found
    assert ("Plain.__init__", "Option.__set__") not in found


def test_what_a_class_is_given_later_is_had_where_a_subclass_assigns_nothing_known(edges) -> None:
    source = (
        "class Shared:\n    @staticmethod\n    def fill(it): Shared.it = it\n"
        "class It:\n    def go(self): pass\nclass Other:\n    def go(self): pass\n"
        "class Widget(Shared):\n    def __init__(self, it=None):\n"
        "        if it is not None: self.it = it\n"
        "class Button(Widget):\n    def click(self): self.it.go()\n"
        "class Known(Widget):\n    def __init__(self): super().__init__(Other())\n"
        "    def click(self): self.it.go()\n"
        "Shared.fill(It())\nButton().click()\nKnown().click()\n"
    )
    found = edges(source)
    assert ("Button.click", "It.go") in found
    assert ("Known.click", "Other.go") in found
    assert ("Known.click", "It.go") not in found


def test_what_is_made_of_a_member_replaces_it_under_its_name(edges) -> None:
    source = (
        "def wrap(f):\n    def run(*args): return f(*args)\n    return run\n"
        "def all_wrapped(cls):\n    for name, value in list(vars(cls).items()):\n"
        "        if callable(value): setattr(cls, name, wrap(value))\n    return cls\n"
        "@all_wrapped\nclass A:\n    def go(self): pass\nA().go()\n"
    )
    assert {(M, "wrap.run"), ("wrap.run", "A.go")} < edges(source)


def test_what_several_classes_have_stays_apart_where_each_binds_its_own_anew(edges) -> None:
    source = (
        "def bind(it):\n    for name, value in it.__class__.__dict__.items():\n"
        "        if callable(value): setattr(it, name, wrap(getattr(it, name)))\n"
        "def wrap(f):\n    def run(*args): return f(*args)\n    return run\n"
        "class A:\n    def a(self): bind(self)\nclass B:\n    def b(self): bind(self)\n"
        "def use(x: A): x.b()\ndef other(x: B): x.b()\n"
    )
    found = edges(source)
    assert ("other", "B.b") in found
    assert not any(caller == "use" for caller, _ in found)


def test_setters_of_a_class_further_up_run_whoever_assigns_first(edges) -> None:
    found = edges(
        "class A:\n    @property\n    def x(self): pass\n"
        "    @x.setter\n    def x(self, value): new()\n"
        "def new(): pass\nclass B(A): pass\nclass C(B):\n    def __init__(self): self.x = 1\n"
        "    def update(self):\n        if self.x: self.x = 5\n"
        "def use(c: C): c.x = 4\nC().update()\nc = C()\nc.x = 7\n"
    )
    assert found == {
        ("A.x", "new"), ("C.__init__", "A.x"), ("C.update", "A.x"), ("use", "A.x"),
        ("<module>", "C.__init__"), ("<module>", "C.update"), ("<module>", "A.x"),
    }  # fmt: skip


def test_a_constant_is_assigned_by_setattr_too(edges) -> None:
    found = edges(
        "class A:\n    def __init__(self):\n        self.ready = False\n"
        "    def __setattr__(self, name, value): object.__setattr__(self, name, value)\n"
        "class B(A):\n    def __init__(self):\n        self.ready = True\n"
        "class C:\n    def __init__(self): self.ready = True\n"
        "def use(b):\n    b.ready = 3\nuse(B())\nA()\nC()\n"
    )
    assert found == {
        ("<module>", "use"), ("use", "A.__setattr__"),
        *(("<module>", f"{name}.__init__") for name in "ABC"),
        *((f"{name}.__init__", "A.__setattr__") for name in "AB"),
    }  # fmt: skip


def test_what_was_there_before_is_not_what_is_put_in_its_place(edges) -> None:
    found = edges(
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "def wrap(kind):\n    old = kind.go\n    def new(self): return old(self)\n"
        "    kind.go = new\nwrap(A)\nwrap(B)\n"
    )
    assert {callee for caller, callee in found if caller == "wrap.new"} == {"A.go", "B.go"}
