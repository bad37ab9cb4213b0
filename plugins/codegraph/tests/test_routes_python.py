"""Routes of Python's frameworks behind the prefixes that they are mounted at."""

from __future__ import annotations


def test_routers_of_fastapi_behind_the_prefixes_they_are_included_with(told) -> None:
    files = {
        "app/main.py": (
            "from fastapi import FastAPI\nfrom app import admin\nfrom app.api import api\n"
            "def register(app): app.include_router(api, prefix='/api')\n"
            "app = FastAPI()\nregister(app)\napp.include_router(admin.router, prefix='/admin')\n"
            "@app.get('/health')\ndef health(): pass\n"
        ),
        "app/api.py": (
            "from fastapi import APIRouter\nfrom app import items, users\napi = APIRouter()\n"
            "api.include_router(users.router, prefix='/users')\n"
            "api.include_router(items.Items().router)\n"
        ),
        "app/users.py": (
            "from fastapi import APIRouter\nrouter = APIRouter()\n"
            "@router.get('/{user}')\ndef read(user): pass\n"
            "@router.websocket('/{user}/chat')\ndef chat(user): pass\n"
        ),
        "app/admin.py": (
            "from fastapi import APIRouter\nrouter = APIRouter(prefix='/users')\n"
            "@router.get('/{user}')\ndef admin(user): pass\n"
        ),
        "app/items.py": (
            "from fastapi import APIRouter\nclass Items:\n    def __init__(self):\n"
            "        self.router = APIRouter(prefix='/items')\n"
            "        self.router.add_api_route('/new', self.start, methods=['POST'])\n"
            "        self.router.add_api_route('/new', self.show, methods=['GET'])\n"
            "    def start(self): pass\n    def show(self): pass\n"
        ),
        "tests/test_app.py": (
            "from fastapi.testclient import TestClient\nfrom app.main import app\n"
            "client = TestClient(app)\nbased = TestClient(app, base_url='http://test/api')\n"
            "BASE = '/api/users'\n"
            "def a(): client.get('/api/users/7')\ndef b(): client.get('/admin/users/7')\n"
            "def c(): client.get('/other/users/7')\ndef d(): client.get('/users/7')\n"
            "def e(): client.request('POST', '/api/items/new')\ndef f(): based.get('/items/new')\n"
            "def g(): client.get(f'{BASE}/7')\ndef h(): client.get('/health')\n"
            "def i(): client.websocket_connect('/api/users/7/chat')\n"
            "def j(): client.get(unknown + '/users/7')\n"
        ),
    }
    assert told(files, "tests/test_app.py") == {
        "a": {"read"}, "b": {"admin"}, "e": {"Items.start"}, "f": {"Items.show"}, "g": {"read"},
        "h": {"health"}, "i": {"chat"}, "j": {"read", "admin"},
    }  # fmt: skip


def test_blueprints_of_flask_and_their_views_that_are_classes(told) -> None:
    files = {
        "blog.py": (
            "from flask import Blueprint, Flask\nfrom flask.views import MethodView\n"
            "from flask_restful import Api, Resource\n"
            "posts = Blueprint('posts', __name__, url_prefix='/ignored')\n"
            "api = Blueprint('api', __name__)\n"
            "notes = Blueprint('n', __name__, url_prefix='/notes')\n"
            "@posts.route('/', methods=['GET'])\ndef index(): pass\n"
            "@posts.route('/', methods=['POST'])\ndef create(): pass\n"
            "class Note(MethodView):\n    def get(self, id): pass\n    def delete(self, id): pass\n"
            "notes.add_url_rule('/<int:id>', view_func=Note.as_view('note'))\n"
            "def create_app():\n    app = Flask(__name__)\n"
            "    app.register_blueprint(posts, url_prefix='/posts')\n"
            "    api.register_blueprint(notes)\n"
            "    app.register_blueprint(api, url_prefix='/api')\n"
            "    rest = Api(app, prefix='/rest')\n"
            "    rest.add_resource(Todo, '/todos/<id>', '/todo')\n"
            "    return app\n"
            "class Todo(Resource):\n    def put(self, id): pass\n"
        ),
        "test_blog.py": (
            "def a(client): client.get('/posts/')\ndef b(client): client.post('/posts/')\n"
            "def c(client): client.get('/ignored/')\ndef d(client): client.delete('/api/notes/1')\n"
            "def e(client): client.get('/notes/1')\ndef f(client): client.put('/rest/todos/1')\n"
            "def g(client): client.get(url_for('posts.create'))\n"
        ),
    }
    assert told(files, "test_blog.py") == {
        "a": {"index"}, "b": {"create"}, "d": {"Note.delete"}, "f": {"Todo.put"}, "g": {"create"},
    }  # fmt: skip


def test_urls_of_django_that_include_modules_and_lists(told) -> None:
    files = {
        "site/urls.py": (
            "from django.urls import include, path\nfrom shop.views import one, two, three\n"
            "extra = [path('one/', one), path('shop/', include('shop.urls'))]\n"
            "urlpatterns = [path('extra/', include(extra)),\n"
            "    path('archive/', include(('archive.urls', 'archive'), namespace='old')),\n"
            "    path('help/', include([path('two/', two)]))]\n"
        ),
        "shop/urls.py": (
            "from django.urls import path\nfrom shop.views import three\n"
            "urlpatterns = [path('<int:id>/', three, name='three')]\n"
        ),
        "archive/urls.py": (
            "from django.urls import re_path\nfrom shop.views import year\napp_name = 'archive'\n"
            "urlpatterns = [re_path(r'^(?P<year>[0-9]{4})/$', year, name='year')]\n"
        ),
        "shop/views.py": "".join(
            f"def {name}(request): pass\n" for name in ("one", "two", "three", "year")
        ),
        "shop/tests.py": (
            "from django.urls import reverse\n"
            "def a(client): client.get('/extra/one/')\ndef b(client): client.get('/one/')\n"
            "def c(client): client.get('/extra/shop/5/')\ndef d(client): client.get('/help/two/')\n"
            "def e(client): client.get('/archive/2005/')\n"
            "def f(client):\n    url = reverse('old:year', args=[2005])\n    client.get(url)\n"
            "def g(client): client.get(reverse('other:year', args=[2005]))\n"
        ),
    }
    assert told(files, "shop/tests.py") == {
        "a": {"one"}, "c": {"three"}, "d": {"two"}, "e": {"year"}, "f": {"year"},
    }  # fmt: skip


def test_routers_of_rest_framework_with_the_actions_of_view_sets(told) -> None:
    files = {
        "urls.py": (
            "from django.urls import include, path\nfrom rest_framework import routers\n"
            "from views import Teams, UserViewSet\nrouter = routers.DefaultRouter()\n"
            "router.register(r'users', UserViewSet)\n"
            "router.register('groups', Teams, basename='team')\n"
            "urlpatterns = [path('api/', include(router.urls))]\n"
        ),
        "views.py": (
            "from rest_framework import viewsets\nfrom rest_framework.decorators import action\n"
            "class UserViewSet(viewsets.ModelViewSet):\n"
            "    def perform_create(self, serializer): pass\n    def retrieve(self, pk): pass\n"
            "    @action(detail=True, methods=['post'])\n    def set_password(self, pk): pass\n"
            "    @action(detail=False, url_path='recent-ones')\n    def recent(self): pass\n"
            "class Teams(viewsets.ViewSet):\n"
            "    def list(self): pass\n    def destroy(self): pass\n"
        ),
        "tests/test_users.py": (
            "from django.urls import reverse\n"
            "def a(client): client.post('/api/users/')\n"
            "def b(client): client.get(reverse('user-detail', args=[1]))\n"
            "def c(client): client.post('/api/users/1/set_password/')\n"
            "def d(client): client.get('/api/users/recent-ones/')\n"
            "def e(client): client.get(reverse('team-list'))\n"
            "def f(client): client.delete('/api/groups/3/')\n"
            "def g(client): client.post(reverse('user-set-password', args=[1]))\n"
            "def h(client): client.post('/users/1/set_password/')\n"
        ),
    }
    assert told(files, "tests/test_users.py") == {
        "a": {"UserViewSet.perform_create"}, "b": {"UserViewSet.retrieve"},
        "c": {"UserViewSet.set_password"}, "d": {"UserViewSet.recent"}, "e": {"Teams.list"},
        "f": {"Teams.destroy"}, "g": {"UserViewSet.set_password"},
    }  # fmt: skip


def test_lists_of_routes_of_starlette_and_what_is_mounted_in_them(told) -> None:
    files = {
        "app.py": (
            "from starlette.applications import Starlette\n"
            "from starlette.routing import Mount, Route, Router\n"
            "def home(request): pass\ndef users(request): pass\ndef user(request): pass\n"
            "def admin(request): pass\n"
            "of_users = [Route('/', users), Route('/{id:int}', user)]\n"
            "inner = Router(routes=[Route('/users/{id:int}', admin)])\n"
            "app = Starlette(routes=[Route('/', home), Mount('/users', routes=of_users),\n"
            "    Mount('/admin', app=inner),\n"
            "    Mount('/v1', routes=[Mount('/x', routes=of_users)])])\n"
        ),
        "test_app.py": (
            "import app\n"
            "def a(client): client.get('/')\ndef b(client): client.get('/users/1')\n"
            "def c(client): client.get('/users/')\ndef d(client): client.get('/admin/users/1')\n"
            "def e(client): client.get('/v1/x/1')\ndef f(client): client.get('/x/users/1')\n"
        ),
    }
    assert told(files, "test_app.py") == {
        "a": {"home"}, "b": {"user"}, "c": {"users"}, "d": {"admin"}, "e": {"user"},
    }  # fmt: skip


def test_routes_of_aiohttp_sanic_falcon_tornado_and_litestar(told) -> None:
    files = {
        "a/web.py": (
            "from aiohttp import web\nroutes = web.RouteTableDef()\n"
            "@routes.view('/thing')\nclass Thing(web.View):\n    def post(self): pass\n"
            "def show(request): pass\ndef put_in(request): pass\ndef sub(request): pass\n"
            "def make():\n    app, inner = web.Application(), web.Application()\n"
            "    app.add_routes(routes)\n    app.router.add_get('/show/{name}', show)\n"
            "    app.add_routes([web.post('/store', put_in)])\n"
            "    inner.router.add_route('GET', '/sub', sub)\n    app.add_subapp('/inner', inner)\n"
        ),
        "a/test_web.py": (
            "def a(cli): cli.post('/thing')\ndef b(cli): cli.get('/show/x')\n"
            "def c(cli): cli.post('/store')\ndef d(cli): cli.get('/inner/sub')\n"
            "def e(cli): cli.get('/sub')\n"
        ),
        "s/web.py": (
            "from sanic import Blueprint, Sanic\napp = Sanic('x')\n"
            "bp = Blueprint('items', url_prefix='/items')\n"
            "@bp.get('/<item:int>')\ndef item(request, item): pass\ndef about(request): pass\n"
            "app.add_route(about, '/about')\napp.blueprint(bp)\n"
        ),
        "s/test_web.py": (
            "def a(app): app.test_client.get('/items/1')\n"
            "def b(app): app.test_client.get('/about')\n"
        ),
        "f/web.py": (
            "import falcon\nclass Quote:\n    def on_get(self, req, resp): pass\n"
            "app = falcon.App()\napp.add_route('/quote', Quote())\n"
        ),
        "f/test_web.py": "def a(client): client.simulate_get('/quote')\n",
        "t/web.py": (
            "import tornado.web\nclass Story(tornado.web.RequestHandler):\n"
            "    def post(self, story): pass\n"
            "app = tornado.web.Application([(r'/story/([0-9]+)', Story)])\n"
        ),
        "t/test_web.py": "def a(case): case.fetch('/story/3', method='POST')\n",
        "l/web.py": (
            "from litestar import Controller, Litestar, Router, get\n"
            "@get('/books/{book:int}')\ndef book(book): pass\n"
            "class Cats(Controller):\n    path = '/cats'\n"
            "    @get('/{cat:int}')\n    def cat(self, cat): pass\n"
            "api = Router(path='/api', route_handlers=[book, Cats])\n"
            "app = Litestar(route_handlers=[api])\n"
        ),
        "l/test_web.py": (
            "def a(client): client.get('/api/books/1')\ndef b(client): client.get('/api/cats/1')\n"
        ),
    }
    expected = {
        "a": {"a": {"Thing.post"}, "b": {"show"}, "c": {"put_in"}, "d": {"sub"}},
        "s": {"a": {"item"}, "b": {"about"}},
        "f": {"a": {"Quote.on_get"}},
        "t": {"a": {"Story.post"}},
        "l": {"a": {"book"}, "b": {"Cats.cat"}},
    }
    for directory, callees in expected.items():
        assert told(files, f"{directory}/test_web.py") == callees, directory


def test_a_class_of_the_program_that_is_called_a_client_asks_for_routes(told) -> None:
    files = {
        "app.py": (
            "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/x')\ndef show(): pass\n"
        ),
        "test_app.py": (
            "from starlette.testclient import TestClient\n"
            "class AppClient(TestClient):\n    def log_in(self): pass\n"
            "class Table:\n    def get(self, key): pass\n"
            "def a(): AppClient().get('/x')\ndef b(): Table().get('/x')\n"
        ),
    }
    found = told(files, "test_app.py")
    assert found == {"a": {"show"}, "b": {"Table.get"}}


def test_a_client_of_an_app_comes_to_the_routes_of_that_app_alone(told) -> None:
    files = {
        "test_apps.py": (
            "from fastapi import APIRouter, FastAPI\nfrom fastapi.testclient import TestClient\n"
            "one, two, inner = FastAPI(), FastAPI(), APIRouter()\ntwo.mount('/sub', one)\n"
            "@one.get('/x')\ndef first(): pass\n@two.get('/x')\ndef second(): pass\n"
            "@inner.get('/y')\ndef third(): pass\n"
            "client = TestClient(one)\n"
            "def a(): client.get('/x')\ndef b(): TestClient(two).get('/x')\n"
            "def c(): TestClient(two).get('/sub/x')\ndef d(): client.get('/sub/x')\n"
            "def e(): client.get('/y')\n"
        )
    }
    expected = {"a": {"first"}, "b": {"second"}, "c": {"first"}, "e": {"third"}}
    assert told(files, "test_apps.py") == expected


def test_a_path_that_says_nothing_is_that_of_an_app_that_the_test_uses(edges) -> None:
    app = (
        "from starlette.routing import Route\ndef show(request): pass\n"
        "routes = [Route('/', show)]\n"
    )
    files = {
        "bench/app.py": app,
        "site/app.py": app,
        "tests/conftest.py": "from site.app import routes\n",
        "tests/test_app.py": "def a(client): client.get('/')\n",
    }
    found = edges(files)
    assert ("tests/test_app.py::a", "site/app.py::show") in found
    assert ("tests/test_app.py::a", "bench/app.py::show") not in found


def test_a_path_of_which_nothing_is_known_is_that_of_no_route(edges) -> None:
    source = (
        "from flask import Flask\napp = Flask('x')\n@app.route('/')\ndef index(): pass\n"
        "def make(app, base):\n    app.add_url_rule(f'{base}/<path:name>', view_func=send)\n"
        "def send(name): pass\n"
        "def a(client, path): client.get(path); client.get('/other'); client.get(f'http://{path}')\n"
    )
    assert edges({"test_app.py": source}) == set()
