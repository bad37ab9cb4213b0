"""What pytest's decorators and `request` give to tests and fixtures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

_CLASSES = (
    "import pytest\nclass C:\n    def go(self): pass\nclass D:\n    def go(self): pass\n"
    "def make(): return D()\ndef use(c): pass\n"
)

CASES = {
    "one parameter, by position and by name": (
        "@pytest.mark.parametrize('n', [1])\n"
        "@pytest.mark.parametrize('build', [C, make], ids=str)\n"
        "def test_a(build, n): build().go()\n"
        "@pytest.mark.parametrize(argnames='build', argvalues=(C,))\n"
        "def test_b(build): build().go()\n",
        {("test_a", "C.go"), ("test_a", "D.go"), ("test_a", "make"), ("test_b", "C.go")},
    ),
    "several, in one text or several": (
        "@pytest.mark.parametrize('kind, build', [('a', C), pytest.param('b', D, id='b')])\n"
        "def test_a(kind, build): build().go()\n"
        "@pytest.mark.parametrize(('kind', 'build'), [(C, D)])\n"
        "def test_b(kind, build): build().go()\n",
        {("test_a", "C.go"), ("test_a", "D.go"), ("test_b", "D.go")},
    ),
    "single values that have a name": (
        "@pytest.mark.parametrize('build', [pytest.param(C, id='c')])\n"
        "def test_a(build): build().go()\n",
        {("test_a", "C.go")},
    ),
    "tables": (
        "CASES = {'a': lambda c: c.go(), 'b': use}\n"
        "@pytest.mark.parametrize('case', CASES.values(), ids=CASES)\n"
        "def test_a(case): case(C())\n",
        {("test_a", "<lambda1>"), ("test_a", "use"), ("<lambda1>", "C.go")},
    ),
    "methods, and all of a class": (
        "class TestA:\n    @pytest.mark.parametrize('build', [C])\n"
        "    def test_a(self, build): build().go()\n"
        "@pytest.mark.parametrize('build', [D])\nclass TestB:\n"
        "    def test_b(self, build): build().go()\n    def test_c(self): pass\n",
        {("TestA.test_a", "C.go"), ("TestB.test_b", "D.go")},
    ),
    "what goes to fixtures is none of the test's": (
        "@pytest.mark.parametrize('build', [C], indirect=True)\ndef test_a(build): build().go()\n",
        set(),
    ),
    "fixtures have one of their values after another": (
        "@pytest.fixture(params=[C, pytest.param(D, id='d')], ids=str)\n"
        "def thing(request): return request.param()\ndef test_a(thing): thing.go()\n"
        "@pytest.fixture\ndef plain(request): return request.param()\n",
        {("test_a", "thing"), ("test_a", "C.go"), ("test_a", "D.go")},
    ),
    "fixtures by their names": (
        "@pytest.fixture\ndef thing(): return C()\n"
        "def test_a(request): request.getfixturevalue('thing').go()\n"
        "@pytest.fixture\ndef other(request):\n    return request.getfixturevalue('none')\n",
        {("test_a", "thing"), ("test_a", "C.go")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges: Edges, name: str) -> None:
    source, expected = CASES[name]
    found = edges({"test_main.py": _CLASSES + source})
    plain = {tuple(end.removeprefix("test_main.py::") for end in pair) for pair in found}
    assert plain == expected
