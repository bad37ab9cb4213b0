"""Tests of Jest and Vitest: tables of tests, and what mocks are made of."""

from __future__ import annotations

import pytest

_OPEN = "function make() { return { go() {} }; }\nfunction other() {}\n"

CASES = {
    "rows of several values": (
        "describe('a', () => { it.each([[1, make], [2, other]])('%s', (n, build) => build()); });\n"
        "test.only.each([[1, make]])('b', function one(n, build) { build(); });\n",
        {("<lambda1>", "make"), ("<lambda1>", "other"), ("one", "make")},
    ),
    "single values, and objects": (
        "import { test, describe } from 'vitest';\ntest.each([make, other])('a', (it) => it());\n"
        "describe.each([{ build: make }])('b', ({ build }) => { test('c', () => build()); });\n",
        {("<lambda1>", "make"), ("<lambda1>", "other"), ("<lambda1>", "make")},
    ),
    "a table that has a name": (
        "const table = [[make]];\nit.each(table)('a', (build) => build().go());\n",
        {("<lambda1>", "make"), ("<lambda1>", "go")},
    ),
    "functions of mocks": (
        "import { vi } from 'vitest';\nfunction run(call) { call(); }\n"
        "run(vi.fn(make));\nrun(jest.fn(other));\nrun(vi.fn());\n",
        {("<module>", "run"), ("run", "make"), ("run", "other")},
    ),
    "a project's own names are its own": (
        "const it = { each: (table) => (name, f) => f() };\n"
        "it.each([make])('a', (build) => build && build());\n",
        {("<module>", "each"), ("<module>", "<lambda1>"), ("<lambda1>", "<lambda1>")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges, name: str) -> None:
    source, expected = CASES[name]
    found = {
        tuple(end.rpartition(".")[2] for end in pair)
        for pair in edges(_OPEN + source, suffix=".js")
    }
    assert found == expected
