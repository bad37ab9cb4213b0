"""Flask's `g`, proxies of werkzeug, and commands that tests run."""

from __future__ import annotations

import pytest

_SERVICE = "class Service:\n    def all(self): pass\n"

CASES = {
    "what is put into g is read there, in other functions and files": (
        "from flask import g\nfrom service import Service\n"
        "def before(): g.service = Service()\ndef index(): g.service.all()\n"
        "def find():\n    if 'other' not in g: g.other = Service()\n    return g.other\n"
        "def show(): find().all()\n",
        {("index", "all"), ("show", "all"), ("show", "find")},
    ),
    "by the module too": (
        "import flask\nfrom service import Service\n"
        "def before(): flask.g.service = Service()\ndef index(): flask.g.service.all()\n",
        {("index", "all")},
    ),
    "a proxy stands for what its function returns": (
        "from werkzeug.local import LocalProxy\nfrom service import Service\n"
        "def find(): return Service()\nservice = LocalProxy(find)\n"
        "def index(): service.all()\n",
        {("index", "all")},
    ),
    "a runner runs the command": (
        "import click\nfrom click.testing import CliRunner\n"
        "@click.command()\n@click.option('--name')\ndef show(name): pass\n"
        "def test_show():\n    result = CliRunner().invoke(show, ['--name', 'x'])\n"
        "def test_again():\n    runner = CliRunner()\n    runner.invoke(show)\n",
        {("test_show", "show"), ("test_again", "show")},
    ),
    "other objects of that name have what is known of them": (
        "from own import g\nfrom service import Service\n"
        "def before(): g.service = Service()\ndef index(): g.service.all()\n",
        set(),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    found = edges({"service.py": _SERVICE, "app.py": source})
    assert {
        tuple(end.split("::")[1].rpartition(".")[2] for end in pair) for pair in found
    } == expected
