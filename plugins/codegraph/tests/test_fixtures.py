"""What pytest's fixtures give the tests, and other fixtures, that ask for them by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

SHOP = """
class Shop:
    def open(self): pass
class Other:
    def open(self): pass
"""
HEAD = "import pytest\nfrom shop import Other, Shop\n"
CASES = {
    "returned": "@pytest.fixture\ndef shop(): return Shop()\ndef test_it(shop): shop.open()\n",
    "yielded": "@pytest.fixture()\ndef shop():\n    made = Shop()\n    yield made\n"
               "def test_it(shop): shop.open()\n",
    "with a scope": "@pytest.fixture(scope='module')\ndef shop(): return Shop()\n"
                    "def test_it(shop): shop.open()\n",
    "through another": "@pytest.fixture\ndef made(): return Shop()\n"
                       "@pytest.fixture\ndef shop(made): return made\n"
                       "def test_it(shop): shop.open()\n",
    "of a class": "@pytest.fixture\ndef shop(): return Other()\nclass TestShop:\n"
                  "    @pytest.fixture\n    def shop(self): return Shop()\n"
                  "    def test_it(self, shop): shop.open()\n",
    "a function that makes": "@pytest.fixture\ndef make():\n    def one(): return Shop()\n"
                             "    return one\ndef test_it(make): make().open()\n",
    "asynchronous": "import pytest_asyncio\n@pytest_asyncio.fixture\n"
                    "async def shop(): yield Shop()\nasync def test_it(shop): shop.open()\n",
}  # fmt: skip


@pytest.mark.parametrize("source", CASES.values(), ids=CASES)
def test_a_test_gets_what_a_fixture_gives(source: str, edges: Edges) -> None:
    found = edges({"shop.py": SHOP, "test_shop.py": HEAD + source})
    assert {callee for _, callee in found if callee.startswith("shop.py")} == {"shop.py::Shop.open"}


def test_a_test_calls_the_fixtures_that_it_is_marked_with(edges: Edges) -> None:
    source = (
        "import pytest\n@pytest.fixture\ndef one(): pass\n@pytest.fixture\ndef two(): pass\n"
        "@pytest.mark.usefixtures('one')\ndef test_a(): pass\n"
        "@pytest.mark.usefixtures('one', 'two')\nclass TestB:\n    def test_b(self): pass\n"
    )
    assert edges({"test_it.py": source}) == {
        ("test_it.py::test_a", "test_it.py::one"),
        ("test_it.py::TestB.test_b", "test_it.py::one"),
        ("test_it.py::TestB.test_b", "test_it.py::two"),
    }


def test_a_test_calls_the_fixtures_that_it_has(edges: Edges) -> None:
    fixture = "@pytest.fixture{}\ndef {}({}): pass\n"
    found = edges(
        {
            "conftest.py": HEAD + fixture.format("(autouse=True)", "everywhere", "shop")
            + fixture.format("", "shop", ""),
            "test_shop.py": HEAD + "def test_one(shop): pass\ndef helper(): pass\nclass TestShop:\n"
            "    @pytest.fixture(scope='class', autouse=True)\n    def mine(self): pass\n"
            "    def test_two(self): pass\n",
        }
    )  # fmt: skip
    assert {pair for pair in found if "." not in pair[1].partition("::")[2]} == {
        ("conftest.py::everywhere", "conftest.py::shop"),
        ("test_shop.py::test_one", "conftest.py::everywhere"),
        ("test_shop.py::test_one", "conftest.py::shop"),
        ("test_shop.py::TestShop.test_two", "conftest.py::everywhere"),
    }
    assert ("test_shop.py::TestShop.test_two", "test_shop.py::TestShop.mine") in found


def test_the_nearest_fixture_of_a_name_is_meant(edges: Edges) -> None:
    fixture = HEAD + "@pytest.fixture\ndef shop(): return {}()\n"
    test = "def test_it(shop): shop.open()\n"
    found = edges(
        {
            "shop.py": SHOP,
            "conftest.py": fixture.format("Other"),
            "tests/conftest.py": fixture.format("Shop"),
            "tests/deep/test_one.py": test,
            "tests/deep/test_two.py": "import pytest\n@pytest.fixture\n"
            "def shop(shop): return shop\n" + test,
            "test_three.py": test,
        }
    )
    assert {pair for pair in found if pair[1].startswith("shop.py")} == {
        ("tests/deep/test_one.py::test_it", "shop.py::Shop.open"),
        ("tests/deep/test_two.py::test_it", "shop.py::Shop.open"),
        ("test_three.py::test_it", "shop.py::Other.open"),
    }


def test_other_functions_are_handed_no_fixtures(edges: Edges) -> None:
    found = edges(
        {
            "shop.py": SHOP,
            "test_shop.py": HEAD + "@pytest.fixture\ndef place(): return Shop()\n"
            "def helper(place): place.open()\n",
        }
    )
    assert "shop.py::Shop.open" not in {callee for caller, callee in found}


@pytest.mark.parametrize(
    "line", ["from kit.basic import *", "from kit.basic import shop, made", "from kit import *"]
)
def test_fixtures_may_be_imported_where_they_are_asked_for(edges: Edges, line: str) -> None:
    basic = (
        "import pytest\nfrom shop import Shop\n@pytest.fixture\ndef made(): return Shop()\n"
        "@pytest.fixture\ndef shop(made, more): return made\n"
        "@pytest.fixture\ndef near(made): return made\n"
    )
    more = "import pytest\n@pytest.fixture\ndef more(): pass\n"
    test = "def test_it(shop): shop.open()\n"
    files = {
        "shop.py": SHOP,
        "kit/__init__.py": "from .basic import *\n",
        "kit/basic.py": basic,
        "kit/more.py": more,
        "tests/conftest.py": f"{line}\nfrom kit.more import more\n",
        "tests/deep/test_shop.py": test,
        "other/test_shop.py": "def test_it(shop): pass\n",  # sees none of them
        "own/test_shop.py": f"{line}\nimport unittest\n{test}",
    }
    found = {pair for pair in edges(files) if pair[0] != "kit/basic.py::made"}
    asking = ("tests/deep/test_shop.py::test_it", "own/test_shop.py::test_it")
    assert found == {
        *((test, "kit/basic.py::shop") for test in asking),
        *((test, "shop.py::Shop.open") for test in asking),
        *(("kit/basic.py::shop", known) for known in ("kit/basic.py::made", "kit/more.py::more")),
        ("kit/basic.py::near", "kit/basic.py::made"),
    }
