"""What generic classes and functions of Python give each of their users."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

M = "<module>"
ROWS = (
    "from typing import Generic, Iterator, Optional, TypeVar\n"
    "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
)
REPO = ROWS + (
    "T = TypeVar('T')\nclass Repo(Generic[T]):\n    item: T\n"
    "    def get(self) -> T: return eval(self.text)\n"
    "    def every(self) -> list[T]: return [eval(self.text)]\n"
    "    def steps(self) -> Iterator[T]: yield eval(self.text)\n"
    "    def maybe(self) -> 'Optional[T]': return eval(self.text)\n"
    "    def named(self) -> dict[str, T]: return {'': eval(self.text)}\n"
    "    def kind(self) -> type[T]: return eval(self.text)\n"
    "    def same(self) -> 'Repo[T]': return Repo()\n"
)

CASES = {
    "what derives from a list or mapping with arguments has such elements": (
        ROWS + "class As(list[A]):\n    def each(self): [a.go() for a in self]\n"
        "    def __getitem__(self, key): return list(self)[key]\n"
        "class Named(dict[str, B]): pass\n"
        "def one(found: As):\n    for a in found: a.go()\ndef two(found: Named): found['b'].go()\n"
        "def three(found: As | None = None):\n    for at, a in enumerate(found or ()): a.go()\n",
        {("As.each", "A.go"), ("one", "A.go"), ("two", "B.go"), ("three", "A.go")},
    ),
    "by the argument of a base class": (
        REPO + "class As(Repo[A]): pass\nclass Bs(Repo[B]): pass\n"
        "def one(repo: As): repo.get().go()\n"
        "def two(repo: Bs):\n    for row in repo.every(): row.go()\n",
        {("one", "Repo.get"), ("one", "A.go"), ("two", "Repo.every"), ("two", "B.go")},
    ),
    "by the argument of an annotation": (
        REPO + "def one(repo: Repo[A]):\n    for row in repo.steps(): row.go()\n"
        "def two(repo: 'Repo[B] | None'): repo.item.go()\n",
        {("one", "Repo.steps"), ("one", "A.go"), ("two", "B.go")},
    ),
    "what flows to the result of another": (
        ROWS + "T = TypeVar('T')\nclass Repo(Generic[T]):\n    rows = []\n"
        "    def get(self) -> T: return self.rows[0]\n"
        "Repo.rows.append(A())\nRepo.rows.append(B())\n"
        "def one(repo: Repo[A]): repo.get().go()\n"
        "def two(repo: Repo[B]): repo.get().go()\none(Repo())\ntwo(Repo())\n",
        {(M, "one"), (M, "two"), ("one", "Repo.get"), ("two", "Repo.get"), ("one", "A.go"),
         ("two", "B.go")},
    ),
    "mappings, classes and what may be missing": (
        REPO + "def one(repo: Repo[A]):\n    for _, row in repo.named().items(): row.go()\n"
        "def two(repo: Repo[B]): repo.kind()().go()\n"
        "def three(repo: Repo[A]):\n    row = repo.same().maybe()\n    if row: row.go()\n",
        {("one", "Repo.named"), ("one", "A.go"), ("two", "Repo.kind"), ("two", "B.go"),
         ("three", "Repo.same"),
         ("three", "Repo.maybe"), ("three", "A.go")},
    ),
    "several parameters through several classes": (
        ROWS + "K = TypeVar('K')\nV = TypeVar('V')\nW = TypeVar('W')\n"
        "class Store(Generic[K, V]):\n    def key(self) -> K: return eval('')\n"
        "    def value(self) -> V: return eval('')\n"
        "class Keyed(Store[A, W]): pass\nclass Rows(Keyed[B]): pass\n"
        "def run(rows: Rows):\n    rows.key().go()\n    rows.value().go()\n"
        "def some(rows: Keyed): rows.value().go()\n",
        {("run", "Store.key"), ("run", "Store.value"), ("run", "A.go"), ("run", "B.go"),
         ("some", "Store.value")},
    ),
    "parameters in brackets": (
        "class A:\n    def go(self): return 0\nclass B:\n    def go(self): return 0\n"
        "class Box[T: A]:\n    part: T\n    def open(self): return self.part.go()\n"
        "class Deep(A):\n    def go(self): return 0\n"
        "class Bag(Box[Deep]):\n    def run(self): self.part.go()\n",
        {("Box.open", "A.go"), ("Bag.run", "Deep.go")},
    ),
    "an attribute that a constructor keeps": (
        ROWS + "T = TypeVar('T')\nclass Step(Generic[T]):\n"
        "    def __init__(self, part: T): self.part = part\n"
        "def one(step: Step[A]): step.part.go()\ndef two(step: Step[B]): step.part.go()\n"
        "one(Step(A()))\ntwo(Step(B()))\n",
        {(M, "one"), (M, "two"), (M, "Step.__init__"), ("one", "A.go"),
         ("two", "B.go")},
    ),
    "a base class stands for the one that is expected": (
        "from typing import Generic, TypeVar\n"
        "class Model:\n    def save(self): pass\n"
        "    def again(self): return Repo(type(self)).get()\n"
        "class Item(Model):\n    def save(self): pass\n"
        "T = TypeVar('T', bound=Model)\nclass Repo(Generic[T]):\n"
        "    def __init__(self, kind: type[T]): self.kind = kind\n"
        "    def get(self) -> T: return self.kind()\n"
        "def run(repo: Repo[Item]): repo.get().save()\nModel().again()\n",
        {(M, "Model.again"), ("Model.again", "Repo.__init__"),
         ("Model.again", "Repo.get"), ("run", "Repo.get"),
         ("run", "Item.save")},
    ),
    "a descriptor that is generic": (
        ROWS + "T = TypeVar('T')\nclass Late(Generic[T]):\n"
        "    def __get__(self, owner, kind) -> T: return eval('')\n"
        "class Use:\n    a: Late[A] = Late()\n    b: Late[B] = Late()\n"
        "    def one(self): self.a.go()\n    def two(self): self.b.go()\n",
        {("Use.one", "A.go"), ("Use.two", "B.go"), ("Use.one", "Late.__get__"),
         ("Use.two", "Late.__get__"), },
    ),
    "a function by the class that it is given": (
        ROWS + "T = TypeVar('T')\ndef make(kind: type[T]) -> T: return eval('')\n"
        "def one(): make(A).go()\ndef two(): make(kind=B).go()\ndef three(kind): make(kind).go()\n",
        {("one", "make"), ("two", "make"), ("three", "make"), ("one", "A.go"), ("two", "B.go")},
    ),
    "a guard": (
        ROWS + "from typing import TypeGuard\nfrom typing_extensions import TypeIs\n"
        "def is_a(x) -> TypeIs[A]: return eval('')\n"
        "def is_b(x: object) -> 'TypeGuard[B]': return eval('')\n"
        "def one(x):\n    if is_a(x): x.go()\n"
        "def two(x):\n    if not is_a(x): x.go()\n"
        "def three(x):\n    if is_b(x): x.go()\n"
        "def four(x):\n    if not is_b(x): return\n    x.go()\n"
        "for x in (A(), B()):\n    one(x)\n    two(x)\n    three(x)\n    four(x)\n",
        {(M, "one"), (M, "two"), (M, "three"), (M, "four"), ("one", "is_a"),
         ("two", "is_a"), ("three", "is_b"), ("four", "is_b"), ("one", "A.go"), ("two", "B.go"),
         ("three", "B.go"), ("four", "B.go")},
    ),
    "a test of a class": (
        "class A:\n    @classmethod\n    def go(cls): pass\nclass B:\n    @classmethod\n"
        "    def go(cls): pass\nclass C:\n    def __init__(self, kind): self.kind = kind\n"
        "    def one(self):\n        if issubclass(self.kind, A): self.kind.go()\n"
        "    def two(self):\n        if not issubclass(self.kind, (A, int)): self.kind.go()\n"
        "C(A), C(B)\n",
        {(M, "C.__init__"), ("C.one", "A.go"), ("C.two", "B.go")},
    ),
    "the class of an annotation only where nothing is known": (
        "class A:\n    def go(self): return 0\nclass B(A):\n    def go(self): return 0\n"
        "class C:\n    kind: type[A]\n    def __init__(self, kind: type[A]): self.kind = kind\n"
        "    def run(self): self.kind().go()\nC(B)\n"
        "def make() -> type[A]: return eval('')\ndef run(): make()().go()\n",
        {(M, "C.__init__"), ("C.run", "B.go"), ("run", "make"), ("run", "A.go")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_user_has_what_its_arguments_say(edges: Edges, case: str) -> None:
    source, expected = CASES[case]
    assert edges({"main.py": source}) == expected


def test_type_variables_of_another_module(edges: Edges) -> None:
    files = {
        "types_.py": "from typing import TypeVar\nRowT = TypeVar('RowT')\n",
        "repo.py": "from typing import Generic\nfrom types_ import RowT\n"
        "class Repo(Generic[RowT]):\n    def get(self) -> RowT: return eval('')\n",
        "main.py": "from repo import Repo\nclass A:\n    def go(self): pass\n"
        "class As(Repo['A']): pass\ndef run(rows: As): rows.get().go()\n",
    }
    assert edges(files) == {("run", "repo.py::Repo.get"), ("run", "A.go")}
