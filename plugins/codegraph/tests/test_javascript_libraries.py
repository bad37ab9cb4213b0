"""Stores, references and injected objects of libraries that JavaScript's programs are built on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

USER = "class User { name() {} }\nclass Other { name() {} }\n"
STORE = "(set, get) => ({ user: new User(), show: () => get().user.name() })"
CASES: dict[str, tuple[str, set[str]]] = {
    "a store selects": (
        f"import {{ create }} from 'zustand';\nconst useStore = create({STORE});\n"
        "function run() { useStore((state) => state.user).name(); }\n",
        {"User.name"},
    ),
    "a store without a selector": (
        f"import create from 'zustand';\nconst useStore = create({STORE});\n"
        "function run() { const { user } = useStore(); user.name(); }\n",
        {"User.name"},
    ),
    "a store's state": (
        f"import {{ create }} from 'zustand';\nconst useStore = create()({STORE});\n"
        "function run() { useStore.getState().user.name(); }\n",
        {"User.name"},
    ),
    "a store behind middleware": (
        "import { create } from 'zustand';\n"
        "import { devtools, persist } from 'zustand/middleware';\n"
        f"const useStore = create(devtools(persist({STORE}, {{ name: 'x' }})));\n"
        "function run() { useStore((state) => state.user).name(); }\n",
        {"User.name"},
    ),
    "what a store is set to": (
        "import { createStore } from 'zustand/vanilla';\nimport { useStore } from 'zustand';\n"
        "const store = createStore((set) => ({ fill: () => set({ user: new User() }) }));\n"
        "function run() { useStore(store, (state) => state.user).name(); }\n",
        {"User.name"},
    ),
    "a reference": (
        "import { ref } from 'vue';\n"
        "function run() { const user = ref(new User()); user.value.name(); }\n",
        {"User.name"},
    ),
    "a computed reference": (
        "import { computed, reactive } from 'vue';\n"
        "function run() { const state = reactive({ user: new User() });"
        " const user = computed(() => state.user); user.value.name(); }\n",
        {"User.name"},
    ),
    "a computed reference with a setter": (
        "import * as Vue from 'vue';\n"
        "function run() { Vue.computed({ get: () => new User(), set(it) {} }).value.name(); }\n",
        {"User.name"},
    ),
    "what is watched": (
        "import { ref, watch } from 'vue';\nconst user = ref(new User());\n"
        "watch(user, function run(it, before) { it.name(); });\n",
        {"User.name"},
    ),
    "what a watched function gives": (
        "import { watch } from '@vue/reactivity';\n"
        "watch(() => new User(), function run(it) { it.name(); });\n",
        {"User.name"},
    ),
    "an injected object": (
        "import { inject } from '@angular/core';\n"
        "class Page { user = inject(User); run() { this.user.name(); } }\n",
        {"User.name"},
    ),
    "an object out of a container": (
        "import { container } from 'tsyringe';\n"
        "function run() { container.resolve(User).name(); }\n",
        {"User.name"},
    ),
    "an object and a component of Angular's test bed": (
        "import { TestBed } from '@angular/core/testing';\nclass Page { show() {} }\n"
        "function run() { TestBed.inject(User).name();\n"
        "  TestBed.createComponent(Page).componentInstance.show(); }\n",
        {"User.name", "Page.show"},
    ),
    "objects of NestJS' applications": (
        "import { NestFactory } from '@nestjs/core';\n"
        "async function run() {\n"
        "  const app = await NestFactory.create(Other); app.get(User).name(); }\n",
        {"User.name"},
    ),
    "objects of NestJS' test modules": (
        "import { Test } from '@nestjs/testing';\nclass Extra { go() {} }\n"
        "async function run() {\n"
        "  const module = await Test.createTestingModule({}).overrideProvider(Other)\n"
        "    .useValue({}).compile();\n"
        "  (await module.resolve(User)).name();\n"
        "  module.createNestApplication().get(Extra).go(); }\n",
        {"User.name", "Extra.go"},
    ),
    "each of a collection, which lodash hands to a function": (
        "const _ = require('lodash'), all = { one: new User() };\n"
        "_.each(all, function run(it) { it.name(); });\n",
        {"User.name"},
    ),
    "what underscore finds among what it has mapped": (
        "import { find, map } from 'underscore';\n"
        "function run() { find(map([1], () => new User()), Boolean).name(); }\n",
        {"User.name"},
    ),
    "what is kept in a copy of an object that nobody knows, with defaults": (
        "const _ = { defaults: require('lodash/defaults'), clone: require('lodash/clone') };\n"
        "class Prompt {\n"
        "  constructor(given) {\n"
        "    this.options = _.defaults(_.clone(given), { user: new User() });\n"
        "    this.options.other = new Other();\n  }\n"
        "  run() { this.options.user.name(); this.options.other.name(); }\n}\n"
        "exports.Prompt = Prompt;\n",
        {"User.name", "Other.name"},
    ),
    "a copy of an object of a class, and of a list": (
        "import { cloneDeep, pick } from 'lodash';\nconst all = [new User()];\n"
        "const some = { other: new Other(), user: 1 };\n"
        "function run() { cloneDeep(all)[0].name(); pick(some, ['other']).other.name(); }\n",
        {"User.name", "Other.name"},
    ),
    "names in a list, under which lodash lets methods be added": (
        "import forEach from 'lodash/forEach';\n"
        "forEach(['show'], function (key) { User.prototype[key] = function shown() {}; });\n"
        "function run() { new User().show(); }\n",
        {"<lambda1>.shown"},
    ),
    "a receiver that bluebird's promises are bound to": (
        "const Promise = require('bluebird');\nfunction load() { return Promise.resolve(1); }\n"
        "User.prototype.start = function () {\n"
        "  return load().bind(this).then(function () {}).catch(function run() { this.name(); });\n"
        "};\nnew User().start();\n",
        {"User.name"},
    ),
    "what bluebird's promises hand on and spread": (
        "const Promise = require('bluebird');\n"
        "Promise.all([new Other(), new User()]).tap(function () { return 1; })"
        ".spread(function run(other, user) { user.name(); });\n",
        {"User.name"},
    ),
    "what a module wraps once and functions call": (
        "import { cache } from 'react';\nimport { unstable_cache } from 'next/cache';\n"
        "import { subscribe, connect } from 'lib';\n"
        "const one = cache(() => new User()), two = unstable_cache(function load() {}, ['x']);\n"
        "const three = connect(function state() {})(function shown() {});\n"
        "function run() { one().name(); two(); three();\n"
        "  const stop = subscribe(function told() {}); stop(); }\n",
        {"<lambda1>", "User.name", "load", "shown"},
    ),
    "functions of the project's own": (
        "import { ref, create, inject } from './own';\n"
        "function run() { ref(new User()).value.name(); inject(User).name(); }\n",
        set(),
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES)
def test_libraries(source: str, expected: set[str], edges: Edges) -> None:
    found = edges(USER + source, suffix=".js")
    assert {callee for caller, callee in found if caller.endswith("run")} == expected
