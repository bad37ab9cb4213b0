"""Event emitters: what is emitted goes to who waits for it, and their references tell who emits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges, Project

M = "<module>"
_SHOP = (
    "import { EventEmitter } from 'node:events';\n"
    "export class Shop extends EventEmitter {\n"
    "  constructor() { super(); this.on('sold', this.count).once('open', opened); }\n"
    "  sell(item) { this.emit('sold', item); }\n"
    "  start() { this.emit('open'); }\n"
    "  other(name) { this.emit(name); }\n"
    "  count(item) { item.take(); }\n}\n"
    "function opened() {}\n"
)
_BUS = (
    "const Emitter = require('events');\nconst bus = new Emitter();\n"
    "const second = new Emitter();\n"
    "const NAMES = { done: 'done' };\nfunction heard() {}\nfunction never() {}\n"
    "bus.on(NAMES.done, heard);\nsecond.on('done', never);\n"
    "function fire() { bus.emit('done'); bus.emit('other'); }\n"
)

CASES = {
    "of a class that derives from one": (
        "shop.js",
        _SHOP,
        {
            "Shop.count": {("Shop.constructor", 3), ("Shop.sell", 4)},
            "opened": {("Shop.constructor", 3), ("Shop.start", 5)},
        },
    ),
    "of one that is made, by the name of the event": (
        "bus.js",
        _BUS,
        {"heard": {(M, 7), ("fire", 9)}, "never": {(M, 8)}},
    ),
    "of a function that inherits": (
        "old.js",
        "const util = require('util');\nfunction Old() {}\n"
        "Old.prototype.go = function go() { this.emit('x'); };\n"
        "util.inherits(Old, require('events').EventEmitter);\n"
        "function heard() {}\nnew Old().on('x', heard);\n",
        {"heard": {(M, 6), ("go", 3)}},
    ),
    "who has such methods without the library sets nothing off": (
        "own.js",
        "class Own { on() {} emit() {} }\nfunction heard() {}\n"
        "const own = new Own();\nown.on('x', heard);\nown.emit('x');\n",
        {"heard": set()},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_references(project: Project, name: str) -> None:
    path, source, expected = CASES[name]
    project.write(path, source)
    project.index("javascript")
    for function, handing in expected.items():
        context = project.call("get_function_context", function_name=function)["context"]
        found = {(item["name"], line) for item in context["references"] for line in item["lines"]}
        assert found == handing, function


def test_what_is_emitted_goes_to_who_waits(edges: Edges) -> None:
    found = edges(
        {
            "shop.js": _SHOP,
            "main.js": "import { Shop } from './shop';\nclass Item { take() {} }\n"
            "new Shop().sell(new Item());\n",
        }
    )
    assert ("shop.js::Shop.count", "Item.take") in found
    assert ("shop.js::Shop.sell", "shop.js::Shop.count") not in found
