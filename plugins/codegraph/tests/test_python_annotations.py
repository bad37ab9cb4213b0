"""What annotations tell of values that nothing in the project makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

JOB = (
    "from __future__ import annotations\nfrom typing import *\nfrom typing import TypedDict\n"
    "class Job:\n    def go(self): pass\nclass Other:\n    def go(self): pass\n"
)

CASES = {
    "*parameters": "def run(*jobs: Job):\n    for job in jobs: job.go()\n",
    "**parameters": "def run(**jobs: Job): jobs['a'].go()\n",
    "type[…]": "def run(kind: type[Job]): kind().go()\n",
    "Type[…] of one of several": "def run(kind: Type[Job | None]): kind().go()\n",
    "a class of a table": "def run(kinds: dict[str, type[Job]]): kinds['a']().go()\n",
    "a bound": "T = TypeVar('T', bound=Job)\ndef run(job: T): job.go()\n",
    "a bound in quotes": "T = TypeVar('T', bound='Job')\ndef run(job: T): job.go()\n",
    "constraints": "T = TypeVar('T', Job, int)\ndef run(job: T): job.go()\n",
    "a class of a bound": "T = TypeVar('T', bound=Job)\ndef run(kind: type[T]): kind().go()\n",
    "a parameter of a function": "def run[T: Job](job: T): job.go()\n",
    "a parameter of a class": "class Box[T: Job]:\n    def run(self, job: T): job.go()\n",
    "NewType": "Late = NewType('Late', Job)\ndef run(job: Late): job.go()\n",
    "Callable": "def run(make: Callable[[], Job]): make().go()\n",
    "an awaited Callable": "async def run(make: Callable[..., Awaitable[Job]]):\n"
    "    (await make()).go()\n",
    "a list of Callable": "def run(makers: list[Callable[[], Job]]):\n"
    "    for make in makers: make().go()\n",
    "Callable that a Callable gives": "def run(make: Callable[[], Callable[[], Job]]):\n"
    "    make()().go()\n",
    "a callback that a function takes": "def each(use: Callable[[int, Job], None]): later(use)\n"
    "def run():\n    each(lambda number, job: job.go())\n",
    "a callback that a name has": "def run():\n"
    "    use: Callable[[Job], None] = lambda job: job.go()\n    later(use)\n",
    "keys": "def run(table: dict[Job, int]):\n    for job in list(table): job.go()\n",
    "keys of items": "def run(table: Mapping[Job, int]):\n"
    "    for job, number in sorted(table.items()): job.go()\n",
    "an item of a TypedDict": "class Row(TypedDict):\n    job: Job\n    other: Other\n"
    "def run(row: Row): row['job'].go()\n",
    "get of a TypedDict": "class Row(TypedDict, total=False):\n    job: Job\n    other: Other\n"
    "class Longer(Row):\n    name: str\ndef run(row: Longer): row.get('job').go()\n",
    "a list of a TypedDict": "class Row(TypedDict):\n    jobs: list[Job]\n"
    "def run(row: Row):\n    for job in row['jobs']: job.go()\n",
    "the receiver of a mixin": "class Mixin:\n    def run(self: Job): self.go()\n",
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_an_annotation_tells_what_is_called(text: str, edges: Edges) -> None:
    found = {callee for caller, callee in edges(JOB + text) if "run" in caller}
    assert {callee for callee in found if callee.endswith(".go")} == {"Job.go"}


@pytest.mark.parametrize("given", ["[]", "Job", "'name'", "print_all", "{'a': 1}"])
def test_an_annotation_holds_against_what_cannot_be_of_its_class(given: str, edges: Edges) -> None:
    found = edges(JOB + f"def print_all(): pass\ndef run(job: Job): job.go()\nrun({given})\n")
    assert ("run", "Job.go") in found


def test_a_bound_is_found_in_another_module(edges: Edges) -> None:
    found = edges(
        {
            "job.py": JOB + "T = TypeVar('T', bound=Job)\n",
            "use.py": "import job\nfrom job import T\n"
            "def one(a: T): a.go()\ndef two(b: job.T): b.go()\n",
        }
    )
    assert found == {(f"use.py::{name}", "job.py::Job.go") for name in ("one", "two")}


def test_what_is_given_goes_before_what_is_annotated(edges: Edges) -> None:
    found = edges(
        JOB + "class Late(Job):\n    def go(self): pass\n"
        "T = TypeVar('T', bound=Job)\n"
        "def one(*jobs: Job): jobs[0].go()\ndef two(kind: type[Job]): kind().go()\n"
        "def three(make: Callable[[], Job]): make().go()\ndef four(job: T): job.go()\n"
        "one(Late())\ntwo(Late)\nthree(Late)\nfour(Late())\n"
    )
    called = {(caller, callee) for caller, callee in found if callee.endswith(".go")}
    assert called == {(name, "Late.go") for name in ("one", "two", "three", "four")}


def test_what_a_new_type_is_given_comes_back(edges: Edges) -> None:
    found = edges(
        JOB + "class Late(Job):\n    def go(self): pass\n"
        "Name = NewType('Name', Job)\nName(Late()).go()\n"
    )
    assert found == {("<module>", "Late.go")}


def test_a_method_runs_on_its_own_class_whatever_bound_its_receiver_has(edges: Edges) -> None:
    found = edges(
        JOB + "T = TypeVar('T', bound='Job')\nclass Late(Job):\n    def go(self): pass\n"
        "    def run(self: T) -> T:\n        self.go()\n        return self\n"
        "    def again(self: Job): self.go()\n"
    )
    assert found == {("Late.run", "Late.go"), ("Late.again", "Late.go")}


MAKER = (
    JOB + "class Late(Job):\n    def go(self): pass\n"
    "def make(name): return {'a': Job(), 'b': Other(), 'c': Late(), 'd': len, 'e': Other}[name]\n"
)


@pytest.mark.parametrize(
    "text",
    [
        "class Run:\n    def __init__(self, name):\n        self.job: Job = None\n"
        "        self.job = make(name)\n",
        "class Run:\n    job: Job | None = None\n"
        "    def __init__(self, name): self.job = make(name)\n",
        "class Run:\n    job: 'Optional[Job]'\nrun = Run()\nrun.job = make(input())\n",
        "class Run:\n    def __init__(self, name):\n        self.job: Job = make(name)\n",
        "class Base:\n    job: Job\nclass Run(Base):\n"
        "    def set(self, name): self.job = make(name)\n",
    ],
)
def test_an_annotated_attribute_has_nothing_else_of_what_is_assigned(
    text: str, edges: Edges
) -> None:
    found = edges(MAKER + text + "def use(run: Run): run.job.go()\n")
    called = {callee for caller, callee in found if caller == "use"}
    assert called == {"Job.go", "Late.go"}


def test_an_attribute_that_a_class_of_a_library_annotates_may_be_anything(edges: Edges) -> None:
    found = edges(
        MAKER + "from library import Thing, Other as More\nclass Run:\n"
        "    def __init__(self, name):\n        self.job: Thing | More = make(name)\n"
        "    def use(self): self.job.go()\n"
    )
    assert {callee for caller, callee in found if caller == "Run.use"} == {
        "Job.go", "Late.go", "Other.go",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "called"),
    [
        ("Job", {"Job.go", "Late.go"}),
        ("'Job'", {"Job.go", "Late.go"}),
        ("Late", {"Late.go"}),
        ("bytes", set[str]()),
        ("Unknown", {"Job.go", "Late.go", "Other.go"}),
        ("Goes", {"Job.go", "Late.go", "Other.go"}),
        ("T", {"Job.go", "Late.go", "Other.go"}),
        ("More", {"Job.go", "Late.go", "Other.go"}),
    ],
)
def test_a_cast_leaves_what_may_be_of_the_class(kind: str, called: set[str], edges: Edges) -> None:
    found = edges(
        MAKER + "from typing import Protocol, TypeVar, cast\nfrom library import Unknown\n"
        "class Goes(Protocol):\n    def go(self): ...\n"
        "T = TypeVar('T', bound=Job)\nclass More(Unknown): pass\n"
        f"def use(name): cast({kind}, make(name)).go()\n"
    )
    assert {callee for caller, callee in found if caller == "use" and callee != "make"} == called


def test_a_descriptor_is_no_less_one_for_what_its_annotation_says(edges: Edges) -> None:
    found = edges(
        "import typing\nclass Old:\n    def __get__(self, one, kind): return 1\n"
        "class Base:\n    size: int = Old()\n    def __init__(self): self.size = 0\n"
        "class View(Base):\n    size: int = typing.cast(int, Old())\n"
        "    def run(self): return self.size\n"
    )
    assert found == {("View.run", "Old.__get__")}
