"""What `this` is in JavaScript's functions that are bound, wrapped, borrowed or added elsewhere."""

from __future__ import annotations


def test_a_class_runs_the_function_of_another_file_that_it_extends(edges) -> None:
    found = edges(
        {
            "derived.js": "const Base = require('./made');\n"
            "class Middle extends Base {}\n"
            "class Derived extends Middle { constructor() { super(1); } init() {} }\n"
            "module.exports = Derived;\n",
            "made.js": "module.exports = Made;\nfunction Made() { this.init(); }\n"
            "Made.prototype.init = function () {};\n",
            "main.js": "const Derived = require('./derived');\nnew Derived();\n",
        }
    )
    assert ("derived.js::Derived.constructor", "made.js::Made") in found
    assert ("made.js::Made", "derived.js::Derived.init") in found
