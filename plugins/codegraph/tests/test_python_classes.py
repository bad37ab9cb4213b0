"""Which method of which class is meant in Python."""

from __future__ import annotations

import pytest

M = "<module>"

CASES = {
    "who calls an enumeration finds a member and makes none": (
        "from enum import Enum\nclass Shape(Enum):\n    ROUND = ('o', 1)\n"
        "    def __init__(self, sign, size): pass\n    def area(self): pass\n"
        "def find(name): Shape(name).area()\nfind('o')\n",
        {(M, "find"), ("find", "Shape.area")},
    ),
    "a class may have the methods of another that is not among its bases": (
        "class A:\n    def page(self): self.body()\n    def body(self): pass\n"
        "class B:\n    page = A.page\n    def body(self): pass\nA().page()\nB().page()\n",
        {(M, "A.page"), ("A.page", "A.body"), ("A.page", "B.body")},
    ),
    "what a metaclass sets on its classes goes through its own __setattr__": (
        "class Meta(type):\n    def __new__(m, name, bases, space):\n"
        "        made = super().__new__(m, name, bases, space)\n        made.size = 1\n"
        "        return made\n    def __setattr__(cls, name, value): pass\n"
        "class A(metaclass=Meta):\n    def __setattr__(self, name, value): pass\n",
        {(M, "Meta.__new__"), ("Meta.__new__", "Meta.__setattr__")},
    ),
    "a metaclass answers for names that its classes lack": (
        "class Meta(type):\n    def __getattr__(cls, name): return Command()\n"
        "class Command:\n    def run(self): pass\n    def __call__(self): pass\n"
        "class Git(metaclass=Meta):\n    def known(self): pass\n"
        "Git.push.run()\nGit.pull()\nGit.known(None)\n",
        {
            ("<module>", "Meta.__getattr__"),
            ("<module>", "Command.run"),
            ("<module>", "Command.__call__"),
            ("<module>", "Git.known"),
        },
    ),
    "a descriptor is read through its class too": (
        "class Manager:\n    def __get__(self, instance, owner):\n        bound = Manager()\n"
        "        bound.model = owner\n        return bound\n"
        "    def create(self): return self.model()\n"
        "class A:\n    objects = Manager()\n    def save(self): pass\nA.objects.create().save()\n",
        {
            ("<module>", "Manager.__get__"),
            ("<module>", "Manager.create"),
            ("<module>", "A.save"),
        },
    ),
    "who makes a class tells its members their names": (
        "class Meta(type):\n    def __new__(cls, *args): return super().__new__(cls, *args)\n"
        "class Field:\n    def __set_name__(self, owner, name): pass\n"
        "class A(metaclass=Meta):\n    x = Field()\n",
        {("<module>", "Meta.__new__"), ("Meta.__new__", "Field.__set_name__")},
    ),
    "bases that are read of modules of the library": (
        "import enum\nimport collections as c\nimport typing\n"
        "class State(enum.Enum):\n    ON = 1\n    def use(self): pass\n"
        "class Table(c.OrderedDict):\n    def use(self): pass\n"
        "class Named(typing.Protocol):\n    def name(self): ...\n    def mark(self): ...\n"
        "class A:\n    def name(self): pass\n    def mark(self): pass\n"
        "def run(x):\n    if isinstance(x, dict): x.use()\n"
        "def call(named: Named): named.name()\n"
        "State.ON.use()\nrun(Table())\nrun(State.ON)\n",
        {
            ("<module>", "State.use"),
            ("<module>", "run"),
            ("run", "Table.use"),
            ("call", "A.name"),
        },
    ),
    "a class sees no names of the class around it": (
        "def make(): pass\nclass A:\n    def make(): pass\n    class B:\n        made = make()\n",
        {("<module>", "make")},
    ),
    "a setter may be added to what a base reads": (
        "class A:\n    @property\n    def x(self): self.get()\n    def get(self): pass\n"
        "class B(A):\n    @A.x.setter\n    def x(self, v): A.x.fget(self)\n"
        "b = B()\nb.x\nb.x = 1\n",
        {
            ("<module>", "A.x"),
            ("<module>", "B.x"),
            ("B.x", "A.x"),
            ("A.x", "A.get"),
        },
    ),
    "a function may make a property": (
        "def typed(check):\n    def get(self): return 1\n    def put(self, v): check(v)\n"
        "    return property(get, put)\ndef number(v): pass\n"
        "class A:\n    x = typed(number)\n    def use(self): self.x = self.x\nA().use()\n",
        {
            ("<module>", "typed"),
            ("<module>", "A.use"),
            ("A.use", "typed.get"),
            ("A.use", "typed.put"),
            ("typed.put", "number"),
        },
    ),
    "super calls what a class derived from a list has": (
        "def job(): pass\nclass S(list):\n    def append(self, x): super().append(x)\n"
        "    def run(self): self.pop()()\ns = S()\ns.append(job)\ns.run()\n",
        {("<module>", "S.append"), ("<module>", "S.run"), ("S.run", "job")},
    ),
    "a class method may be assigned from outside": (
        "class A: pass\ndef make(cls): return cls()\nA.make = classmethod(make)\nA.make()\n",
        {("<module>", "make")},
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
    "an overriding method is given what the overridden one is": (
        "class Reader:\n    def take(self): pass\nclass Other:\n    def take(self): pass\n"
        "class A:\n    @classmethod\n    def parse(cls, source: Reader): return source.take()\n"
        "class B(A):\n    @classmethod\n    def parse(cls, source): return source.take()\n",
        {("A.parse", "Reader.take"), ("B.parse", "Reader.take")},
    ),
    "what making a class runs": (
        "class Meta(type):\n    def __new__(mcs, *args): return super().__new__(mcs, *args)\n"
        "class A(metaclass=Meta):\n    def __init_subclass__(cls): cls.note()\n"
        "    @classmethod\n    def note(cls): pass\nclass B(A): pass\n",
        {
            (M, "Meta.__new__"),
            ("Meta.__new__", "A.__init_subclass__"),
            ("A.__init_subclass__", "A.note"),
        },
    ),
    "each of many subclasses that nobody makes": (
        "class A:\n    def run(self): self.step()\n    def step(self): return 1\n"
        + "".join(f"class B{n}(A):\n    def step(self): pass\n" for n in range(30)),
        {("A.run", "A.step"), *(("A.run", f"B{n}.step") for n in range(30))},
    ),
    "what is read of each of many subclasses that nobody makes": (
        "class A:\n    step = None\n    def run(self):\n        step = self.step\n"
        "        if step: step()\n"
        + "".join(f"class B{n}(A):\n    def step(self): pass\n" for n in range(30)),
        {("A.run", f"B{n}.step") for n in range(30)},
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
    "an inherited method runs on the subclasses that redefine what it uses": (
        "class A:\n    def run(self): self.step()\n    def step(self): return 1\n"
        "class B(A):\n    def step(self): return 1\n",
        {("A.run", "A.step"), ("A.run", "B.step")},
    ),
    "an attribute that a class and its base class assign": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "class C:\n    def go(self): pass\n"
        "class Page:\n    def __init__(self): self.other = A()\n"
        "    def open(self): self.part = A()\n"
        "class Sub(Page):\n    def __init__(self):\n        super().__init__()\n"
        "        self.other = C()\n"
        "    def choose(self): self.part = B()\n"
        "    def run(self): self.part.go()\n    def rest(self): self.other.go()\n"
        "sub = Sub()\nsub.open()\nsub.choose()\nsub.run()\nsub.rest()\n",
        {
            *((M, f"Sub.{name}") for name in ("__init__", "choose", "run", "rest")),
            (M, "Page.open"),
            ("Sub.__init__", "Page.__init__"),
            ("Sub.run", "A.go"),
            ("Sub.run", "B.go"),
            ("Sub.rest", "C.go"),
        },
    ),
    "an attribute that one class assigns and another defines": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "class Base:\n    part = A()\n    def fill(self): self.other = A()\n"
        "class Sub(Base):\n    other = None\n    def change(self): self.part = B()\n"
        "    def run(self): self.part.go()\n    def rest(self): self.other.go()\n"
        "sub = Sub()\nsub.fill()\nsub.change()\nsub.run()\nsub.rest()\n",
        {
            *((M, f"Sub.{name}") for name in ("change", "run", "rest")),
            (M, "Base.fill"),
            ("Sub.run", "A.go"),
            ("Sub.run", "B.go"),
            ("Sub.rest", "A.go"),
        },
    ),
    "the classes that getmro gives": (
        "import inspect\nclass A:\n    table = {}\n"
        "    def __init__(self): self.above = inspect.getmro(type(self))[:-1]\n"
        "    def run(self, key):\n        for known in self.above:\n"
        "            if known.table.get(key): known.table.get(key)()\n"
        "class B(A):\n    table = {}\ndef f(): pass\ndef g(): pass\n"
        "A.table['f'] = f\nB.table['g'] = g\nB().run(input())\n",
        {(M, "A.__init__"), (M, "A.run"), ("A.run", "f"), ("A.run", "g")},
    ),
    "a base whose subclasses alone are made is no receiver of its own": (
        "class A:\n    def run(self): self.step()\n    def step(self): pass\n"
        "class B(A):\n    def step(self): super().step()\n"
        "class C(A):\n    def step(self): super().step()\n"
        "class D(B, C): pass\nD().run()\n",
        {
            (M, "A.run"),
            ("A.run", "B.step"),
            ("B.step", "C.step"),
            ("C.step", "A.step"),
        },
    ),
    "a base whose subclasses alone are made is called where they have its member": (
        "class A:\n    def run(self): self.step()\n    def step(self): pass\n"
        "class B(A):\n    def step(self): pass\n"
        + "".join(f"class B{n}(B): pass\n" for n in range(20))
        + "def go(x): x.run()\n"
        + "".join(f"go(B{n}())\n" for n in range(20))
        + "class Last(B):\n    def step(self): pass\n",
        {(M, "go"), ("go", "A.run"), ("A.run", "B.step"), ("A.run", "Last.step")},
    ),
    "a subclass that redefines the caller too is not called by it": (
        "class A:\n    def run(self): self.step()\n    def step(self): return 1\n"
        "class B(A):\n    def run(self): pass\n    def step(self): return 1\n",
        {("A.run", "A.step")},
    ),
    "the class of an object": (
        "class A:\n    def __init__(self): pass\n    def copy(self): return self.__class__()\n"
        "A().copy()\n",
        {(M, "A.__init__"), (M, "A.copy"), ("A.copy", "A.__init__")},
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
    "super() runs an abstract method itself, not what overrides it": (
        "from abc import ABC, abstractmethod\n"
        "class Base(ABC):\n    @abstractmethod\n    def stop(self): pass\n"
        "    @property\n    @abstractmethod\n    def title(self): return ''\n"
        "class Loop(Base):\n    def stop(self): super(Loop, self).stop()\n"
        "    @property\n    def title(self): return super().title\n"
        "class Threaded(Loop):\n    def stop(self):\n"
        "        above = super()\n        above.stop()\n"
        "    @property\n    def title(self): return super().title\n"
        "class Greenlets(Loop):\n    def stop(self): super().stop()\n",
        {
            ("Loop.stop", "Base.stop"),
            ("Loop.title", "Base.title"),
            ("Threaded.stop", "Loop.stop"),
            ("Threaded.title", "Loop.title"),
            ("Greenlets.stop", "Loop.stop"),
        },
    ),
    "who assigns to a class's other name of a function gives the function nothing": (
        "def plain(v): pass\ndef other(v): pass\n"
        "class Port:\n    hook = plain\n"
        "    def __init__(self, hook=None):\n        if hook: self.hook = hook\n"
        "    def run(self): self.hook(1)\n"
        "Port(other).run()\ndef use(): plain(1)\n",
        {
            (M, "Port.__init__"),
            (M, "Port.run"),
            ("Port.run", "plain"),
            ("Port.run", "other"),
            ("use", "plain"),
        },
    ),
    "a metaclass makes classes by a call, and by a name for what its base class does": (
        "known = []\n"
        "class Meta(type):\n    def __new__(m, name, bases, space):\n"
        "        make = super().__new__\n"
        "        if not bases: return make(m, name, bases, space)\n"
        "        made = make(m, name, bases, space)\n        known.append(made)\n"
        "        return made\n"
        "class Option:\n    def read(self): pass\n"
        "Option = Meta('Option', (Option,), {})\n"
        "class Port(Option):\n    def read(self): self.check()\n    def check(self): pass\n"
        "def use():\n    for kind in known: kind().read()\n",
        {
            (M, "Meta.__new__"),
            ("use", "Option.read"),
            ("use", "Port.read"),
            ("Port.read", "Port.check"),
        },
    ),
    "a dictionary of the project's own answers for what no dictionary has": (
        "class Options(dict):\n    def __getattr__(self, name): return self[name]\n"
        "def run(): pass\n"
        "def use(options):\n    options.handler()\n    options.items()\n"
        "use(Options(handler=run))\n",
        {(M, "use"), ("use", "Options.__getattr__"), ("use", "run")},
    ),
    "a function in an attribute that is called with its receiver": (
        "class Button:\n    def __init__(self, click=lambda self: self.paint()):\n"
        "        self.click = click\n"
        "    def press(self): self.click(self)\n    def paint(self): pass\n"
        "Button().press()\n",
        {
            (M, "Button.__init__"),
            (M, "Button.press"),
            ("Button.press", "Button.<lambda1>"),
            ("Button.<lambda1>", "Button.paint"),
        },
    ),
    "a property in an attribute of another class's object is not run": (
        "class Field:\n    @property\n    def kind(self): return 1\n"
        "class Meta:\n"
        "    def __init__(self): self.schema = Field.__dict__['kind']\n"
        "    def show(self): return self.schema\n"
        "Meta().show()\n",
        {(M, "Meta.__init__"), (M, "Meta.show")},
    ),
    "the attributes of an object as a mapping are none of its class's": (
        "class Field:\n    def __init__(self): self.run = stop\n    def go(self): pass\n"
        "    @property\n    def kind(self): return 1\n"
        "def stop(*given): pass\n"
        "class Meta:\n"
        "    def __init__(self, options): self.options = options\n"
        "    def show(self): return self.options\n"
        "def call(field):\n"
        "    for name, value in vars(field).items(): value(field)\n"
        "def keep(field):\n"
        "    for value in field.__dict__.values(): Meta(value).show()(field)\n"
        "call(Field())\nkeep(Field())\n",
        {
            (M, "Field.__init__"),
            (M, "call"),
            (M, "keep"),
            ("call", "stop"),
            ("keep", "Meta.__init__"),
            ("keep", "Meta.show"),
            ("keep", "stop"),
        },
    ),
    "a property in an attribute of an object of its own class is not run": (
        "class Field:\n    kept: object\n    @property\n    def kind(self): return 1\n"
        "    def __init__(self, name): self.kept = getattr(Field, name)\n"
        "    def show(self): return self.kept\n"
        "    def own(self): return self.kind\n"
        "    alias = kind\n"
        "    def other(self): return self.alias\n"
        "field = Field('kind')\nfield.show()\nfield.own()\nfield.other()\n",
        {
            (M, "Field.__init__"),
            (M, "Field.show"),
            (M, "Field.own"),
            (M, "Field.other"),
            ("Field.own", "Field.kind"),
            ("Field.other", "Field.kind"),
        },
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
    "what a constructor keeps of each subclass": (
        "class Base:\n    def __init__(self, run, log=None):\n"
        "        self.run = run\n        self.log = log\n"
        "class A(Base):\n    def __init__(self): super().__init__(self.start)\n"
        "    def start(self): pass\n    def go(self): self.run()\n"
        "class B(Base):\n"
        "    def __init__(self): super().__init__(log=self.note, run=self.begin)\n"
        "    def begin(self): pass\n    def note(self): pass\n"
        "    def go(self):\n        self.run()\n        self.log()\n"
        "class C(Base):\n    def __init__(self): Base.__init__(self, self.open)\n"
        "    def open(self): pass\n    def go(self): self.run()\n"
        "A().go()\nB().go()\nC().go()\n",
        {
            *((M, f"{name}.{method}") for name in "ABC" for method in ("__init__", "go")),
            *((f"{name}.__init__", "Base.__init__") for name in "ABC"),
            ("A.go", "A.start"),
            ("B.go", "B.begin"),
            ("B.go", "B.note"),
            ("C.go", "C.open"),
        },
    ),
    "what constructors hand on to one that keeps it": (
        "class Base:\n    def __init__(self, run): self.run = run\n"
        "class Middle(Base):\n    def __init__(self, run): super().__init__(run)\n"
        "    def both(self): self.run()\n"
        "class A(Middle):\n    def __init__(self): super().__init__(self.start)\n"
        "    def start(self): pass\n    def go(self): self.run()\n"
        "class B(Middle):\n    def __init__(self): super().__init__(self.begin)\n"
        "    def begin(self): pass\n    def go(self): self.run()\n"
        "A().go()\nB().go()\nB().both()\n",
        {
            *((M, f"{name}.{method}") for name in "AB" for method in ("__init__", "go")),
            (M, "Middle.both"),
            *((f"{name}.__init__", "Middle.__init__") for name in "AB"),
            ("Middle.__init__", "Base.__init__"),
            ("A.go", "A.start"),
            ("B.go", "B.begin"),
            ("Middle.both", "B.begin"),
        },
    ),
    "what a constructor that is inherited keeps": (
        "class Base:\n    def __init__(self, run): self.run = run\n"
        "class A(Base):\n    def go(self): self.run()\n"
        "class B(Base):\n    def go(self): self.run()\n"
        "def one(): pass\ndef two(): pass\nA(one).go()\nB(*[two]).go()\n",
        {
            (M, "Base.__init__"),
            (M, "A.go"),
            (M, "B.go"),
            ("A.go", "one"),
            ("B.go", "one"),
            ("B.go", "two"),
        },
    ),
    "what a class that nobody is seen to make keeps": (
        "class Base:\n    def __init__(self, out=lambda text: None): self.out = out\n"
        "class A(Base):\n    def __init__(self, out=lambda text: 1): super().__init__(out)\n"
        "    def go(self): self.out('a')\n"
        "class B(Base):\n    def __init__(self, out=lambda text: 2): super().__init__(out)\n"
        "    def go(self): self.out('b')\n"
        "def show(text): pass\nA(show).go()\n",
        {
            (M, "A.__init__"),
            (M, "A.go"),
            *((f"{name}.__init__", "Base.__init__") for name in "AB"),
            ("A.go", "A.<lambda1>"),
            ("A.go", "show"),
            ("B.go", "B.<lambda1>"),
            ("B.go", "show"),
        },
    ),
    "what a constructor keeps of what is given by name alone": (
        "class Base:\n    def __init__(self, *names, run=None): self.run = run\n"
        "class A(Base):\n    def __init__(self): super().__init__(other, other, run=one)\n"
        "    def go(self): self.run()\n"
        "class B(Base):\n    def __init__(self): super().__init__(other, other)\n"
        "    def go(self): self.run()\n"
        "def one(): pass\ndef other(): pass\nA().go()\nB().go()\n",
        {
            *((M, f"{name}.{method}") for name in "AB" for method in ("__init__", "go")),
            *((f"{name}.__init__", "Base.__init__") for name in "AB"),
            ("A.go", "one"),
        },
    ),
    "what an inherited method makes for each receiver": (
        "class Base:\n    def make(self): return self.kind()\n"
        "    def build(self): return self.built()\n"
        "class One:\n    def go(self): pass\nclass Two:\n    def go(self): pass\n"
        "class A(Base):\n    kind = One\n    def built(self): return Two()\n"
        "    def run(self): self.make().go()\n"
        "class B(Base):\n    kind = Two\n    def built(self): return One()\n"
        "    def run(self): self.build().go()\n"
        "A().run()\nB().run()\nA().build()\nB().make()\n",
        {
            *((M, name) for name in ("A.run", "B.run", "Base.make", "Base.build")),
            ("A.run", "Base.make"),
            ("B.run", "Base.build"),
            ("Base.build", "A.built"),
            ("Base.build", "B.built"),
            ("A.run", "One.go"),
            ("B.run", "One.go"),
        },
    ),
    "a method of one object that is one of another": (
        "from types import MethodType\nclass Item: pass\n"
        "class Owner:\n    def add(self, item): item.top = MethodType(self.parents, item)\n"
        "    def parents(self, item): item.top()\n"
        "item = Item()\nOwner().add(item)\nitem.top()\n",
        {(M, "Owner.add"), (M, "Owner.parents"), ("Owner.parents", "Owner.parents")},
    ),
    "a class that is called after it has been made, by itself": (
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 0\n"
        "@dataclass\nclass B:\n    x: int = 0\n"
        "A.__post_init__ = B\nB.__post_init__ = A\ndef f(): A(1)\ndef g(): B(2)\n",
        set(),
    ),
    "objects that keep themselves, for each subclass": (
        "class A:\n    def __init__(self): self.me = self\n"
        "class B(A):\n    def run(self): pass\n"
        "class C(A):\n    def __init__(self): super().__init__()\n    def run(self): pass\n"
        "def f(): B().me.run()\ndef g(): C().me.run()\n",
        {
            ("f", "A.__init__"),
            ("f", "B.run"),
            ("g", "C.__init__"),
            ("g", "C.run"),
            ("C.__init__", "A.__init__"),
        },
    ),
    "super in a chain of classes": (
        "class A:\n    def f(self): pass\nclass B(A):\n    def f(self): super().f()\n"
        "class C(A):\n    def f(self): super().f()\nclass D(B, C): pass\nD().f()\n",
        {(M, "B.f"), ("B.f", "C.f"), ("C.f", "A.f")},
    ),
    "a record of which fields are replaced": (
        "import copy, dataclasses\nfrom typing import NamedTuple\nimport attr\n"
        "class Rule(NamedTuple):\n    test: object\n    action: object = None\n"
        "    def apply(self):\n        self.test()\n        self.action()\n"
        "@dataclasses.dataclass\nclass Job:\n    run: object\n    def go(self): self.run()\n"
        "@attr.s(auto_attribs=True)\nclass Task:\n    run: object\n"
        "    def go(self): self.run()\n"
        "def one(): pass\ndef two(): pass\ndef three(): pass\n"
        "Rule(one)._replace(action=two).apply()\n"
        "dataclasses.replace(Job(one), run=three).go()\n"
        "attr.evolve(Task(two), run=three).go()\n",
        {
            (M, "Rule.apply"),
            (M, "Job.go"),
            (M, "Task.go"),
            ("Rule.apply", "one"),
            ("Rule.apply", "two"),
            ("Job.go", "one"),
            ("Job.go", "three"),
            ("Task.go", "two"),
            ("Task.go", "three"),
        },
    ),
    "what a constructor is given by position beside others by name": (
        "class Base:\n    def __init__(self, run, **more):\n"
        "        self.run, self.more = run, more\n        self.run = run\n"
        "    def go(self): self.run()\n"
        "class One(Base):\n    def __init__(self, **more): super().__init__(one, **more)\n"
        "class Two(Base):\n    def __init__(self, **more): Base.__init__(self, two, **more)\n"
        "    def own(self): self.run()\n"
        "def one(): pass\ndef two(): pass\ndef three(): pass\n"
        "One(a=1)\nTwo(a=1).own()\nBase(three, a=1)\n",
        {
            (M, "One.__init__"),
            (M, "Two.__init__"),
            (M, "Base.__init__"),
            ("One.__init__", "Base.__init__"),
            ("Two.__init__", "Base.__init__"),
            (M, "Two.own"),
            ("Two.own", "two"),
            ("Base.go", "one"),
            ("Base.go", "two"),
            ("Base.go", "three"),
        },
    ),
    "a method that only subclasses have is theirs": (
        "class Base: pass\nclass One(Base):\n    def copy(self): pass\n"
        "class Two(Base):\n    def copy(self): pass\n"
        "def checked(x):\n    if isinstance(x, Base): x.copy()\ndef declared(x: Base): x.copy()\n"
        "class Made:\n    pass\nclass Below(Made):\n    def copy(self): pass\n"
        "def known(x: Made): x.copy()\nknown(Made())\n",
        {
            ("checked", "One.copy"),
            ("checked", "Two.copy"),
            ("declared", "One.copy"),
            ("declared", "Two.copy"),
            (M, "known"),
        },
    ),
    "an abstract property is what overrides it": (
        "from abc import ABC, abstractmethod\n"
        "class Base(ABC):\n    @property\n    @abstractmethod\n    def title(self): ...\n"
        "    def show(self): return self.title\n"
        "class A(Base):\n    @property\n    def title(self): return 1\n"
        "class B(Base):\n    @property\n    def title(self): return 2\n"
        "def use(it: Base): it.title\n",
        {
            ("Base.show", "A.title"),
            ("Base.show", "B.title"),
            ("use", "A.title"),
            ("use", "B.title"),
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source) == expected


@pytest.mark.parametrize(
    "body",
    [
        "made = copy.copy(self); made.size = 1; return made",
        "return deepcopy(self)",
        "made = type(self)(); made.size = 1; return made",
        "made = self.base(); made.size = 1; return made",
        "return self.chained()",
    ],
)
def test_a_copy_of_the_receiver_is_each_callers_own(edges, body: str) -> None:
    source = (
        "import copy\nfrom copy import deepcopy\nclass Base:\n"
        "    def base(self): return type(self)()\n"
        "    def chained(self):\n        made = self.base()\n        return made\n"
        f"    def make(self): {body}\n"
        "class A(Base):\n    def go(self): pass\nclass B(Base):\n    def go(self): pass\n"
        "def a(): A().make().go()\ndef b(): B().make().go()\na()\nb()\n"
    )
    found = {edge for edge in edges(source) if edge[1].endswith(".go")}
    assert found == {("a", "A.go"), ("b", "B.go")}


def test_who_makes_a_class_of_attrs_runs_its_converters_and_validators(edges) -> None:
    found = edges(
        "from attrs import define, field, validators\nimport attr\n"
        "def convert(value): pass\ndef check(one, attribute, value): pass\ndef more(*given): pass\n"
        "def make_id(): pass\n"
        "class Pump:\n    def run(self): pass\n"
        "@define\nclass Point:\n    x: int = field(converter=convert, validator=[check, more])\n"
        "    pump: Pump = field(validator=validators.optional(more))\n"
        "    id = field(factory=make_id)\n    def go(self): self.pump.run()\n"
        "@attr.s\nclass Old:\n    a = attr.ib(validator=attr.validators.and_(check, more))\n"
        "def a(pump): return Point(1, pump)\ndef b(): return Old(1)\n"
    )
    assert found == {
        ("a", "convert"), ("a", "check"), ("a", "more"), ("a", "make_id"), ("b", "check"),
        ("b", "more"), ("Point.go", "Pump.run"),
    }  # fmt: skip


def test_methods_of_a_class_of_attrs_that_make_and_check_what_it_has(edges) -> None:
    found = edges(
        "from attrs import define, field\nimport attr, other\n"
        "class Item:\n    def take(self): pass\n"
        "@define\nclass Box:\n    item = field()\n    left = field()\n"
        "    @item.validator\n    def check(self, attribute, value):\n"
        "        value.take()\n        self.fail()\n"
        "    @left.default\n    def start(self): return Item()\n    def fail(self): pass\n"
        "@attr.s\nclass Old:\n    a = attr.ib(default=None)\n"
        "    @a.validator\n    def check(self, attribute, value): pass\n"
        "class Own:\n    a = other.field()\n    @a.validator\n    def check(self, value): pass\n"
        "def make(): Box(Item()).left.take()\ndef old(): Old()\ndef own(): Own()\n"
    )
    assert {pair for pair in found if "Box" in pair[0] or pair[0] in ("make", "old", "own")} == {
        ("make", "Box.check"), ("make", "Box.start"), ("make", "Item.take"), ("old", "Old.check"),
        ("Box.check", "Item.take"), ("Box.check", "Box.fail"),
    }  # fmt: skip
