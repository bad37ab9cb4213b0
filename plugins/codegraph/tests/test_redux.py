"""Redux Toolkit: slices, thunks, selectors, and who dispatches or selects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

_OPEN = (
    "import { createSlice, createAsyncThunk, createSelector, configureStore }"
    " from '@reduxjs/toolkit';\n"
    "import { useDispatch, useSelector } from 'react-redux';\nfunction done() {}\n"
)

CASES = {
    "an action leads to the reducer of its slice": (
        "class Name { trim() {} }\n"
        "const slice = createSlice({ name: 'user', initialState: {}, reducers: {\n"
        "  setName(state, action) { action.payload.trim(); },\n"
        "  add: { reducer: (state) => done(), prepare: (x) => x.trim() } } });\n"
        "export const { setName, add } = slice.actions;\n"
        "function use(dispatch) { dispatch(setName(new Name())); }\n"
        "function other() { return slice.actions.add(new Name()); }\n",
        {
            ("use", "setName"),
            ("setName", "trim"),
            ("other", "reducer"),
            ("other", "prepare"),
            ("reducer", "done"),
            ("prepare", "trim"),
        },
    ),
    "thunks are called for who dispatches them": (
        "const load = createAsyncThunk('load', async function fetch(id, { dispatch }) {\n"
        "  dispatch(later(id)); });\n"
        "const later = (id) => function run(dispatch) { dispatch(last); };\n"
        "function last() { done(); }\n"
        "const store = configureStore({ reducer: {} });\n"
        "export function use() { const dispatch = useDispatch(); dispatch(load(1)); }\n"
        "export function other() { store.dispatch(last); }\n",
        {
            ("use", "fetch"),
            ("fetch", "later"),
            ("fetch", "run"),
            ("run", "last"),
            ("last", "done"),
            ("other", "last"),
        },
    ),
    "hooks of the project's own": (
        "const useAppDispatch = () => useDispatch();\n"
        "const useTyped = useDispatch.withTypes(), useAppSelector = useSelector.withTypes();\n"
        "function last() {}\nfunction pick(state) { done(); }\n"
        "export function one() { useAppDispatch()(last); }\n"
        "export function two() { useTyped()(last); useAppSelector(pick); }\n",
        {
            ("one", "useAppDispatch"),
            ("one", "last"),
            ("two", "last"),
            ("two", "pick"),
            ("pick", "done"),
        },
    ),
    "selectors, and those that are made of others": (
        "class Item { go() {} }\nfunction items(state) { return [new Item()]; }\n"
        "function all(state) { return 1; }\n"
        "function combine(found) { found.forEach((it) => it.go()); }\n"
        "const some = createSelector(items, combine);\n"
        "const more = createSelector([items, all], (a, b) => done());\n"
        "export function use() { useSelector(all); useSelector(some); }\n"
        "export function direct(state) { more(state); }\n",
        {
            ("use", "all"),
            ("use", "items"),
            ("use", "combine"),
            ("combine", "<lambda1>"),
            ("<lambda1>", "go"),
            ("<lambda1>", "done"),
            ("direct", "items"),
            ("direct", "all"),
            ("direct", "<lambda1>"),
        },
    ),
    "functions of the same names are the project's": (
        "function createThing(options) { return options; }\n"
        "const thing = createThing({ reducers: { setName() {} } });\n"
        "function use(dispatch) { dispatch(thing.actions.setName); }\n",
        {("<module>", "createThing")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_resolves(edges: Edges, name: str) -> None:
    source, expected = CASES[name]
    found = edges(_OPEN + source, suffix=".js")
    assert {tuple(end.rpartition(".")[2] for end in pair) for pair in found} == expected
