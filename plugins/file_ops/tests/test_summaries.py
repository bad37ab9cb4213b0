"""Summaries that really are in the source, and structure by a parser for each kind of file."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolroll.search.languages import language_name
from toolroll_file_ops.summaries import extract, key_sentences, python_source, structure
from toolroll_file_ops.summaries.sentences import prose, sentences

LANGUAGES = st.sampled_from([None, "markdown", "python", "go"])
ESSAY = " ".join(
    f"The {noun} of the system keeps {count} records for every caller that it knows about."
    for count, noun in enumerate(["gate", "ledger", "clock", "index", "queue", "store"] * 5, 2)
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Version 3.5 is out. See e.g. foo.bar().", 2),
        ("Dr. A. Smith came. He left!", 2),
        ("Use `a. b` here. Then stop.", 2),
        ("Wait... what? Yes.", 2),
        ("It may take a while… or two. Wait.", 2),
        ("Wait... Then go on. And on...", 3),
        ("Look at https://a.example/b.html today. Or not.", 2),
        ("これは文です。次の文です。", 2),
        ("no end", 1),
        ("", 0),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, count: int) -> None:
    assert len(sentences(text)) == count


@given(
    st.text(max_size=600), st.integers(1, 8), st.sampled_from([None, "markdown", "python", "go"])
)
def test_every_sentence_is_in_the_source(text: str, count: int, language: str | None) -> None:
    for source in (text, ESSAY + text):
        folded = " ".join(source.split())
        found = key_sentences(source, language, count)
        assert len(found) <= count
        assert all(sentence in folded for sentence in found)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_a_summary_has_so_many_sentences_in_the_source_s_order(count: int) -> None:
    summary = sentences(extract(ESSAY, "text", count))
    assert len(summary) == count
    places = [ESSAY.index(sentence) for sentence in summary]
    assert places == sorted(places)


def test_quotations_and_notes_begin_with_their_first_word() -> None:
    noted = "# T\n\n> [!WARNING]\n> Stop every host before you move its data.\n"
    assert extract(noted, "markdown", 1) == "Stop every host before you move its data."
    quoted = "> The gate lets one caller in at a time.\n\n> [!TIP]\n"
    assert extract(quoted, "markdown", 2) == "The gate lets one caller in at a time."


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("Users must restart the server.", True),
        ("A critical failure may occur at night.", True),
        ("It is important to stop the hosts.", True),
        ("The token is required for calls.", True),
        ("Note: the second file is older.", True),
        ("Please note the second file here.", False),
        ("The mustache template is unimportant.", False),
        ("Set required=True in the second file.", False),
        ("You must wait for it.", True),  # 21 characters
        ("You must wait for me", False),
        (f"You must wait {'x' * 185}", True),  # 199
        (f"You must wait {'x' * 186}", False),
    ],
)
def test_key_points_hold_the_document_s_words_within_its_lengths(line: str, kept: bool) -> None:
    points = structure(f"Title\n\n{line}\n".encode(), "a.txt", "text").points
    assert points == ((line,) if kept else ())


def test_what_a_block_of_code_breaks_off_only_counts_where_nothing_else_is_there() -> None:
    broken = (
        "# Reader\n\nReads every whole file for you at once, and then\n\n```sh\nread it\n```\n\n"
    )
    whole = ["The reader says what a file is for.", "Its second part says how to use it."]
    text = broken + " ".join(whole) + "\n"
    assert key_sentences(text, "markdown", 2) == whole
    assert key_sentences(broken, "markdown", 2) == [
        "Reads every whole file for you at once, and then"
    ]


def test_a_very_long_text_is_summarised_too() -> None:
    text = " ".join(
        f"Sentence number {i} tells of thing {i % 97} in the world." for i in range(3000)
    )
    assert len(sentences(extract(text, "text", 4))) == 4


def test_code_is_summarised_by_its_documentation() -> None:
    code = '"""Reads the reports of every station."""\n\n\ndef f():\n    """Gives back one."""\n'
    assert extract(code, "python", 5) == "Reads the reports of every station."
    go = "// Gate lets callers through one by one.\npackage gate\n"
    assert extract(go, "go", 5) == "Gate lets callers through one by one."
    assert extract('{"a": 1}', "json", 5) == ""


PART = '''\
    def push_back(self):
        """Puts the rejected message back.

        It may be delivered to another
        reader then.

        >>> message.push_back(now=True, later=False)
        """
        return self.channel.reject(self.tag, """no docstring at all""")

    #: What every waiting reader is told
    #: about the next message.
    told = ""
    def broken(
'''

REST = """\
Readers are made of a mixin, and run like this::

    from readers import Mixin

    Mixin().run()

.. code-block:: python
   :linenos:

   class Reader(Mixin):
       pass

They stop at the first error.
"""


def test_a_part_of_a_file_says_what_its_docstrings_say() -> None:
    assert prose(PART, "python") == [
        "Puts the rejected message back.",
        "It may be delivered to another\n        reader then.",
    ]
    comment = PART.partition("    #:")[1] + PART.partition("    #:")[2]
    assert prose(comment, "python") == [
        "What every waiting reader is told\nabout the next message."
    ]


def test_code_in_restructured_text_is_no_prose() -> None:
    assert prose(REST, "restructuredtext") == [
        "Readers are made of a mixin, and run like this:",
        "They stop at the first error.",
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "python",
            '"""%s\n\n:param path: where to read it from, a path.\n:returns: what it says."""',
        ),
        (
            "python",
            '"""%s\n\nArgs:\n    path: Where to read it from, a path.\n    most: The limit."""',
        ),
        ("python", '"""%s\n\n.. versionchanged:: 2.0\n    Accepts a number of seconds, too."""'),
        ("javascript", "/**\n * %s\n * @param {string} path where to read it from.\n */\nf()"),
        ("ruby", "# %s\n# @param path [String] the place where to read it.\ndef f(path) = 1"),
        ("c", "/**\n * %s\n * \\param path the place where to read it from.\n */\nint f;"),
    ],
)
def test_fields_of_documentation_are_no_summary(language: str, text: str) -> None:
    told = "Reads :class:`Report` by @name from one of the stations."
    assert extract(text % told, language, 3) == told
    assert extract(text % "", language, 1), "better than nothing"


def test_what_no_full_stop_ends_is_told_apart_in_a_summary() -> None:
    code = "// opens the gate for every caller\nf()\n\n// closes it when the last one left\ng()\n"
    told = "opens the gate for every caller; closes it when the last one left"
    assert extract(code, "go", 2) == told


def test_the_first_sentence_of_documentation_is_a_key_point() -> None:
    code = (
        'class Gate:\n    """A gate that lets\n    one caller through. Then more.\n\n    More."""\n'
    )
    points = structure(code.encode(), "a.py", "python").points
    assert points == ("Gate: A gate that lets one caller through.",)


APACHE = """// Copyright 2013-2023 The Cobra Authors
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//      http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
"""
MIT = """/*
 * Copyright (c) 2020 Somebody
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy.
 * The above copyright notice shall be included in all copies of it.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND.
 */
"""
GPL = """# This program is free software: you can redistribute it and/or modify it.
#
# This program is distributed in the hope that it will be useful, no more.
#
# You should have received a copy of the GNU General Public License with it.
"""


@pytest.mark.parametrize(
    ("head", "mark", "language"),
    [
        (APACHE, "//", "go"),
        (MIT, "//", "javascript"),
        (GPL, "#", "shell"),
        ("// Use of this source is governed by a BSD-style license that is here.\n", "//", "go"),
        ("// SPDX-License-Identifier: MIT for all of this file.\n", "//", "c"),
        ("# frozen_string_literal: true in all of this file\n", "#", "ruby"),
        ("#!/usr/bin/env bash -e -u -x -o pipefail\n", "#", "shell"),
        ("/* eslint-disable no-console, no-alert, no-eval, no-new */\n", "//", "javascript"),
        ("/*global gettext, interpolate, ngettext, Actions, more*/\n", "//", "javascript"),
        ("//////// ALL OF THE METHODS ////////\n", "//", "javascript"),
        ("# ------ all of the methods ------\n", "#", "shell"),
        ("//go:build linux && amd64 && !cgo && go1.20\n", "//", "go"),
    ],
)
def test_notices_of_licences_and_words_to_tools_are_no_summary(
    head: str, mark: str, language: str
) -> None:
    told = "Keeps the copyright year of every page up to date."
    assert extract(f"{head}\n{mark} {told}\nx = 1\n", language, 3) == told
    assert extract(f"{head}\nx = 1\n", language, 3) == ""


@pytest.mark.parametrize(
    ("path", "language", "text", "outline", "sections"),
    [
        (
            "a.json",
            "json",
            '{"a": {"b": [1]}, "c": true}',
            "- `a`: object of 1\n  - `b`: list of 1\n- `c`: boolean",
            ("a", "c"),
        ),
        ("a.toml", "toml", "[x]\ny = 1\n", "- `x`: object of 1\n  - `y`: number", ("x",)),
        ("a.yaml", "yaml", "x:\n  y: null\n", "- `x`: object of 1\n  - `y`: null", ("x",)),
        ("a.ini", "ini", "[x]\ny = 1\n", "- `x`: object of 1\n  - `y`: text", ("x",)),
        (
            "a.csv",
            "csv",
            "name,age\na,1\nb,2\n",
            "- table of 2 columns and 2 rows\n  - `name`\n  - `age`",
            ("name", "age"),
        ),
        (
            "a.rst",
            "restructuredtext",
            "======\nHerons\n======\n\nThey wait.\n\nFood\n----\n\n"
            "=====  ====\nfish   frog\n=====  ====\n\n"
            "Hunting ground\n---\n\nNest\n~~~~\n",
            "# Herons\n## Food\n### Nest",
            ("Herons", "Food", "Nest"),
        ),
        ("a.txt", "text", "Plan\r\n====\r\nrows\r\n", "# Plan", ("Plan",)),
        (
            "a.html",
            "html",
            "<h1>All <b>herons</b></h1><p>x</p><h3>\n Food &amp; more</h3><h2></h2>",
            "# All herons\n### Food & more",
            ("All herons", "Food & more"),
        ),
        ("a.md", "markdown", "\ufeff# Herons\n", "# Herons", ("Herons",)),
        (
            "a.go",
            "go",
            "package p\nfunc Open(name string) error {\n}\n",
            "- function `func Open(name string) error` (line 2)",
            ("Open",),
        ),
        (
            "a.md",
            "markdown",
            "Title\n=====\n\n```\n# no\n```\n\n## Part\n",
            "# Title\n## Part",
            ("Title", "Part"),
        ),
        ("a.json", "json", "{broken", "", ()),
        ("a.txt", "text", "plain words\n", "", ()),
    ],
)
def test_structure_comes_from_a_parser(
    path: str, language: str, text: str, outline: str, sections: tuple[str, ...]
) -> None:
    found = structure(text.encode(), path, language)
    assert found.outline == outline
    assert found.sections == sections


@pytest.mark.parametrize(
    ("path", "text", "outline"),
    [
        (
            "a.py",
            "def f(\n    self,\n    *names: str,\n"
            "    most: int = max(\n        1, 2\n    ),\n) -> int:\n    g(1)\n",
            "- function `def f(self, *names: str, most: int = max(1, 2)) -> int` (line 1)",
        ),
        ("a.py", "class C(\n    A,\n    B,\n): ...\n", "- class `class C(A, B): ...` (line 1)"),
        (
            "a.ts",
            "export function f(\n  a: number,\n  b: string,\n): void {\n  g();\n}\n",
            "- function `export function f(a: number, b: string): void` (line 1)",
        ),
        ("a.py", f"def f(\n    {'a, ' * 400}\n):\n    pass\n", None),
        ("a.py", "def f(\n    a='(',\n", None),
    ],
)
def test_a_signature_has_all_of_its_lines(path: str, text: str, outline: str | None) -> None:
    found = structure(text.encode(), path, language_name(path)).outline
    if outline is not None:
        assert found == outline
    assert len(found) < 200


def test_a_long_outline_is_cut_and_says_so() -> None:
    text = "".join(f"def f{i}(): ...\n" for i in range(300))
    found = structure(text.encode(), "a.py", "python")
    assert found.truncated
    assert found.outline.count("\n") == 199


def test_one_thread_at_a_time_makes_a_tree_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, held = ast.parse, list[bool]()

    def watched(source: str) -> ast.Module:
        held.append(python_source._parsing.locked())
        return parse(source)

    monkeypatch.setattr(python_source.ast, "parse", watched)
    assert extract(DOCUMENTED, "python", 1) == "Reads the reports of every station."
    assert structure(DOCUMENTED.encode(), "a.py", "python").points == ("f: Gives back one.",)
    assert held == [True, True]


DOCUMENTED = '"""Reads the reports of every station."""\n\n\ndef f():\n    """Gives back one."""\n'


@pytest.mark.parametrize("deep", ["not " * 20_000 + "1", "f" + "()" * 20_000])
def test_python_that_its_own_parser_gives_up_is_read_by_its_comments(deep: str) -> None:
    text = f"# Counts every caller that it knows about.\ndef f():\n    return {deep}\n"
    assert extract(text, "python", 1) == "Counts every caller that it knows about."
    assert "def f()" in structure(text.encode(), "a.py", "python").outline


@pytest.mark.parametrize(
    ("text", "path", "language"),
    [
        ('a: !!int ""\n', "a.yaml", "yaml"),
        ("a: !!bool x\n", "a.yaml", "yaml"),
        ("a: !!timestamp x\n", "a.yaml", "yaml"),
        ("a: 2001-99-99\n", "a.yaml", "yaml"),
        ("[a]\nkey\n  and on\n", "a.ini", "ini"),
    ],
)
def test_data_whose_values_a_parser_stumbles_over_has_no_keys(
    text: str, path: str, language: str
) -> None:
    assert structure(text.encode(), path, language).outline == ""


# Each took minutes once.
@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("see a. " * 20_000, "text", []),
        (f"`{(ESSAY + ' ') * 150}", "text", []),
        (f"{' ' * 300_000}{ESSAY}", "text", [ESSAY.partition(". ")[0] + "."]),
        (f"{ESSAY}\n\n{'![' * 200_000}", "markdown", [ESSAY.partition(". ")[0] + "."]),
        (f"{ESSAY}\n\n{' ' * 300_000}x", "restructuredtext", [ESSAY.partition(". ")[0] + "."]),
        (f"{ESSAY}\n\n{'<!--' * 200_000}", "markdown", [ESSAY.partition(". ")[0] + "."]),
        (
            "".join(f"// Go {i}\n// on.\n\n// It is done.\n\n" for i in range(20_000)),
            "go",
            ["It is done."],
        ),
    ],
    ids=["initials", "backtick", "spaces", "brackets", "literal", "comments", "broken"],
)
def test_long_texts_of_odd_forms_are_summarised(text: str, language: str, found: list[str]) -> None:
    assert key_sentences(text, language, 1) == found


def test_what_a_page_hides_in_comments_is_no_prose() -> None:
    text = "The reader<!-- a. b. --> reads files.\n\n<!-- x -->\nIt says so <!-- here.\n"
    assert key_sentences(text, "markdown", 3) == ["It says so <!-- here."]


@pytest.mark.parametrize(
    "said",
    [
        ["安装之前必须先准备好数据库。", "每天凌晨会自动备份一次数据，备份文件保存三十天。"],
        ["このツールは在庫を管理するためのものです。", "毎晩バックアップが作成されます。"],
    ],
)
def test_text_without_spaces_is_summarised(said: list[str]) -> None:
    assert key_sentences("".join(said), "text", 5) == said
    assert len(key_sentences("".join(said * 100), "text", 1)) == 1
