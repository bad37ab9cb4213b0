"""What annotations, checks and uses tell of a value's class in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

M = "<module>"

CASES = {
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
    "what has a protocol's method for other arguments does not implement it": (
        "from typing import Protocol\n"
        "class Runs(Protocol):\n    def run(self, task, *, shell=False, env=None): ...\n"
        "class Local:\n    def run(self, task, *, shell=False, env=None): pass\n"
        "class Loose:\n    def run(self, task, extra=None, **options): pass\n"
        "class Short:\n    def run(self): pass\n"
        "class Long:\n    def run(self, task, more, shell=False, env=None): pass\n"
        "class Other:\n    def run(self, task): pass\n"
        "class Held:\n    run: str = ''\n"
        "class Static:\n    @staticmethod\n    def run(task, shell=False, env=None): pass\n"
        "def start(x: Runs): x.run(1)\n",
        {("start", "Local.run"), ("start", "Loose.run"), ("start", "Static.run")},
    ),
    "what a protocol asks for is no constructor, and as asynchronous as it is": (
        "from typing import Protocol\n"
        "class Runs(Protocol):\n    def __init__(self, name): ...\n"
        "    async def run(self): ...\n"
        "class A:\n    def __init__(self, name, other): pass\n    async def run(self): pass\n"
        "class B:\n    def run(self): pass\n"
        "class C:\n    async def run(self): pass\n"
        "class Named(Protocol):\n    @property\n    def name(self): ...\n"
        "class D:\n    @property\n    def name(self): pass\n"
        "async def start(x: Runs): await x.run()\ndef call(x: Named): x.name\n",
        {("start", "A.run"), ("start", "C.run"), ("call", "Named.name")},
    ),
    "a class that lacks what is read of a value is not its class": (
        "class Server:\n    def __init__(self): self.family = 1\n"
        "    def get_name(self): return self.family\n"
        "def run(sock): return sock.family, sock.proto, sock.get_name()\n",
        set(),
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
    "a generic class": (
        "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass Box(Generic[T]):\n"
        "    def go(self): pass\nBox[int]().go()\n",
        {(M, "Box.go")},
    ),
    "a mixin uses what the classes that join it have beside it": (
        "class Mixin:\n    def __init__(self):\n        super().__init__()\n        self.hook()\n"
        "class Base:\n    def __init__(self): pass\n    def hook(self): pass\n"
        "class Joined(Mixin, Base): pass\n",
        {("Mixin.__init__", "Base.__init__"), ("Mixin.__init__", "Base.hook")},
    ),
    "an asserted type": (
        "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
        "def run(x):\n    assert isinstance(x, (A, B)), 'neither'\n    x.go()\n",
        {("run", "A.go"), ("run", "B.go")},
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
    "an annotated parameter that nobody fills": (
        "class A:\n    def go(self): pass\ndef run(a: 'A | None'): a.go()\n",
        {("run", "A.go")},
    ),
    "a cast to a class that is named by a text": (
        "import logging\nfrom typing import cast\nclass A(logging.Logger):\n"
        "    def go(self): pass\ncast('A', logging.getLogger()).go()\n",
        {(M, "A.go")},
    ),
    "a type test": (
        "class A:\n    def go(self): pass\ndef run(x):\n    if isinstance(x, A):\n        x.go()\n",
        {("run", "A.go")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    assert edges(source) == expected


@pytest.mark.parametrize(
    ("field", "use"),
    [
        ('team: "Team" = None', "user.team.label()"),
        ('team: "Team"', "user.team.label()"),
        ("team: Team = None", "user.team.label()"),
        ("team: Team", "user.team.label()"),
        ("team: Optional[Team] = None", "user.team.label()"),
        ('team: "Team | None" = None', "user.team.label()"),
        ('teams: list["Team"]', "[team.label() for team in user.teams]"),
        ("teams: dict[str, Team]", "user.teams['x'].label()"),
        ('team: Mapped["Team"] = relationship()', "user.team.label()"),
        ("teams: Mapped[list[Team]]", "[team.label() for team in user.teams]"),
    ],
)
@pytest.mark.parametrize("decorator", ["", "@dataclass\n"])
def test_a_field_may_be_of_a_class_further_down(
    field: str, use: str, decorator: str, edges: Edges
) -> None:
    found = edges(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "from sqlalchemy.orm import Mapped, relationship\nfrom typing import Optional\n"
        f"{decorator}class User:\n    {field}\n"
        "class Team:\n    def label(self): pass\nclass Other:\n    def label(self): pass\n"
        f"def run(user: User): {use}\n"
    )
    assert {callee for caller, callee in found if caller == "run"} == {"Team.label"}


def test_a_field_named_as_its_class_is_of_that_class(edges: Edges) -> None:
    found = edges(
        "class date:\n    def day(self): pass\n"
        "class Event:\n    date: date = None\n    later: date = None\n"
        "def run(event: Event): event.date.day()\n"
    )
    assert found == {("run", "date.day")}


ALIASES = {
    "Optional": "Alias = Optional[Job]",
    "Union": "Alias = Union[Job, None]",
    "Annotated": "Alias = Annotated[Job, 1]",
    "a union": "Alias = Job | None",
    "TypeAlias": "Alias: TypeAlias = 'Job | None'",
    "a statement": "type Alias = Job | None",
    "a statement with a parameter": "type Alias[T] = Job | T",
}


@pytest.mark.parametrize("alias", ALIASES.values(), ids=ALIASES)
def test_a_name_stands_for_a_type(alias: str, edges: Edges) -> None:
    job = "from typing import *\nclass Job:\n    def go(self): pass\n" + alias + "\n"
    found = edges(
        {
            "job.py": job,
            "use.py": "from job import Alias\nimport job\n"
            "def one(a: Alias): a.go()\ndef two(b: 'job.Alias'): b.go()\n"
            "def three(c: list[Alias]): c[0].go()\n",
        }
    )
    assert found == {(f"use.py::{name}", "job.py::Job.go") for name in ("one", "two", "three")}


def test_a_name_stands_for_a_container(edges: Edges) -> None:
    found = edges(
        {
            "job.py": "class Job:\n    def go(self): pass\nJobs = dict[str, list[Job]]\n",
            "use.py": "from job import Jobs\nclass Queue:\n"
            "    def __init__(self, jobs: Jobs): self.jobs = jobs\n"
            "    def run(self):\n        for job in self.jobs['a']:\n            job.go()\n",
        }
    )
    assert found == {("use.py::Queue.run", "job.py::Job.go")}
