"""React's hooks, contexts and wrappers: what goes into the library comes out where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Edges

CASES: dict[str, tuple[str, set[tuple[str, str]]]] = {
    "a callback that is kept is the function": (
        "import { useCallback } from 'react';\n"
        "function Page() { const save = useCallback(() => store(), []);"
        " return <Form onSubmit={save}/>; }\n"
        "function Form({ onSubmit }) { onSubmit(); }\nfunction store() {}\n",
        {("Page", "Form"), ("Form", "Page.save"), ("Page.save", "store")},
    ),
    "what a context provides is what is used": (
        "import React, { useContext } from 'react';\n"
        "const Context = React.createContext({ log: quiet });\n"
        "function App() { return <Context.Provider value={{ log }}><Child/></Context.Provider>; }\n"
        "function Child() { useContext(Context).log(); }\nfunction log() {}\nfunction quiet() {}\n",
        {("App", "Child"), ("Child", "log"), ("Child", "quiet")},
    ),
    "a consumer shows what is provided": (
        "import { createContext } from 'react';\nconst Context = createContext(null);\n"
        "const app = () => <Context value={{ log }}>"
        "<Context.Consumer>{(it) => it.log()}</Context.Consumer></Context>;\nfunction log() {}\n",
        {("app.<lambda1>", "log")},
    ),
    "a state is what it was first and what it is set to": (
        "import { useState } from 'react';\n"
        "function Page() {\n  const [it, setIt] = useState(() => first());\n"
        "  const change = () => { setIt((old) => next(old)); setIt({ go: last }); };\n"
        "  it.go();\n  return <b onClick={change}/>;\n}\n"
        "function first() { return { go: one }; }\n"
        "function next(old) { old.go(); return { go: two }; }\n"
        "function one() {}\nfunction two() {}\nfunction last() {}\n",
        {
            ("Page.<lambda1>", "first"), ("Page.change.<lambda1>", "next"),
            *((caller, callee) for caller in ("Page", "next") for callee in ("one", "two", "last")),
        },
    ),
    "a reducer gets what is dispatched": (
        "import * as React from 'react';\n"
        "const reduce = (state, action) => ({ ...state, ...action.make() });\n"
        "function Page() { const [state, dispatch] = React.useReducer(reduce, { go: one });\n"
        "  state.go();\n  dispatch({ make: () => ({ go: two }) }); }\n"
        "function one() {}\nfunction two() {}\n",
        {("reduce", "Page.make"), ("Page", "one"), ("Page", "two")},
    ),
    "a ref holds what it is given, and a handle": (
        "import { forwardRef, useImperativeHandle, useMemo, useRef } from 'react';\n"
        "const Input = forwardRef((properties, ref) => {\n"
        "  useImperativeHandle(ref, () => ({ focus() {} }));\n});\n"
        "function Page() {\n  const input = useRef(null), count = useRef({ next });\n"
        "  const table = useMemo(() => ({ find }), []);\n"
        "  input.current.focus(); count.current.next(); table.find();\n"
        "  return <Input ref={input}/>;\n}\nfunction next() {}\nfunction find() {}\n",
        {("Page", "Input"), ("Page", "Input.<lambda1>.focus"), ("Page", "next"), ("Page", "find")},
    ),
    "what wraps a component shows it": (
        "import { memo } from 'react';\nimport { connect } from 'react-redux';\n"
        "import { observer } from 'mobx-react';\n"
        "const One = memo(() => null);\nconst Two = observer(() => null);\n"
        "function List() {}\nclass Panel {}\n"
        "const Three = connect((state) => state)(List), Four = observer(Panel);\n"
        "const app = () => <One><Two/><Three/><Four/></One>;\n",
        {("app", "One"), ("app", "Two"), ("app", "List")},
    ),
    "elements that are made by calls": (
        "import { createElement } from 'react';\nimport { jsx as _jsx } from 'react/jsx-runtime';\n"
        "function Row({ onPick, children }) { onPick(); children(); }\n"
        "const one = () => createElement(Row, { onPick: a }, () => b());\n"
        "const two = () => _jsx(Row, { onPick: c, children: () => d() });\n"
        "function a() {}\nfunction b() {}\nfunction c() {}\nfunction d() {}\n",
        {
            ("one", "Row"), ("two", "Row"), ("Row", "a"), ("Row", "c"),
            ("Row", "one.<lambda1>"), ("Row", "two.children"),
            ("one.<lambda1>", "b"), ("two.children", "d"),
        },
    ),
    "Preact's are the same": (
        "import { useCallback } from 'preact/hooks';\n"
        "function Page() { useCallback(() => store(), [])(); }\nfunction store() {}\n",
        {("Page", "Page.<lambda1>"), ("Page.<lambda1>", "store")},
    ),
    "hooks of others that give a function back": (
        "import { useCallback } from '@wordpress/element';\n"
        "import useLatestCallback from 'use-latest-callback';\n"
        "import { useEvent } from '@wordpress/compose';\n"
        "const useSave = () => useCallback(() => one(), []);\n"
        "function Page() { const save = useSave(); save(); useLatestCallback(two)();\n"
        "  useEvent(three)(); }\nfunction one() {}\nfunction two() {}\nfunction three() {}\n",
        {
            ("Page", "useSave"), ("Page", "useSave.<lambda1>"), ("useSave.<lambda1>", "one"),
            ("Page", "two"), ("Page", "three"),
        },
    ),
    "components that are classes are rendered": (
        "import { Component, createElement } from 'react';\n"
        "class Panel extends Component { render() { return this.body(); } body() {}\n"
        "  componentDidMount() { this.load(); } load() {} }\n"
        "class Wide extends Panel { constructor() { super(); } body() {} }\n"
        "function Row() { return <Panel/>; }\nconst app = () => <Row/>;\n"
        "const wide = () => createElement(Wide);\nfunction plain() { new Panel(); }\n",
        {
            ("app", "Row"), ("Row", "Panel.render"), ("wide", "Panel.render"),
            ("wide", "Wide.constructor"), ("Panel.render", "Panel.body"),
            ("Panel.render", "Wide.body"), ("Row", "Panel.componentDidMount"),
            ("wide", "Panel.componentDidMount"), ("Panel.componentDidMount", "Panel.load"),
        },
    ),
    "what a hook returns in a test": (
        "import { renderHook } from '@testing-library/react';\n"
        "function useLogin() { return { login() {} }; }\n"
        "function one() { renderHook(() => useLogin()).result.current.login(); }\n"
        "function two() { const { result } = renderHook(useLogin); result.current.login(); }\n",
        {
            ("one.<lambda1>", "useLogin"), ("one", "useLogin.login"), ("two", "useLogin.login"),
        },
    ),
    "another library's function of such a name is any library's": (
        "import { useState } from './own';\nimport { useContext } from 'elsewhere';\n"
        "function Page() { useState(store); useContext(store)(); }\nfunction store() {}\n",
        set(),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES)
def test_react(source: str, expected: set[tuple[str, str]], edges: Edges) -> None:
    assert edges(source, suffix=".jsx") == expected


def test_a_lazy_component_is_the_default_of_its_module(edges: Edges) -> None:
    files = {
        "main.jsx": "import { lazy } from 'react';\nconst Page = lazy(() => import('./page'));\n"
        "const app = () => <Page/>;\n",
        "page.jsx": "export default function Whole() {}\n",
    }
    assert edges(files) == {("app", "page.jsx::Whole")}
