"""`references` of what texts name, and attributes of classes hold, for a library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Project

M = "<module>"
_SHOP = {
    "shop/__init__.py": "",
    "shop/parts.py": "class Timing:\n    def __init__(self, get_response): pass\n"
    "    def __call__(self, request): self.note()\n    def note(self): pass\n"
    "def simple(get_response): pass\ndef send(): pass\n"
    "class Tools:\n    def run(self): pass\n",
}

CASES = {
    "settings, whose tables may be in tables": (
        "shop/settings.py",
        'MIDDLEWARE = [\n    "shop.parts.Timing",\n    "shop.parts.simple",\n]\n'
        'JOBS = {"nightly": {"task": "shop.parts.send"}}\nMIDDLEWARE += ["shop.parts.Tools"]\n'
        'PIPELINES = {"shop.parts.Timing": 300}\n',
        {
            "Timing.__init__": {(M, 2), (M, 7)}, "Timing.__call__": {(M, 2), (M, 7)},
            "Timing.note": set(),
            "simple": {(M, 3)}, "send": {(M, 5)}, "Tools.run": {(M, 6)},
        },
    ),
    "calls, with a colon before what a module has, and of a method": (
        "jobs.py",
        "import lib\ndef go():\n    lib.queue.enqueue('shop.parts.send', 1)\n"
        "    lib.scheduler.add_job(func='shop.parts:simple')\n"
        "    lib.run('shop.parts.Tools.run')\n",
        {"send": {("go", 3)}, "simple": {("go", 4)}, "Tools.run": {("go", 5)}},
    ),
    "what is replaced, or only told of, is not handed over": (
        "jobs.py",
        "from unittest import mock\nimport logging\n@mock.patch('shop.parts.send')\ndef go(sent):\n"
        "    mock.patch('shop.parts.simple').start()\n"
        "    logging.getLogger('shop.parts.Timing')\n    name = 'shop.parts.send'\n",
        {"send": set(), "simple": set(), "Timing.__call__": set()},
    ),
    "nor is what tests keep the names of": (
        "tests/test_jobs.py",
        "import lib\nTARGETS = ['shop.parts.send']\nclass Tests(lib.Case):\n    kind = lib\n"
        "    names = ['check']\n    def check(self): pass\n",
        {"send": set(), "check": set()},
    ),
    "attributes of classes that derive from a library's": (
        "views.py",
        "from lib import View\nfrom shop.parts import Tools, send\nclass Show(View):\n"
        "    tools = [Tools]\n    sender = send\n    actions = (\n        'archive',\n    )\n"
        "    def archive(self): pass\n    def other(self): pass\n"
        "class Own:\n    tools = [Tools]\n    actions = ['go']\n    def go(self): pass\n",
        {
            "Tools.run": {(M, 4)}, "send": {(M, 5)}, "archive": {(M, 7)}, "other": set(),
            "go": set(),
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_references(project: Project, name: str) -> None:
    path, source, expected = CASES[name]
    for file, text in {**_SHOP, path: source}.items():
        project.write(file, text)
    project.index()
    for function, handing in expected.items():
        context = project.call("get_function_context", function_name=function)["context"]
        found = {(item["name"], line) for item in context["references"] for line in item["lines"]}
        assert found == handing, function


def test_lines_that_move_take_what_they_name_along(project: Project) -> None:
    for file, text in _SHOP.items():
        project.write(file, text)
    for before in ("", "# moved\n"):
        project.write("shop/settings.py", f'{before}MIDDLEWARE = ["shop.parts.simple"]\n')
        project.index()
        context = project.call("get_function_context", function_name="simple")["context"]
        assert [item["lines"] for item in context["references"]] == [[1 + len(before) // 8]]
