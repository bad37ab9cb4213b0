"""`overrides` and `overridden_by`: the methods above and below a method."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Project

PYTHON = {
    "base.py": """
from typing import Protocol

class Store:
    def read(self, key): raise NotImplementedError
    def close(self): pass

class Closing(Protocol):
    def close(self): ...
    def flush(self): ...
""",
    "made.py": """
from base import Store

class Memory(Store):
    def __init__(self): pass
    def read(self, key): return key

class Cached(Memory):
    def __init__(self): pass
    def read(self, key): return super().read(key)

class File:
    def close(self): pass
    def flush(self): pass

class Loud(File):
    def close(self): pass

class Apart:
    def read(self, key): pass
    def close(self): pass

def read(key): pass
""",
}
RUBY = {
    "lib/shape.rb": """
module Named
  def name; end
end
class Shape
  include Named
  def self.build; end
  def area; end
end
""",
    "lib/square.rb": """
class Square < Shape
  def name; end
  def build; end
  def area; end
end
class Shape
  def name; end
end
""",
    "lib/unit.rb": """
class Unit < Square
  def self.build; end
end
""",
}
JAVASCRIPT = {
    "a.mjs": """
export class Base { run() {} static make() {} get size() { return 1 } }
""",
    "b.ts": """
import { Base } from './a.mjs';
export abstract class Middle extends Base { abstract other(): void; }
export class Last extends Middle { run() {} static make() {} other() {} get size() { return 2 } }
export const loose = { run() {} };
""",
}


def _context(project: Project, name: str) -> dict[str, Any]:
    return project.call("get_function_context", function_name=name)["context"]


@pytest.mark.parametrize(
    ("files", "name", "above", "below"),
    [
        (PYTHON, "Store.read", [], ["Memory.read", "Cached.read"]),
        (PYTHON, "Memory.read", ["Store.read"], ["Cached.read"]),
        (PYTHON, "Cached.read", ["Memory.read", "Store.read"], []),
        (PYTHON, "Apart.read", [], []),
        (PYTHON, "made.py::read", [], []),
        (PYTHON, "Memory.__init__", [], []),
        (PYTHON, "Closing.close", [], ["File.close", "Loud.close"]),
        (PYTHON, "Loud.close", ["File.close", "Closing.close"], []),
        (PYTHON, "Store.close", [], []),
        (RUBY, "Named#name", [], ["Shape.name", "Square.name"]),
        (RUBY, "Square#name", ["Shape.name", "Named.name"], []),
        (RUBY, "Shape.build", [], ["Unit.build"]),
        (RUBY, "Shape#area", [], ["Square.area"]),
        (JAVASCRIPT, "Base.run", [], ["Last.run"]),
        (JAVASCRIPT, "Last.make", ["Base.make"], []),
        (JAVASCRIPT, "Last.size", ["Base.size"], []),
    ],
)
def test_methods_above_and_below(
    project: Project, files: dict[str, str], name: str, above: list[str], below: list[str]
) -> None:
    for path, text in files.items():
        project.write(path, text)
    project.index("python", "javascript", "typescript", "ruby")
    context = _context(project, name)
    assert [method["name"] for method in context["overrides"]] == above
    assert [method["name"] for method in context["overridden_by"]] == below


def test_they_follow_edits_of_other_files(project: Project) -> None:
    for path, text in PYTHON.items():
        project.write(path, text)
    project.index()
    project.write("made.py", PYTHON["made.py"].replace("def flush", "def sync"))
    project.write(
        "more.py", "from made import Cached\nclass More(Cached):\n def read(self): pass\n"
    )
    project.index()
    assert _context(project, "Closing.close")["overridden_by"] == []
    below = _context(project, "Store.read")["overridden_by"]
    assert [method["name"] for method in below] == ["Memory.read", "Cached.read", "More.read"]


def test_more_than_are_listed_are_cut(project: Project) -> None:
    classes = "".join(f"class C{i}(Base):\n    def run(self): pass\n" for i in range(30))
    project.write("a.py", f"class Base:\n    def run(self): pass\n{classes}")
    project.index()
    context = _context(project, "Base.run")
    assert (len(context["overridden_by"]), context["truncated"]) == (20, True)
