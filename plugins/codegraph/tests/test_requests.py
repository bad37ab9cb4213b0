"""Requests of tests and clients, and the functions whose routes have their paths."""

from __future__ import annotations

import pytest

FASTAPI = (
    "from fastapi import APIRouter, Depends, FastAPI\n"
    "router = APIRouter(prefix='/items')\n"
    "@router.get('/{item_id}')\ndef read(item_id): pass\n"
    "@router.post('')\ndef create(): pass\n"
    "@router.get('/{item_id}/parts/{part}')\ndef part(item_id, part): pass\n"
    "@router.get('/files/{name:path}')\ndef file(name): pass\n"
)


def told(edges, files: dict[str, str], caller: str) -> set[str]:
    """The functions that a caller is told to call, without their files."""
    return {callee.partition("::")[2] for one, callee in edges(files) if one == caller}


def test_a_test_client_comes_to_the_function_of_a_route(edges) -> None:
    files = {
        "app/api.py": FASTAPI,
        "tests/test_api.py": (
            "def test_read(client): client.get('/api/items/1')\n"
            "def test_filled(client, item): client.get(f'/items/{item}?full=1')\n"
            "async def test_create(client): await client.post('/items', json={})\n"
            "class TestPart:\n    def test_part(self): self.client.get('/items/1/parts/2')\n"
            "def test_file(client): client.get('http://test/items/files/a/b.txt')\n"
            "def test_none(client, d): client.put('/items/1'); d.get('items'); client.get('/x/y')\n"
            "def test_known(): {'/items/1': 2}.get('/items/1')\n"
        ),
    }
    expected = {
        "test_read": {"read"},
        "test_filled": {"read"},
        "test_create": {"create"},
        "TestPart.test_part": {"part"},
        "test_file": {"file"},
        "test_none": set(),
        "test_known": set(),
    }
    for caller, callees in expected.items():
        assert told(edges, files, f"tests/test_api.py::{caller}") == callees, caller


def test_routes_of_flask_behind_the_prefix_of_their_blueprint(edges) -> None:
    files = {
        "web.py": (
            "from flask import Blueprint, url_for\n"
            "bp = Blueprint('shop', __name__, url_prefix='/shop')\n"
            "@bp.route('/<int:item>')\n@login_required\ndef show(item): pass\n"
            "def other(): pass\n"
            "def make(app): app.add_url_rule('/other', view_func=other)\n"
        ),
        "test_web.py": (
            "def a(client): client.get('/shop/3')\n"
            "def b(client): client.get(url_for('shop.show', item=3))\n"
            "def c(client): client.post('/other')\n"
        ),
    }
    for caller, callee in (("a", "show"), ("b", "show"), ("c", "other")):
        assert told(edges, files, f"test_web.py::{caller}") == {callee}


def test_routes_of_django_by_path_and_by_name(edges) -> None:
    files = {
        "site/urls.py": (
            "from django.urls import include, path\n"
            "urlpatterns = [path('polls/', include('polls.urls'))]\n"
        ),
        "polls/urls.py": (
            "from django.urls import path\nfrom polls import views\n"
            "urlpatterns = [path('', views.index, name='index'),\n"
            "    path('<int:pk>/', views.Detail.as_view(), name='detail')]\n"
        ),
        "polls/views.py": (
            "from django.views import View\ndef index(request): pass\n"
            "class Detail(View):\n    def get(self, request, pk): pass\n"
            "    def post(self, request, pk): pass\n"
        ),
        "polls/tests.py": (
            "from django.urls import reverse\n"
            "def a(client): client.get('/polls/')\n"
            "def b(client): client.get(reverse('polls:index'))\n"
            "def c(client): client.post('/polls/1/')\n"
            "def d(client): client.get(reverse('detail', args=[1]))\n"
            "def e(client): client.get(reverse('ind'))\n"
        ),
    }
    expected = {"a": "index", "b": "index", "c": "Detail.post", "d": "Detail.get"}
    for caller, callee in expected.items():
        assert told(edges, files, f"polls/tests.py::{caller}") == {callee}, caller
    assert told(edges, files, "polls/tests.py::e") == set()


def test_of_many_apps_with_a_path_the_one_of_the_test_is_meant(edges) -> None:
    app = "    app = Flask()\n    @app.route('/')\n    def index(): pass\n"
    source = "".join(f"def test_{n}():\n{app}    app.test_client().get('/')\n" for n in range(5))
    found = edges(f"from flask import Flask\n{source}def test_none(client): client.get('/')\n")
    assert found == {(f"test_{n}", f"test_{n}.index") for n in range(5)}


def test_routes_of_express_and_what_asks_for_them(edges) -> None:
    files = {
        "app.js": (
            "const express = require('express');\nconst app = express();\n"
            "function auth(req, res, next) { next(); }\nfunction show(req, res) {}\n"
            "app.get('/users/:id', auth, show);\n"
            "app.post('/users', function create(req, res) {});\nmodule.exports = app;\n"
        ),
        "app.test.js": (
            "const request = require('supertest');\nconst app = require('./app');\n"
            "async function a() { await request(app).get('/users/1').expect(200); }\n"
            "const b = (id) => request(app).get(`/users/${id}?x=1`);\n"
            "function c() { return axios.post('http://localhost/api/users', {}); }\n"
            "function d() { return fetch('/users/2'); }\n"
            "function e() { return new Map([['/users/1', 1]]).get('/users/1'); }\n"
        ),
    }
    expected = {
        "a": {"auth", "show"},
        "b": {"auth", "show"},
        "c": {"create"},
        "d": {"auth", "show"},
        "e": set(),
    }
    for caller, callees in expected.items():
        assert told(edges, files, f"app.test.js::{caller}") == callees, caller


@pytest.mark.parametrize(
    "annotation", ["", " -> Generator[TestClient, None, None]", " -> Iterator[Any]"]
)
def test_a_fixture_that_yields_a_client_may_be_annotated(edges, annotation: str) -> None:
    app = "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/me')\ndef me(): pass\n"
    conftest = (
        "import pytest\nfrom typing import Any, Generator, Iterator\n"
        "from fastapi.testclient import TestClient\nfrom main import app\n"
        f"@pytest.fixture\ndef client(){annotation}:\n"
        "    with TestClient(app) as made:\n        yield made\n"
    )
    test = "def test_me(client): client.get('/me')\n"
    found = edges({"main.py": app, "conftest.py": conftest, "test_me.py": test})
    assert ("test_me.py::test_me", "me") in found


def test_a_path_may_be_what_a_function_returns(edges) -> None:
    app = (
        "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/me')\ndef me(): pass\n"
        "@app.get('/you')\ndef you(): pass\n"
    )
    test = (
        "def path(): return '/you'\n"
        "class TestMe:\n    def url(self) -> str: return '/me'\n"
        "    def test_me(self, client): client.get(self.url())\n"
        "    def test_you(self, client): client.get(path())\n"
        "    def test_any(self, client, known): client.get(known())\n"
        "    def test_other(self, cache): cache.get(path())\n"
    )
    found = edges({"main.py": app, "test_me.py": test})
    assert {pair for pair in found if pair[1] in ("me", "you")} == {
        ("test_me.py::TestMe.test_me", "me"),
        ("test_me.py::TestMe.test_you", "you"),
    }
