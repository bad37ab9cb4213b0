"""Routes of JavaScript's frameworks behind the prefixes that they are mounted at."""

from __future__ import annotations


def test_routers_of_express_that_are_mounted_in_one_another(told) -> None:
    files = {
        "app.js": (
            "const express = require('express');\nconst api = require('./routes');\n"
            "const app = express();\napp.use(express.json());\napp.use('/api', api);\n"
            "app.use('/admin', check, require('./routes/admin'));\n"
            "app.route('/books').get(books).post(book);\n"
            "function check(req, res, next) {}\nfunction books() {}\nfunction book() {}\n"
            "module.exports = app;\n"
        ),
        "routes/index.js": (
            "const { Router } = require('express');\nconst router = Router();\n"
            "router.use('/users', require('./users'));\nmodule.exports = router;\n"
        ),
        "routes/users.js": (
            "const router = require('express').Router();\nrouter.get('/:id', show);\n"
            "router.route('/').post(create);\nfunction show() {}\nfunction create() {}\n"
            "module.exports = router;\n"
        ),
        "routes/admin.js": (
            "const router = require('express').Router();\nrouter.get('/users/:id', admin);\n"
            "function admin() {}\nmodule.exports = router;\n"
        ),
        "app.test.js": (
            "const request = require('supertest');\nconst app = require('./app');\n"
            "const a = () => request(app).get('/api/users/1');\n"
            "const b = () => request(app).get('/admin/users/1');\n"
            "const c = () => request(app).post('/api/users');\n"
            "const d = () => request(app).post('/books');\n"
            "const e = () => request(app).get('/other/users/1');\n"
            "const f = () => request(app).get('/users/1');\n"
        ),
    }
    assert told(files, "app.test.js") == {
        "a": {"show"}, "b": {"check", "admin"}, "c": {"create"}, "d": {"book"},
    }  # fmt: skip


def test_clients_with_a_path_of_their_own(told) -> None:
    files = {
        "server.ts": (
            "import express, { Router } from 'express';\n"
            "function build() { const router = Router(); router.get('/:id', show).delete('/:id', "
            "drop); return router; }\nfunction show() {}\nfunction drop() {}\n"
            "class Server {\n  constructor() {\n    const app = express();\n"
            "    app.use('/v2/orders', build());\n    app.get('/status', this.status.bind(this));\n"
            "  }\n  status() {}\n}\n"
        ),
        "client.ts": (
            "import axios from 'axios';\nconst api = axios.create({ baseURL: '/v2' });\n"
            "const other = axios.create({ baseURL: process.env.API });\n"
            "const a = (id) => api.get(`/orders/${id}`);\n"
            "const b = (id) => other.delete('/orders/' + id);\nconst c = () => fetch('/status');\n"
            "const d = (id) => fetch(`/v2/orders/${id}`, { method: 'DELETE' });\n"
            "const e = () => axios({ url: '/v2/orders/1', method: 'delete' });\n"
        ),
    }
    assert told(files, "client.ts") == {
        "a": {"show"}, "b": {"drop"}, "c": {"Server.status"}, "d": {"drop"}, "e": {"drop"},
    }  # fmt: skip


def test_routers_of_koa_hono_and_elysia(told) -> None:
    files = {
        "k/app.js": (
            "const Koa = require('koa');\nconst Router = require('@koa/router');\n"
            "const app = new Koa(), root = new Router();\n"
            "const posts = new Router({ prefix: '/posts' });\n"
            "posts.get('/', list).get('/:id', show);\n"
            "root.use('/api', posts.routes(), posts.allowedMethods());\napp.use(root.routes());\n"
            "async function list() {}\nasync function show() {}\nmodule.exports = app;\n"
        ),
        "k/app.test.js": (
            "const app = require('./app');\nconst a = () => request(app).get('/api/posts/1');\n"
            "const b = () => request(app).get('/api/posts');\n"
        ),
        "h/books.ts": (
            "import { Hono } from 'hono';\nconst app = new Hono();\n"
            "app.get('/:id', one).post('/', create);\nfunction one() {}\nfunction create() {}\n"
            "export default app;\n"
        ),
        "h/app.ts": (
            "import { Hono } from 'hono';\nimport books from './books';\nconst app = new Hono();\n"
            "app.route('/books', books);\nconst v1 = app.basePath('/v1');\nv1.get('/me', me);\n"
            "function me() {}\nexport default app;\n"
        ),
        "h/app.test.ts": (
            "import app from './app';\nconst a = () => app.request('/books/1');\n"
            "const b = () => app.request('/books', { method: 'POST' });\n"
            "const c = () => app.request('/v1/me');\nconst d = () => app.request('/x/1');\n"
        ),
        "e/app.ts": (
            "import { Elysia } from 'elysia';\nfunction cat() {}\nfunction dog() {}\n"
            "const cats = new Elysia({ prefix: '/cats' }).get('/:id', cat);\n"
            "new Elysia().use(cats).group('/dogs', (app) => app.get('/:id', dog)).listen(80);\n"
        ),
        "e/web.ts": (
            "const a = () => fetch('http://localhost/cats/1');\n"
            "const b = () => fetch('http://localhost/dogs/1');\n"
        ),
    }
    assert told(files, "k/app.test.js") == {"a": {"show"}, "b": {"list"}}
    assert told(files, "h/app.test.ts") == {"a": {"one"}, "b": {"create"}, "c": {"me"}}
    assert told(files, "e/web.ts") == {"a": {"cat"}, "b": {"dog"}}


def test_plugins_of_fastify_behind_their_prefixes(told) -> None:
    files = {
        "app.js": (
            "import Fastify from 'fastify';\nimport users from './users.js';\n"
            "export function build() {\n  const app = Fastify();\n"
            "  app.register(users, { prefix: '/users' });\n"
            "  app.register(async function (api) {\n"
            "    api.register(things, { prefix: '/things' });\n"
            "    api.route({ method: 'POST', url: '/orders', handler: order });\n"
            "  }, { prefix: '/api' });\n  return app;\n}\n"
            "async function things(app) { app.get('/:id', { handler: thing }); }\n"
            "async function thing() {}\nasync function order() {}\n"
        ),
        "users.js": (
            "export default async function (fastify) { fastify.get('/:id', user); }\n"
            "async function user() {}\n"
        ),
        "app.test.js": (
            "const a = (app) => app.inject({ method: 'GET', url: '/users/1' });\n"
            "const b = (app) => app.inject({ method: 'GET', url: '/api/things/1' });\n"
            "const c = (app) => app.inject({ url: '/api/orders', method: 'POST' });\n"
            "const d = (app) => app.inject().get('/users/1');\n"
            "const e = (app) => app.inject({ method: 'GET', url: '/things/1' });\n"
        ),
    }
    assert told(files, "app.test.js") == {
        "a": {"user"}, "b": {"thing"}, "c": {"order"}, "d": {"user"},
    }  # fmt: skip


def test_controllers_of_nest(told) -> None:
    files = {
        "cats.ts": (
            "import { Controller, Get, Post, Put } from '@nestjs/common';\n"
            "@Controller('cats')\nexport class Cats {\n  @Get() all() {}\n  @Get(':id') one() {}\n"
            "  @Post() create() {}\n  @Put(':id/toys/:toy') give() {}\n}\n"
            "@Controller({ path: 'dogs' })\nclass Dogs { @Get(':id') dog() {} }\n"
        ),
        "app.spec.ts": (
            "const a = (app) => request(app).get('/cats');\n"
            "const b = (app) => request(app).get('/cats/1');\n"
            "const c = (app) => request(app).post('/cats');\n"
            "const d = (app) => request(app).put('/cats/1/toys/2');\n"
            "const e = (app) => request(app).get('/dogs/2');\n"
            "const f = (app) => request(app).get('/birds/2');\n"
        ),
    }
    assert told(files, "app.spec.ts") == {
        "a": {"Cats.all"}, "b": {"Cats.one"}, "c": {"Cats.create"}, "d": {"Cats.give"},
        "e": {"Dogs.dog"},
    }  # fmt: skip


def test_files_of_next_and_svelte_kit_that_are_routes(told) -> None:
    files = {
        "app/api/users/route.ts": "export async function GET() {}\nexport const POST = () => {};\n",
        "app/(shop)/api/files/[...path]/route.ts": "export function GET() {}\n",
        "pages/api/hello.ts": "export default function hello() {}\n",
        "pages/api/posts/index.js": "module.exports = function posts() {};\n",
        "src/routes/sums/[id]/+server.js": "export function PUT() {}\n",
        "web.ts": (
            "const a = () => fetch('/api/users');\n"
            "const b = () => fetch('/api/users', { method: 'POST' });\n"
            "const c = () => fetch('/api/files/a/b');\nconst d = () => fetch('/api/hello');\n"
            "const e = () => fetch('/api/posts');\n"
            "const f = (id) => fetch(`/sums/${id}`, { method: 'PUT' });\n"
        ),
    }
    assert told(files, "web.ts") == {
        "a": {"GET"}, "b": {"POST"}, "c": {"GET"}, "d": {"hello"}, "e": {"posts"}, "f": {"PUT"},
    }  # fmt: skip
