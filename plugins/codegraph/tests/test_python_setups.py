"""What unittest and pytest run around tests, which these are told to call."""

from __future__ import annotations


def test_tests_run_the_set_up_of_their_class_and_of_those_below(edges) -> None:
    files = {
        "tests/base.py": (
            "from unittest import TestCase\nfrom app import make, drop\n"
            "class Base(TestCase):\n    def setUp(self): make()\n"
            "    def test_base(self): pass\n    def help(self): pass\n"
            "    @classmethod\n    def tearDownClass(cls): drop()\n"
        ),
        "tests/test_a.py": (
            "from base import Base\nclass A(Base):\n    def test_a(self): pass\n"
            "class B(Base):\n    def setUp(self): super().setUp()\n"
            "    async def test_b(self): pass\n"
            "class C:\n    def test_c(self): pass\n"
        ),
        "app.py": "def make(): pass\ndef drop(): pass\n",
    }
    found = edges(files)
    base, other = "tests/base.py::Base.", "tests/test_a.py::"
    pairs = {pair for pair in found if pair[1].endswith(("setUp", "tearDownClass"))}
    assert pairs == {
        (base + "test_base", base + "setUp"),
        (base + "test_base", other + "B.setUp"),
        (other + "A.test_a", base + "setUp"),
        (other + "B.test_b", other + "B.setUp"),
        (other + "B.setUp", base + "setUp"),
        (base + "test_base", base + "tearDownClass"),
        (other + "A.test_a", base + "tearDownClass"),
        (other + "B.test_b", base + "tearDownClass"),
    }


def test_tests_of_pytest_run_the_set_up_of_their_class_and_module(edges) -> None:
    found = edges(
        {
            "test_a.py": (
                "def setup_module(module): pass\ndef test_a(): pass\ndef other(): pass\n"
                "class TestB:\n    def setup_method(self): pass\n    def test_b(self): pass\n"
            ),
            "test_c.py": "def test_c(): pass\n",
        }
    )
    file = "test_a.py::"
    assert found == {
        (file + "test_a", file + "setup_module"),
        (file + "TestB.test_b", file + "setup_module"),
        (file + "TestB.test_b", file + "TestB.setup_method"),
    }


def test_what_hundreds_of_tests_are_run_through_is_no_call_of_theirs(edges) -> None:
    tests = "".join(f"    def test_{number}(self): pass\n" for number in range(1001))
    found = edges(f"class Base:\n    def setUp(self): pass\nclass A(Base):\n{tests}")
    assert not found


def test_the_impact_of_what_a_set_up_calls_names_the_tests(project) -> None:
    project.write("app.py", "def make(): pass\n")
    project.write(
        "tests/base.py", "from app import make\nclass Base:\n    def setUp(self): make()\n"
    )
    project.write(
        "tests/test_a.py", "from base import Base\nclass A(Base):\n    def test_a(self): pass\n"
    )
    project.index()
    assert "tests/test_a.py::A.test_a" in project.callers("make", depth=2)
