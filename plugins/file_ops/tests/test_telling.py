"""What answers and errors tell a caller to do next is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Host


def test_a_brief_from_several_collections_cites_each_file_with_its_own(host: Host) -> None:
    said = "The gate opens when its bar is lifted by the crank of the tower.\n"
    host.write({"one/gate.md": f"# Gate\n\n{said}", "two/gate.md": f"# Gate\n\nAbout it: {said}"})
    host.call("index_collection", collection="first", path="one")
    host.call("index_collection", collection="second", path="two")
    brief = host.call("discover", query="how does the gate open")["answer_prompt"]
    for name in ("first", "second"):
        assert f"[gate.md:1-3 in {name}]" in brief
        assert f"- gate.md in {name}" in brief
    alone = host.call("discover", query="how does the gate open", include_collections=["first"])
    assert "[gate.md:1-3]" in alone["answer_prompt"]


def test_a_brief_says_that_no_collection_has_the_name_that_was_asked_for(host: Host) -> None:
    empty = host.call("discover", query="gate")["answer_prompt"]
    make = "index_collection makes one; who has no such tool asks who runs this host for it"
    assert f"there is none yet; {make}" in empty
    assert make in host.answer("search_vectors", collection="castle", query="gate")[1]["message"]
    host.write({"a.md": "The gate opens.\n"})
    host.call("index_collection", collection="castle", path=".")
    brief = host.call("discover", query="gate", include_collections=["misspelt*"])
    told = "No collection was searched: none that was asked for is there (there: 'castle')."
    assert told in brief["answer_prompt"]
    assert "Nothing was found" in host.call("discover", query="zebra")["answer_prompt"]


def test_a_brief_quotes_text_without_spaces(host: Host) -> None:
    host.write({"a.md": "# 备份\n\n每天凌晨会自动备份一次数据。删除操作不能恢复，请先确认。\n"})
    host.index()
    brief = host.call("discover", query="数据备份")["answer_prompt"]
    assert "- 每天凌晨会自动备份一次数据。 [a.md:1-3]" in brief


def test_a_brief_quotes_code_without_comments_by_what_it_says_to_the_question(host: Host) -> None:
    body = "    const instance = {}\n    let other = one(two)\n"
    host.write(
        {
            "a.js": f"'use strict'\nfunction setUp (one) {{\n{body}    lift(gate, crank)\n}}\n",
            "drawbridge.js": f"'use strict'\nfunction pullGate (one) {{\n{body}}}\n",
        }
    )
    host.index()
    brief = host.call("discover", query="lifting by crank")["answer_prompt"]
    assert "- lift(gate, crank) [a.js" in brief
    assert "use strict" not in brief
    named = host.call("discover", query="drawbridge")["answer_prompt"]
    assert "- function pullGate (one) [drawbridge.js:1-5]" in named
    assert "const instance" not in named


def test_a_page_of_chunks_previews_what_lies_before_it_and_behind(host: Host) -> None:
    host.write({"a.txt": "".join(f"{i} a line of twenty-odd bytes\n" for i in range(400))})
    host.index()
    whole = host.file("get_file_chunks_ordered", "a.txt", limit=50)["chunks"]
    [chunk] = host.file(
        "get_file_chunks_ordered", "a.txt", start_chunk=1, limit=1, include_context=True
    )["chunks"]
    assert whole[0]["content"].endswith(chunk["context_hint"]["prev_chunk_preview"])
    assert whole[2]["content"].startswith(chunk["context_hint"]["next_chunk_preview"])


def test_no_error_advises_to_raise_a_limit_as_far_as_it_cannot_go(host: Host) -> None:
    host.write({"large.txt": "word\n" * 120_000, "huge.txt": "word\n" * 1_100_000})
    host.index()
    _, large = host.answer("get_file_content", collection="proj", file_path="large.txt")
    assert "raise max_size_kb (at most 5000)" in large["message"]
    _, huge = host.answer("get_file_content", collection="proj", file_path="huge.txt")
    assert "raise" not in huge["message"]
    assert "get_file_chunks_ordered" in huge["message"]


@pytest.mark.parametrize("path", ["", " "])
def test_an_empty_path_is_told_what_it_is_relative_to(host: Host, path: str) -> None:
    host.write({"a.md": "x\n"})
    host.index()
    _, problem = host.answer("get_file_content", collection="proj", file_path=path)
    assert problem["code"] == "InvalidPath"
    assert "relative to the collection" in problem["message"]


def test_an_import_alone_reaches_the_default_threshold(host: Host) -> None:
    host.write({"app/a.py": "from app.b import x\n", "app/b.py": "x = 1\n"})
    host.index()  # without an embedder no file is alike in meaning
    found = host.call("get_related_files", collection="proj", file_path="app/a.py")
    assert [row["path"] for row in found["related_files"]] == ["app/b.py"]
