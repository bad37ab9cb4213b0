"""Which module an import means in Python."""

from __future__ import annotations

import pytest

from toolroll_codegraph.resolve.layout import ProjectLayout

M = "<module>"


def test_imports_of_every_form(edges) -> None:
    found = edges(
        {
            "main.py": "import pkg.sub.deep\nimport pkg.sub as s\nfrom pkg import one as first\n"
            "from pkg import *\npkg.sub.deep.f()\ns.deep.f()\nfirst()\ntwo()\n",
            "pkg/__init__.py": "from .a import one\nfrom .b import *\n",
            "pkg/a.py": "from . import b\ndef one(): b.two()\n",
            "pkg/b.py": "__all__ = ['two']\ndef two(): pass\n",
            "pkg/sub/__init__.py": "",
            "pkg/sub/deep.py": "from ..a import one\ndef f(): one()\n",
        }
    )
    assert found == {
        (M, "pkg/sub/deep.py::f"),
        (M, "pkg/a.py::one"),
        (M, "pkg/b.py::two"),
        ("pkg/a.py::one", "pkg/b.py::two"),
        ("pkg/sub/deep.py::f", "pkg/a.py::one"),
    }


def test_a_source_layout_and_namespace_packages(edges) -> None:
    found = edges(
        {
            "src/lib/core.py": "from lib.util.text import clean\ndef run(): clean()\n",
            "src/lib/util/text.py": "def clean(): pass\n",
            "tests/test_core.py": "from lib.core import run\ndef test(): run()\n",
        }
    )
    assert ("tests/test_core.py::test", "src/lib/core.py::run") in found
    assert ("src/lib/core.py::run", "src/lib/util/text.py::clean") in found


def test_cycles_of_imports_bases_and_decorators_end(edges) -> None:
    found = edges(
        {
            "a.py": "from b import *\nfrom b import B\nclass A(B): pass\n",
            "b.py": "from a import *\nfrom a import A\nclass B(A):\n    def f(self): self.f()\n",
        }
    )
    assert found == {("b.py::B.f", "b.py::B.f")}


def test_a_package_that_imports_its_own_module(edges) -> None:
    found = edges(
        {
            "p/__init__.py": "from p import engine\ndef run(): return engine.start()\n",
            "p/engine.py": "def start(): pass\n",
        }
    )
    assert found == {("p/__init__.py::run", "p/engine.py::start")}


@pytest.mark.parametrize("root", ["/home/me/shop", "/src/market/shop", "C:/shop"])
def test_a_project_that_is_a_package_itself(edges, root: str) -> None:
    package = root.removeprefix("/src/").replace("/", ".") if "market" in root else "shop"
    found = edges(
        {
            "__init__.py": f"import {package}.cart\nfrom {package} import logging\n",
            "cart.py": f"import {package}.logging\nimport logging\n"
            f"def add(): {package}.logging.note()\ndef drop(): logging.note()\n",
            "logging.py": "def note(): pass\n",
            "parts/__init__.py": f"from {package}.cart import add\n",
            "parts/box.py": f"from {package}.parts import add\nfrom ..cart import add as put\n"
            "def pack(): add()\ndef fill(): put()\n",
        },
        layout=ProjectLayout(directory=root),
    )
    assert found == {
        ("cart.py::add", "logging.py::note"),
        ("parts/box.py::pack", "cart.py::add"),
        ("parts/box.py::fill", "cart.py::add"),
    }


def test_a_project_named_as_a_library_is_not_that_library(edges) -> None:
    files = {
        "utils.py": "def quote(): pass\n",
        "main.py": "from email.utils import quote\nquote()\n",
    }
    layout = ProjectLayout(directory="/home/me/email")
    assert edges(files, layout=layout) == set()
    assert edges({**files, "__init__.py": ""}, layout=layout) == {("<module>", "utils.py::quote")}


def test_a_script_inside_a_package_finds_the_module_beside_it_but_hides_no_library(edges) -> None:
    found = edges(
        {
            "p/__init__.py": "",
            "p/main.py": "import shop, json\nshop.buy()\njson.loads()\n",
            "p/shop.py": "def buy(): pass\n",
            "p/json.py": "def loads(): pass\n",
        }
    )
    assert found == {("p/main.py::<module>", "p/shop.py::buy")}


def test_a_module_of_a_package_named_as_a_library_does_not_import_itself(edges) -> None:
    found = edges(
        {
            "p/__init__.py": "",
            "p/shop.py": "def use():\n    import shop\n    shop.Client().close()\n"
            "class Client:\n    def close(self): pass\n",
            "shop/main.py": "def use():\n    import main\n    main.own()\ndef own(): pass\n",
        }
    )
    assert found == {("shop/main.py::use", "shop/main.py::own")}


def test_a_package_without_a_file_has_what_it_is_given(edges) -> None:
    found = edges(
        {
            "main.py": "import inspect\nimport ns.mod\ndef f(): pass\ndef g(): pass\n"
            "ns.first = f\nsetattr(ns, 'second', g)\n"
            "def a(): ns.first()\ndef b(): ns.second()\ndef c(): ns.mod.h()\n"
            "def d(): [value() for _, value in inspect.getmembers(ns)]\n",
            "ns/mod.py": "def h(): pass\n",
        }
    )
    assert found == {
        ("a", "f"),
        ("b", "g"),
        ("c", "ns/mod.py::h"),
    }


@pytest.mark.parametrize(
    "listed",
    [
        "iter_modules(plugs.__path__, 'plugs.')",
        "walk_packages(path=plugs.__path__, prefix=plugs.__name__ + '.')",
        "iter_modules(plugs.__path__, f'{plugs.__name__}.')",
    ],
)
def test_modules_are_imported_by_the_names_that_pkgutil_lists(edges, listed: str) -> None:
    files = {
        "src/plugs/__init__.py": "",
        "src/plugs/a.py": "class Plugin:\n    def run(self): pass\n",
        "src/plugs/b.py": "from .a import Plugin as Base\nclass Plugin(Base): pass\n"
        "def setup(): pass\n",
        "main.py": "import pkgutil, importlib\nimport plugs\n"
        f"for info in pkgutil.{listed}:\n    importlib.import_module(info.name).Plugin().run()\n"
        f"for _, name, _ in pkgutil.{listed}:\n    importlib.import_module(name).setup()\n",
    }
    assert edges(files) == {
        ("<module>", "src/plugs/a.py::Plugin.run"),
        ("<module>", "src/plugs/b.py::setup"),
    }


def test_a_package_imports_the_modules_beside_it(edges) -> None:
    files = {
        "plugs/__init__.py": "import pkgutil, importlib\n"
        "for _, name, _ in pkgutil.iter_modules(__path__, __name__ + '.'):\n"
        "    importlib.import_module(name).setup()\n",
        "plugs/a.py": "def setup(): pass\n",
    }
    assert edges(files) == {("plugs/__init__.py::<module>", "plugs/a.py::setup")}


@pytest.mark.parametrize(
    "name", ["f'{__name__}.{name}'", "f'{__package__}.{name}'", "__name__ + '.' + name"]
)
def test_a_package_imports_what_is_called_as_it_is_and_goes_on(edges, name: str) -> None:
    files = {
        "plugs/__init__.py": "import importlib\n"
        f"def load(name): importlib.import_module({name}).setup()\n",
        "plugs/a.py": "def setup(): pass\n",
        "plugs/inner/__init__.py": "def setup(): pass\n",
        "other.py": "def setup(): pass\n",
    }
    assert edges(files) == {
        ("plugs/__init__.py::load", "plugs/a.py::setup"),
        ("plugs/__init__.py::load", "plugs/inner/__init__.py::setup"),
    }


@pytest.mark.parametrize(
    ("module", "function"),
    [
        ("pkgutil", "resolve_name"),
        ("pydoc", "locate"),
        ("scrapy.utils.misc", "load_object"),
        ("werkzeug.utils", "import_string"),
    ],
)
def test_what_a_dotted_name_tells_is_found(edges, module: str, function: str) -> None:
    found = edges(
        {
            "main.py": f"from {module} import {function} as find\n"
            "def make(name, default='pkg.stores.Memory'): return find(name or default)()\n"
            "make(None).put()\nfind('pkg.stores.Memory.shared')()\nfind('pkg.stores').reset()\n"
            "find('os.path')()\nfind('pkg.nothing.Here')()\n",
            "pkg/__init__.py": "",
            "pkg/stores.py": "class Memory:\n    def put(self): pass\n"
            "    @staticmethod\n    def shared(): pass\ndef reset(): pass\n",
        }
    )
    assert found == {
        (M, "make"),
        (M, "pkg/stores.py::Memory.put"),
        (M, "pkg/stores.py::Memory.shared"),
        (M, "pkg/stores.py::reset"),
    }


def test_what_a_module_puts_in_its_own_place_is_imported(edges) -> None:
    found = edges(
        {
            "main.py": "import pkg.config\nfrom pkg import config, plain\n"
            "def one(): config.save()\ndef two(): config['x']\ndef three(): pkg.config.save()\n"
            "def four(): plain.save()\n",
            "pkg/__init__.py": "",
            "pkg/config.py": "import sys\nclass Config:\n    def save(self): pass\n"
            "    def __getitem__(self, key): pass\nsys.modules[__name__] = Config()\n",
            "pkg/plain.py": "def save(): pass\n",
        }
    )
    assert found == {
        ("one", "pkg/config.py::Config.save"),
        ("two", "pkg/config.py::Config.__getitem__"),
        ("three", "pkg/config.py::Config.save"),
        ("four", "pkg/plain.py::save"),
    }


def test_a_module_named_as_its_package_hides_nothing(edges) -> None:
    found = edges(
        {
            "shop/shop.py": "class Shop:\n    def open(self): pass\n",
            "shop/config/__init__.py": "",
            "shop/config/config.py": "def read(): pass\n",
            "shop/use.py": "from shop.config.config import read\nfrom shop.shop import Shop\n"
            "def run():\n    read()\n    Shop().open()\n",
        }
    )
    assert found == {
        ("shop/use.py::run", "shop/config/config.py::read"),
        ("shop/use.py::run", "shop/shop.py::Shop.open"),
    }
