"""Cutting files into spans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolroll.search.chunks import WHOLE_FILE, chunk_file, likely_symbols
from toolroll.search.definitions import definitions
from toolroll.search.headings import headings
from toolroll.search.languages import LANGUAGES

CODE = b"import os\n\n\n" + b"".join(
    b"# about f%d\ndef f%d(x):\n    %s\n    return x\n\n\n" % (i, i, b"x += 1  # words" * (i % 9))
    for i in range(60)
)


@pytest.mark.marathon
@given(st.text(max_size=4000), st.sampled_from(["a.py", "a.md", "a.txt", "a.kt", "a"]))
def test_spans_tile_the_file_and_never_cut_a_character(text: str, path: str) -> None:
    data = text.encode(errors="replace")
    chunks = chunk_file(data, path, target=64)
    assert b"".join(data[chunk.start : chunk.end] for chunk in chunks) == data
    for chunk in chunks:
        data[chunk.start : chunk.end].decode()
        assert chunk.end - chunk.start <= 64 * WHOLE_FILE
    lines = data.split(b"\n")
    for chunk in chunks:
        covered = b"\n".join(lines[chunk.first_line - 1 : chunk.last_line]) + b"\n"
        assert data[chunk.start : chunk.end] in covered


def test_code_is_cut_at_definitions_with_the_comments_above() -> None:
    chunks = chunk_file(CODE, "a.py")
    assert len(chunks) > 2
    for chunk in chunks[1:]:
        assert CODE[chunk.start : chunk.end].startswith(b"# about f")
    assert [name for chunk in chunks for name in chunk.symbols] == [f"f{i}" for i in range(60)]


def test_an_empty_file_has_no_chunk_and_a_small_one_is_whole() -> None:
    assert chunk_file(b"", "a.py") == []
    (chunk,) = chunk_file(b"x = 1\n\ny = 2", "a.py")
    assert (chunk.start, chunk.end, chunk.first_line, chunk.last_line) == (0, 12, 1, 3)


def test_text_without_white_space_is_cut_between_characters() -> None:
    data = ("漢" * 3000).encode()
    chunks = chunk_file(data, "a.txt", target=100)
    assert {data[chunk.start : chunk.end].decode() for chunk in chunks} <= {
        "漢" * 33,
        "漢" * 32,
        "漢" * 31,
        "漢" * 30,
    }
    assert b"".join(data[c.start : c.end] for c in chunks) == data


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_grammar_loads_and_its_query_fits(language: str) -> None:
    suffix = {
        "python": "py",
        "javascript": "js",
        "typescript": "ts",
        "rust": "rs",
        "ruby": "rb",
        "csharp": "cs",
    }.get(language, language)
    assert definitions(b"", f"a.{suffix}") == []


@pytest.mark.parametrize(
    ("path", "source", "names"),
    [
        ("a.py", b"class A:\n    def b(self): ...\n", [("A", "class", 0), ("b", "method", 1)]),
        (
            "a.go",
            b"package p\nfunc F() {}\ntype T struct{}\n",
            [("F", "function", 0), ("T", "type", 0)],
        ),
        (
            "a.ts",
            b"interface I { x: 1 }\nconst f = () => 1\n",
            [("I", "interface", 0), ("f", "function", 0)],
        ),
        (
            "a.rs",
            b"struct S;\nimpl S { fn m(&self) {} }\n",
            [("S", "struct", 0), ("S", "impl", 0), ("m", "method", 1)],
        ),
        ("a.kt", b"class K {\n    fun go() {}\n}\n", [("K", "class", 0), ("go", "function", 1)]),
    ],
)
def test_definitions_are_named_with_kind_and_depth(
    path: str, source: bytes, names: list[tuple[str, str, int]]
) -> None:
    assert [(d.name, d.kind, d.depth) for d in definitions(source, path)] == names


def test_headings_are_read_as_commonmark_does() -> None:
    text = b"---\ntitle: x\n---\n# One\n\n```\n# no\n```\n\n<!--\n# no\n-->\n\nTwo\n---\n"
    assert [(d.name, d.kind) for d in headings(text)] == [("One", "h1"), ("Two", "h2")]


def test_likely_symbols_are_about_those_of_the_chunk() -> None:
    for chunk in chunk_file(CODE, "a.py"):
        assert likely_symbols(CODE[chunk.start : chunk.end], "a.py") == chunk.symbols
    assert likely_symbols(b"    return 1\n\n  def after(self):\n    pass\n", "b.py") == ("after",)
    assert likely_symbols(b"text\n\n# Head\n\n```\n# no head\n```\n", "c.md") == ("Head",)
    assert likely_symbols(b"def f(): pass", "d.txt") == ()
