"""Every name that the graph gives out finds its function again, however odd it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from toolroll_codegraph import service
from toolroll_codegraph.queries.names import find_functions
from toolroll_codegraph.queries.similar import similar_names
from toolroll_codegraph.storage.tables import functions

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Project

ODD = {
    "odd.ts": """
class Box {
  #open() { return 1 }
  open() { return this.#open() }
  static #make() { return new Box() }
  static [Symbol.iterator]() { return Box.#make() }
  get "a b"() { return 2 }
}
const table = { "Full()"() { return 1 }, "a.b": () => 2, 7() { return 3 }, "x::y"() {}, "#q"() {} }
export const kept = { [pick()]() {} };
""",
    "odd.rb": """
class Shop
  def open? = close!
  def close! = self[1]
  def [](key) = key
  def +(other) = other
  def self.open = new
  def name=(value)
  end
end
""",
    "odd.py": """
class A:
    def f(self):
        def f():
            return (lambda: 1)()
        return f
""",
}


@pytest.fixture
def odd(project: Project) -> Project:
    for path, text in ODD.items():
        project.write(path, text)
    project.index("python", "ruby", "typescript")
    return project


def test_every_name_in_the_graph_is_found_in_its_file(odd: Project) -> None:
    kinds = ("function", "method", "constructor", "lambda")
    with odd.context.database.read() as session:
        rows = session.execute(
            sa.select(functions.c.path, functions.c.qualified_name, functions.c.start_line).where(
                functions.c.kind.in_(kinds)
            )
        ).all()
    assert {
        "Box.#open",
        "table.Full()",
        "table.a.b",
        "table.x::y",
        "Shop.[]",
        "kept.<computed>",
    } <= {name for _, name, _ in rows}
    for path, name, line in rows:
        answer = odd.call("get_function_context", function_name=f"{path}::{name}")
        found = answer["context"]["function"] if answer["success"] else answer
        assert (found.get("name"), found.get("start_line")) == (name, line), answer


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("Box.#open", "Box.#open"),
        ("#open", "Box.#open"),
        ("Box.open", "Box.open"),
        ("Box#open", "Box.open"),
        ("make", "Box.#make"),
        ("Box.make", "Box.#make"),
        ("Full()", "table.Full()"),
        ("Shop#open?", "Shop.open?"),
        ("open?()", "Shop.open?"),
        ("Shop::open", "Shop.open"),
        ("kept.<computed>", "kept.<computed>"),
    ],
)
def test_private_and_quoted_names_are_found_as_one_spells_them(
    odd: Project, asked: str, name: str
) -> None:
    answer = odd.call("get_function_context", function_name=asked)
    assert answer["context"]["function"]["name"] == name


@pytest.mark.parametrize("asked", ["<module>", "odd.py::<module>"])
def test_the_code_outside_of_functions_is_none(odd: Project, asked: str) -> None:
    answer = odd.call("get_function_context", function_name=asked)
    assert answer["error"] == "Function not found"


@pytest.mark.parametrize(
    "asked", ["x" * 100_000, "x" * 100_000 + ".py::f", "a/" * 50_000, "a.::" * 50_000, "\udcff"]
)
def test_names_that_are_none(odd: Project, asked: str) -> None:
    with service.reading(odd.context, odd.root) as (session, stored):
        assert find_functions(session, stored.id, asked) == []
        assert len(similar_names(session, stored.id, asked)) <= 5


def test_a_file_may_be_named_as_names_are_parted(project: Project) -> None:
    project.write("a::b.py", "def f(): pass\n")
    project.write("x:1.py", "def g(): pass\n")
    project.index()
    for name in ("a::b.py::f", "x:1.py::g", "a::b.py:1", "x:1.py:1"):
        assert project.callers(name) == []


@pytest.mark.parametrize(
    ("asked", "line"),
    [("Job#run", 2), ("Job.run", 3), ("Job::run", 3), ("job.rb::Job#run", 2), ("run", 2)],
)
def test_a_method_of_a_class_and_one_of_its_objects(
    project: Project, asked: str, line: int
) -> None:
    project.write("job.rb", "class Job\n  def run = 1\n  def self.run = new.run\nend\nJob.run\n")
    project.index("ruby")
    context = project.call("get_function_context", function_name=asked)["context"]
    assert context["function"]["start_line"] == line
    assert [match["start_line"] for match in context["matches"]] == [5 - line]


def test_a_project_that_is_a_package_is_one_for_imports_and_in_names(project: Project) -> None:
    name = project.root.name
    project.write("__init__.py", f"from {name}.types import Shop\ndef buy(): Shop().open()\n")
    project.write("types.py", "import types\nclass Shop:\n    def open(self): types.new_class()\n")
    project.write("deep/sale.py", f"import {name}.types as t\ndef sell(): t.Shop().open()\n")
    project.index()
    for asked in (
        f"{name}.types.Shop.open",
        "types.Shop.open",
        f"{project.root.parent.name}.{name}.Shop.open",
    ):
        answer = project.call("get_function_context", function_name=asked)
        assert answer["context"]["function"]["name"] == "Shop.open", answer
        callers = {(call["file"], call["name"]) for call in answer["context"]["callers"]}
        assert callers == {("__init__.py", "buy"), ("deep/sale.py", "sell")}
    answer = project.call("get_function_context", function_name=f"{name}.buy")
    assert answer["context"]["function"]["name"] == "buy"


@pytest.fixture
def packages(project: Project) -> Project:
    project.write("src/acme/billing/__init__.py", "from .invoice import Invoice, total\n")
    project.write(
        "src/acme/billing/invoice.py",
        "def total(): pass\n\nclass Invoice:\n    def send(self): total()\n"
        "class Late(Invoice):\n    def __init__(self): pass\n    def send(self): total()\n",
    )
    project.write("src/acme/mail/invoice.py", "class Client:\n    def send(self): pass\n")
    project.write("lib/shop.rb", "class Shop\n  def initialize = 1\nend\nShop.new\n")
    project.index("python", "ruby")
    return project


INVOICE = "src/acme/billing/invoice.py::"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("acme.billing.total", f"{INVOICE}total"),
        ("billing.Invoice.send", f"{INVOICE}Invoice.send"),
        ("acme.Late", f"{INVOICE}Late.__init__"),
        ("billing/invoice.py::Late", f"{INVOICE}Late.__init__"),
        ("billing/invoice.py:4", f"{INVOICE}Invoice.send"),
        ("mail/invoice.py::send", "src/acme/mail/invoice.py::Client.send"),
        ("billing\\invoice.py::Late", f"{INVOICE}Late.__init__"),
        ("src\\acme\\billing\\invoice.py:4", f"{INVOICE}Invoice.send"),
        ("{root}/src/acme/mail/invoice.py:2", "src/acme/mail/invoice.py::Client.send"),
        ("{root}/src/acme/mail/invoice.py::Client.send", "src/acme/mail/invoice.py::Client.send"),
        ("billing/invoice.py:4:9", f"{INVOICE}Invoice.send"),  # with a column, as compilers do
        ("src/acme/mail/invoice.py:Client.send", "src/acme/mail/invoice.py::Client.send"),
        ("mail\\invoice.py:Client.send", "src/acme/mail/invoice.py::Client.send"),
        ("./src/acme/billing/invoice.py:total", f"{INVOICE}total"),
        ("{root}/src/acme/billing/invoice.py:Late:send", f"{INVOICE}Late.send"),
        ("acme.billing.invoice:total", f"{INVOICE}total"),  # Python's entry points
        ("lib/shop.rb:Shop#initialize", "lib/shop.rb::Shop.initialize"),
        ("Shop.new", "lib/shop.rb::Shop.initialize"),
        ("root/lib/shop.rb::Shop.new", "lib/shop.rb::Shop.initialize"),  # from the directory above
        ("root/lib/shop.rb:2", "lib/shop.rb::Shop.initialize"),
        ("send", "src/acme/mail/invoice.py::Client.send"),  # the shortest path
        ("billing/invoice.py::send", f"{INVOICE}Invoice.send"),  # the first in its file
    ],
)
def test_names_as_people_write_them(packages: Project, asked: str, found: str) -> None:
    asked = asked.format(root=packages.root)
    answer = packages.call("get_function_context", function_name=asked)
    assert answer["context"]["function"]["qualified_name"] == found


@pytest.mark.parametrize("place", ["::Invoice.send", ":4"])
def test_an_absolute_path_may_lead_to_the_project_by_a_link(
    packages: Project, tmp_path: Path, place: str
) -> None:
    link = tmp_path / "link"
    link.symlink_to(packages.root)
    asked = f"{link}/src/acme/billing/invoice.py{place}"
    for root in (link, packages.root):
        answer = packages.call("get_function_context", project_path=str(root), function_name=asked)
        assert answer["context"]["function"]["qualified_name"] == f"{INVOICE}Invoice.send"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("a.py:3", "A.size"),
        ("a.py:4", "A.size"),
        ("a.py:7", "B.__init__"),
        ("a.py:9", "B.make"),
        ("a.py:11", "B.make"),
        ("a.py:13", "B.make.inner"),
        ("a.rb:2", "C"),
        ("a.rb:3", "C.name"),
    ],
)
def test_a_decorators_line_is_one_of_what_it_decorates(
    project: Project, asked: str, found: str
) -> None:
    project.write(
        "a.py",
        "class A:\n    kind = 1\n    @property\n    def size(self): pass\n\n\n"
        "@final\nclass B:\n"  # line 7
        "    @cache(\n        maxsize=1,\n    )\n    def make(self):\n"
        "        @wraps(make)\n        def inner(): pass\n"
        "    def __init__(self): pass\n",
    )
    project.write("a.rb", "class C\n  @name = 1\n  def name = @name\nend\n")
    project.index("python", "ruby")
    answer = project.call("get_function_context", function_name=asked)
    assert answer["context"]["function"]["name"] == found


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("pack.json.dump", "pack/_dumping.py::dump"),
        ("json.dump", "pack/_dumping.py::dump"),
        ("pack/json.py::dump", "pack/_dumping.py::dump"),
        ("pack/json.py::Dumper.run", "pack/_dumping.py::Dumper.run"),
        ("pack.json.Dumper", "pack/_dumping.py::Dumper.__init__"),
        ("pack.parse", "pack/sub/parsing.py::parse"),  # over the module of a package between
        ("ui/index.ts::Button", "ui/button/Button.ts::Button"),
        ("ui.Button", "ui/button/Button.ts::Button"),
        ("pack.json.parse", None),
        ("pack.json.run", None),
        ("pack.dump", "pack/_dumping.py::dump"),
        ("son.dump", None),
    ],
)
def test_names_that_a_module_hands_on_are_found(
    project: Project, asked: str, found: str | None
) -> None:
    project.write("pack/__init__.py", "from pack.sub import parse\n")
    project.write("pack/sub/__init__.py", "from .parsing import parse\n")
    project.write("pack/sub/parsing.py", "def parse(): pass\n")
    project.write("pack/json.py", "from ._dumping import Dumper, dump\nimport pack.other\n")
    project.write("pack/other.py", "import pack.sub.parsing\n")
    project.write(
        "pack/_dumping.py",
        "def dump(): pass\nclass Dumper:\n    def __init__(self): pass\n    def run(self): pass\n",
    )
    project.write("ui/index.ts", "export * from './button'\n")
    project.write("ui/button/index.ts", "export { Button } from './Button'\n")
    project.write("ui/button/Button.ts", "export function Button() {}\n")
    project.index("python", "typescript")
    answer = project.call("get_function_context", function_name=asked)
    assert (answer["context"]["function"]["qualified_name"] if found else answer["error"]) == (
        found or "Function not found"
    )


@pytest.mark.parametrize(
    "asked",
    [
        "acme.billing.send",
        "mail.total",
        "ail/invoice.py::send",
        "src/acme::total",
        "mail/invoice.py:total",
        "acme.nothing:total",
        ":",
        "acme.",
        pytest.param("acme." * 20_000 + "send", id="longer than it may take to look up each part"),
    ],
)
def test_names_of_what_a_package_does_not_hold(packages: Project, asked: str) -> None:
    answer = packages.call("get_function_context", function_name=asked)
    assert answer == {"success": False, "error": "Function not found"}


def test_a_lambda_is_found_by_the_name_that_it_is_bound_to(project: Project) -> None:
    project.write(
        "pkg/shapes.py",
        "def real(x): return x\nsquare = lambda x: real(x)\n_own = lambda: 1\n"
        "class Box:\n    cube = lambda self: real(1)\ndef use(): square(2)\n"
        "list(map(lambda x: x, []))\n",
    )
    project.index()
    for asked, name in [
        ("square", "<lambda1>"),
        ("pkg.shapes.square", "<lambda1>"),
        ("pkg/shapes.py::square", "<lambda1>"),
        ("pkg/shapes.py::<lambda1>", "<lambda1>"),
        ("_own", "<lambda2>"),
        ("Box.cube", "Box.<lambda1>"),
        ("pkg/shapes.py::<lambda3>", "<lambda3>"),
    ]:
        found = project.call("get_function_context", function_name=asked)["context"]["function"]
        assert (found["name"], found["is_export"]) == (name, name not in ("<lambda2>", "<lambda3>"))
    assert project.callers("square") == ["pkg/shapes.py::use"]
    for asked in ("<lambda1>", "Box.square", "other.square"):
        assert not project.call("get_function_context", function_name=asked)["success"]


INHERITING = {
    "kinds.rb": """
module Loud
  def shout = 1
end
module Counted
  def total = 1
end
module Kept
  def self.included(base) = base.extend(ClassMethods)
  module ClassMethods
    def transaction = yield
  end
  def reload = 1
end
class Base
  include Kept
  extend Counted
  def self.shout = 2
  def initialize = 1
end
class Child < Base
  include Loud
end
""",
    "again.rb": "class Base\n  def late = 1\nend\n",
    "base.py": "class Base:\n    def __init__(self): pass\n    def run(self): pass\n",
    "mixed.py": (
        "from base import Base\nclass Left(Base): pass\n"
        "class Right(Base):\n    def run(self): pass\nclass Both(Left, Right): pass\n"
    ),
    "base.ts": "export class Top { open() {} static make() {} #own() {} }\n",
    "box.ts": "import { Top } from './base'\nexport class Box extends Top {}\n",
    "pot.js": "class Lid { lift() {} }\nmodule.exports = class Pot extends Lid {}\n",
}


INHERITED = [
    ("Base.transaction", "kinds.rb::Kept.ClassMethods.transaction"),
    ("Child.transaction", "kinds.rb::Kept.ClassMethods.transaction"),
    ("Child.total", "kinds.rb::Counted.total"),
    ("Child#reload", "kinds.rb::Kept.reload"),
    ("Child#late", "again.rb::Base.late"),
    ("Child.new", "kinds.rb::Base.initialize"),
    ("kinds.rb::Child#shout", "kinds.rb::Loud.shout"),
    ("Child.shout", "kinds.rb::Base.shout"),
    ("Left.run", "base.py::Base.run"),
    ("Both.run", "mixed.py::Right.run"),
    ("mixed.Both.run", "mixed.py::Right.run"),
    ("Both", "base.py::Base.__init__"),
    ("Both.__init__", "base.py::Base.__init__"),
    ("mixed.py::Left.run", "base.py::Base.run"),
    ("Box.open", "base.ts::Top.open"),
    ("box.ts::Box.make", "base.ts::Top.make"),
    ("Pot.lift", "pot.js::Lid.lift"),
]


def test_what_a_class_inherits_is_found(project: Project) -> None:
    for path, source in INHERITING.items():
        project.write(path, source)
    project.index("python", "javascript", "typescript", "ruby")
    answers = {
        asked: project.call("get_function_context", function_name=asked) for asked, _ in INHERITED
    }
    found = {
        asked: answer["context"]["function"]["qualified_name"] if answer["success"] else answer
        for asked, answer in answers.items()
    }
    assert found == dict(INHERITED)
    both = answers["kinds.rb::Child#shout"]["context"]["matches"]
    assert [item["name"] for item in both] == ["Base.shout"]
    for asked in ("Base.open", "Left.shout", "Box.total", "Top.lift"):
        answer = project.call("get_function_context", function_name=asked)
        assert answer["error"] == "Function not found", asked


@pytest.mark.parametrize(
    ("asked", "name", "matches"),
    [
        ("Show", "Show", ["Show.get", "Show.post"]),  # of a library's class, and nobody calls it
        ("views.Show", "Show", ["Show.get", "Show.post"]),
        ("views.py::Outer.Inner", "Outer.Inner", ["Outer.Inner.go"]),
        ("Plain", "Plain", ["Plain.go"]),  # which somebody makes
        ("Own", "Own.__init__", []),
        ("views.py:3", "Show", ["Show.get", "Show.post"]),  # a line of the class itself
        ("views.py:4", "Show.get", []),
        ("views.py:13", "Own.__init__", []),
        ("Talk", "Talk", ["Talk", "Talk.say", "Talk.shout"]),  # opened in two files
    ],
)
def test_a_class_without_a_constructor_is_found_with_its_methods(
    project: Project, asked: str, name: str, matches: list[str]
) -> None:
    project.write(
        "views.py",
        "from web import View\nclass Show(View):\n    page = 1\n    def get(self): pass\n"
        "    def post(self):\n        def inner(): pass\n"
        "class Outer:\n    class Inner:\n        def go(self): pass\n"
        "class Plain:\n    def go(self): pass\nPlain().go()\n"
        "class Own:\n    def __init__(self): pass\n    def go(self): pass\n"
        "class Shower:\n    def get(self): pass\n",
    )
    project.write("talk.rb", "class Talk\n  def say; end\nend\n")
    project.write("more.rb", "class Talk\n  def shout; end\nend\n")
    project.index("python", "ruby")
    context = project.call("get_function_context", function_name=asked)["context"]
    assert context["function"]["name"] == name
    assert sorted(item["name"] for item in context["matches"]) == matches
