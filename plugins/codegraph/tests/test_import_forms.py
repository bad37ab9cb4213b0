"""Each form of import that a language has leads to the file it means."""

from __future__ import annotations

import json

import pytest

M = "<module>"

PYTHON = {
    "inside a function": (
        {"main.py": "def run():\n    from a import f\n    f()\n", "a.py": "def f(): pass\n"},
        {("run", "a.py::f")},
    ),
    "for annotations alone": (
        {
            "main.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import A\n"
            "def run(a: 'A'): a.f()\n",
            "a.py": "class A:\n    def f(self): pass\n",
        },
        {("run", "a.py::A.f")},
    ),
    "of a module of a package under another name": (
        {"main.py": "import p.a as b\nb.f()\n", "p/__init__.py": "", "p/a.py": "def f(): pass\n"},
        {(M, "p/a.py::f")},
    ),
    "of packages without __init__": (
        {"main.py": "import p.q.a\np.q.a.f()\n", "p/q/a.py": "def f(): pass\n"},
        {(M, "p/q/a.py::f")},
    ),
    "relative, of modules and of names": (
        {
            "p/__init__.py": "def f(): pass\n",
            "p/q/__init__.py": "",
            "p/q/a.py": "def g(): pass\n",
            "p/q/b.py": "from . import a\nfrom .. import f\nfrom .a import g as h\n"
            "a.g()\nf()\nh()\n",
        },
        {("p/q/b.py::<module>", "p/q/a.py::g"), ("p/q/b.py::<module>", "p/__init__.py::f")},
    ),
    "through several packages that hand it on": (
        {
            "main.py": "from p import f\nf()\n",
            "p/__init__.py": "from .q import f\n",
            "p/q/__init__.py": "from .a import *\n",
            "p/q/a.py": "from .b import f\n",
            "p/q/b.py": "def f(): pass\n",
        },
        {(M, "p/q/b.py::f")},
    ),
    "of all names but those that __all__ or an underscore keeps back": (
        {
            "main.py": "from a import *\nfrom b import *\nf()\ng()\n_h()\ni()\n",
            "a.py": "__all__ = ['f']\ndef f(): pass\ndef g(): pass\n",
            "b.py": "def _h(): pass\ndef i(): pass\n",
        },
        {(M, "a.py::f"), (M, "b.py::i")},
    ),
    "of either module where one may be missing": (
        {
            "main.py": "try:\n    import fast as codec\nexcept ImportError:\n"
            "    import slow as codec\ncodec.f()\n",
            "fast.py": "def f(): pass\n",
            "slow.py": "def f(): pass\n",
        },
        {(M, "fast.py::f"), (M, "slow.py::f")},
    ),
    "by importlib, of a name or relative": (
        {
            "main.py": "import importlib\nimportlib.import_module('p.a').f()\n"
            "importlib.import_module('.a', 'p').g()\n__import__('b').h()\n",
            "p/__init__.py": "",
            "p/a.py": "def f(): pass\ndef g(): pass\n",
            "b.py": "def h(): pass\n",
        },
        {(M, "p/a.py::f"), (M, "p/a.py::g"), (M, "b.py::h")},
    ),
    "by importlib, of what begins so": (
        {
            "p/__init__.py": "",
            "p/q/__init__.py": "",
            "p/q/a.py": "def f(): pass\n",
            "p/load.py": "from importlib import import_module\n"
            "def load(name): import_module(f'.q.{name}', __package__).f()\n"
            "def take(name): import_module('.' + name, 'p.q').f()\n",
        },
        {("p/load.py::load", "p/q/a.py::f"), ("p/load.py::take", "p/q/a.py::f")},
    ),
    "in a circle": (
        {
            "a.py": "import b\ndef f(): b.g()\ndef h(): pass\n",
            "b.py": "import a\ndef g(): a.h()\n",
        },
        {("a.py::f", "b.py::g"), ("b.py::g", "a.py::h")},
    ),
}

SCRIPTS = {
    "of a file, with and without its extension": (
        {
            "main.js": "import { f } from './a';\nimport { g } from './b.js';\nf(); g();\n",
            "a.js": "export function f() {}\n",
            "b.js": "export function g() {}\n",
        },
        {(M, "a.js::f"), (M, "b.js::g")},
    ),
    "of a directory": (
        {"main.js": "import { f } from './a';\nf();\n", "a/index.js": "export function f() {}\n"},
        {(M, "a/index.js::f")},
    ),
    "of TypeScript by the names that it compiles to": (
        {
            "main.ts": "import { f } from './a.js';\nimport { g } from './b.mjs';\n"
            "import { h } from './c.jsx';\nf(); g(); h();\n",
            "a.ts": "export function f() {}\n",
            "b.mts": "export function g() {}\n",
            "c.tsx": "export function h() {}\n",
        },
        {(M, "a.ts::f"), (M, "b.mts::g"), (M, "c.tsx::h")},
    ),
    "of a default, of names, and of all": (
        {
            "main.js": "import d, { f as g } from './a';\nimport * as a from './a';\n"
            "d(); g(); a.h();\n",
            "a.js": "export default function d() {}\nexport function f() {}\n"
            "export const h = () => {};\n",
        },
        {(M, "a.js::d"), (M, "a.js::f"), (M, "a.js::h")},
    ),
    "of what others export again": (
        {
            "main.js": "import { f, g, ns, d } from './all';\nf(); g(); ns.h(); d();\n",
            "all.js": "export * from './a';\nexport { b as g, default as d } from './b';\n"
            "export * as ns from './c';\n",
            "a.js": "export function f() {}\n",
            "b.js": "export function b() {}\nexport default function d() {}\n",
            "c.js": "export function h() {}\n",
        },
        {(M, "a.js::f"), (M, "b.js::b"), (M, "b.js::d"), (M, "c.js::h")},
    ),
    "by require, whole and taken apart": (
        {
            "main.js": "const a = require('./a'), { g: h } = require('./a');\n"
            "const { i } = require('./b');\na.f(); h(); i();\n",
            "a.js": "exports.f = () => {};\nmodule.exports.g = function () {};\n",
            "b.js": "function i() {}\nmodule.exports = { i };\n",
        },
        {(M, "a.js::f"), (M, "a.js::g"), (M, "b.js::i")},
    ),
    "while the program runs": (
        {
            "main.js": "async function run() {\n  const a = await import('./a.js');\n  a.f();\n"
            "  const { g } = await import('./a.js');\n  g();\n}\n",
            "a.js": "export function f() {}\nexport function g() {}\n",
        },
        {("run", "a.js::f"), ("run", "a.js::g")},
    ),
    "of types alone": (
        {
            "main.ts": "import type { A } from './a';\nimport { type B } from './a';\n"
            "export function run(a: A, b: B) { a.f(); b.g(); }\n",
            "a.ts": "export class A { f() {} }\nexport class B { g() {} }\n",
        },
        {("run", "a.ts::A.f"), ("run", "a.ts::B.g")},
    ),
    "as TypeScript assigns one": (
        {"main.ts": "import a = require('./a');\na.f();\n", "a.ts": "export function f() {}\n"},
        {(M, "a.ts::f")},
    ),
}

RUBY = {
    "require_relative": (
        {"main.rb": "require_relative 'a/b'\nf\n", "a/b.rb": "def f; end\n"},
        {(M, "a/b.rb::f")},
    ),
    "require of a library directory": (
        {"main.rb": "require 'a'\nA.new.f\n", "lib/a.rb": "class A\n  def f; end\nend\n"},
        {(M, "lib/a.rb::A.f")},
    ),
    "constants without any": (
        {
            "app/models/shop/cart.rb": "module Shop\n  class Cart\n    def f; end\n  end\nend\n",
            "app/jobs/buy.rb": "class Buy\n  def run; Shop::Cart.new.f; end\nend\n",
        },
        {("app/jobs/buy.rb::Buy.run", "app/models/shop/cart.rb::Shop.Cart.f")},
    ),
    "autoload": (
        {
            "main.rb": "module A\n  autoload :B, 'a/b'\nend\nA::B.f\n",
            "lib/a/b.rb": "module A\n  class B\n    def self.f; end\n  end\nend\n",
        },
        {(M, "lib/a/b.rb::A.B.f")},
    ),
}

FORMS = {f"{title} ({language})": case for language, cases in (
    ("Python", PYTHON), ("JavaScript", SCRIPTS), ("Ruby", RUBY)
) for title, case in cases.items()}  # fmt: skip


@pytest.mark.parametrize("title", FORMS)
def test_import(edges, title: str) -> None:
    files, expected = FORMS[title]
    assert edges(files) == expected


def test_paths_of_a_configuration_that_extends_another(project) -> None:
    base = {"compilerOptions": {"baseUrl": "./src", "paths": {"@lib/*": ["lib/*"]}}}
    project.write("base.json", json.dumps(base))
    project.write("tsconfig.json", json.dumps({"extends": "./base.json"}))
    project.write("src/lib/a.ts", "export function f() {}\n")
    project.write("src/b.ts", "export function g() {}\n")
    project.write(
        "src/main.ts",
        "import { f } from '@lib/a'\nimport { g } from 'b'\nexport function run() { f(); g() }\n",
    )
    project.index("typescript")
    assert project.callers("f") == project.callers("g") == ["src/main.ts::run"]


def test_paths_of_a_configuration_that_is_referred_to(project) -> None:
    """As Vite's templates have it: the file that editors look for holds nothing but references."""
    odd = [7, {"path": 7}, {"path": "../.."}, {"path": "../../a.json"}, {"path": "/a.json"}]
    names = ("tsconfig.app.json", "tsconfig.node.json", "none.json", "tsconfig.json")
    references = [*odd, *({"path": f"./{name}"} for name in names)]
    project.write("web/tsconfig.json", json.dumps({"files": [], "references": references}))
    project.write("web/base.json", '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}')
    project.write("web/tsconfig.app.json", '{"extends": "./base.json"}')
    project.write("web/tsconfig.node.json", '{"references": [{"path": "./tsconfig.json"}]}')
    project.write("web/src/lib/a.ts", "export function f() {}\n")
    main = "import { f } from '@/lib/a'\nexport const run = () => f()\n"
    project.write("web/src/main.ts", main)
    project.write("other/main.ts", main)
    callers: list[list[str]] = []
    for name in ("@", "#", "@"):
        paths = {f"{name}/*": ["./src/*"]}
        project.write("web/base.json", json.dumps({"compilerOptions": {"paths": paths}}))
        project.index("typescript")
        callers.append(project.callers("f"))
    assert callers == [["web/src/main.ts::run"], [], ["web/src/main.ts::run"]]


def test_packages_of_a_workspace(project) -> None:
    project.write("package.json", json.dumps({"private": True, "workspaces": ["packages/*"]}))
    exports = {".": "./main.js", "./parts/*": "./src/*.js"}
    project.write("packages/a/package.json", json.dumps({"name": "@me/a", "exports": exports}))
    project.write("packages/a/main.js", "export function f() {}\n")
    project.write("packages/a/src/b.js", "export function g() {}\n")
    project.write("packages/c/package.json", json.dumps({"name": "@me/c"}))
    project.write(
        "packages/c/index.js",
        "import { f } from '@me/a'\nimport { g } from '@me/a/parts/b'\n"
        "export function run() { f(); g() }\n",
    )
    project.index("javascript")
    assert project.callers("f") == project.callers("g") == ["packages/c/index.js::run"]


def test_what_no_file_of_the_project_is_relates_to_none(project) -> None:
    project.write("a.py", "import json\nfrom requests import get\nimport b\n")
    project.write("b.py", "")
    project.index()
    related = project.call("find_related_code", file_path="a.py")["related_files"]
    assert [(item["file_path"], item["relationship"]) for item in related] == [("b.py", "imports")]
