"""Fusion and signals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolroll.search import Candidate, RankingSettings, fuse, rank
from toolroll.search.initialisms import initialisms
from toolroll.search.named_definitions import forms
from toolroll.search.path_facts import path_facts
from toolroll.search.query_paths import INSIDE, asked_paths, named_by
from toolroll.search.query_symbols import asks_for_name, identifiers, is_symbol
from toolroll.search.ranking import heads_of, may_hold
from toolroll.search.tokens import tokenize

SCORES = st.dictionaries(st.integers(1, 30), st.floats(-5, 50), max_size=20)
SETTINGS = RankingSettings()


@given(SCORES, SCORES, st.floats(0, 1))
def test_fused_scores_lie_between_0_and_1(
    words: dict[int, float], meaning: dict[int, float], weight: float
) -> None:
    fused = fuse(words, meaning, semantic_weight=weight)
    assert fused.keys() == words.keys() | meaning.keys()
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in fused.values())


SUFFIXES = """
    ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness
    ousness aliti iviti biliti logi icate ative alize iciti ical ful ness ing ed ies es s y ily ying
    sses eed at bl iz e able ible ment ement ion ism ate ous ive ize ly"""


@pytest.mark.marathon
@settings(max_examples=400)
@given(st.lists(st.from_regex(r"[A-Za-z]{1,6}", fullmatch=True), min_size=1, max_size=3), st.data())
def test_a_name_is_never_taken_for_one_without_its_tokens(
    stems: list[str], data: st.DataObject
) -> None:
    parts = [
        stem + "".join(data.draw(st.lists(st.sampled_from(SUFFIXES.split())))) for stem in stems
    ]
    name = data.draw(st.sampled_from(["", "_", "2"])).join(parts)
    for token in tokenize(name):
        assert may_hold(f"{name}\nother", heads_of([token]))
    assert not may_hold(name, heads_of(["%"]))


def test_one_side_alone_keeps_its_order() -> None:
    assert fuse({1: 2.0, 2: 8.0, 3: 5.0}, {}, semantic_weight=0.5) == {1: 0, 2: 1, 3: 0.5}
    assert fuse({1: 4.0}, {}, semantic_weight=0.5) == {1: 1.0}
    assert fuse({}, {}, semantic_weight=0.5) == {}


@pytest.mark.parametrize(
    ("query", "symbol", "names"),
    [
        ("parseHeader", True, ["parseHeader"]),
        ("Parser.feed()", True, ["feed"]),
        ("std::vector", True, ["vector"]),
        ("valid?", True, ["valid?"]),
        ("how does parse_header work", False, ["parse_header"]),
        ("where is `feed` called", False, ["feed"]),
        ("class Signal", False, ["Signal"]),
        ("def send(self, to_all=True):", False, ["send"]),
        ("class of service", False, []),
        ("rate limiting", False, []),
    ],
)
def test_identifiers_of_a_query(query: str, symbol: bool, names: list[str]) -> None:
    assert is_symbol(query) is symbol
    assert identifiers(query) == names


def best(query: str, *candidates: Candidate, scores: dict[int, float] | None = None) -> int:
    given = scores or {candidate.id: 0.5 for candidate in candidates}
    final = rank(query, given, candidates, SETTINGS)
    return max(final, key=lambda id: final[id])


def test_the_definition_of_a_symbol_comes_first() -> None:
    use, definition = Candidate(1, "a.py"), Candidate(2, "b.py", ("parse_header",))
    assert best("parse_header", use, definition, scores={1: 1.0, 2: 0.3}) == 2
    assert best("how does parse_header work", use, definition, scores={1: 0.9, 2: 0.3}) == 2


def test_a_definition_comes_first_for_how_it_begins() -> None:
    named, definition = Candidate(1, "core/signals.py"), Candidate(2, "b.py", ("Signal",))
    for query in ("class Signal", "class Signal(Base):"):
        assert best(query, named, definition, scores={1: 0.6, 2: 0.5}) == 2


def test_a_name_is_compared_by_its_last_part() -> None:
    use, definition = Candidate(1, "a.cpp"), Candidate(2, "b.cpp", ("ns::Parser::feed",))
    assert best("feed", use, definition, scores={1: 1.0, 2: 0.3}) == 2
    assert best("ns::Parser::feed", use, definition, scores={1: 1.0, 2: 0.3}) == 2


def test_the_owner_that_a_query_names_decides_between_definitions() -> None:
    other = Candidate(1, "a.py", ("Writer", "feed"))
    owned = Candidate(2, "b.py", ("feed",))
    owner = Candidate(3, "b.py", ("Parser",))
    scores = {1: 0.6, 2: 0.5, 3: 0.1}
    assert best("Parser.feed", other, owned, owner, scores=scores) == 2
    assert best("feed", other, owned, owner, scores=scores) == 1


def test_a_name_is_looked_for_as_it_is_written() -> None:
    method, type_ = Candidate(1, "a.py", ("when",)), Candidate(2, "b.py", ("When", "other"))
    scores = {1: 0.6, 2: 0.5}
    assert best("When", method, type_, scores=scores) == 2
    assert best("when", method, type_, scores=scores) == 1
    assert best("WHEN", method, type_, scores=scores) == 1  # there is none written so


def test_words_in_the_file_name_count() -> None:
    assert best("rate limits", Candidate(1, "src/other.py"), Candidate(2, "src/rate_limit.py")) == 2


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_gate.py",
        "lib/skel/gate.py",
        "Tests/GateTest/Gate.swift",
        "Src/Gate.Json.Tests/Samples.cs",
        "app/src/androidTest/kotlin/Gate.kt",
        "Samples/Gate.cs",
        "gate_tests.py",
        "patches/gate.patch",
    ],
)
def test_tests_come_behind_unless_they_are_asked_for(path: str) -> None:
    test, code = Candidate(1, path), Candidate(2, "src/door.py")
    scores = {1: 0.55, 2: 0.5}
    assert best("open it", test, code, scores=scores) == 2
    assert best("test that opens it", test, code, scores=scores) == 1


@pytest.mark.parametrize(
    "path", ["contest/gate.py", "latest/gate.py", "testament/gate.py", "manager/gate.py"]
)
def test_other_directories_are_no_tests(path: str) -> None:
    assert not path_facts(path).side
    assert not path_facts(path).documentation


@pytest.mark.parametrize(
    "path",
    [
        "docs/gate.html",
        "README.md",
        "types/gate.d.ts",
        "gate.pyi",
        "PKG-INFO",
        "LICENSE",
        "Doc/Gate.aml",
        "man/gate.8.xml",
        "gate.conf.5",
    ],
)
def test_documentation_comes_behind_code_unless_it_is_asked_for(path: str) -> None:
    text, code = Candidate(1, path), Candidate(2, "src/door.py")
    scores = {1: 0.7, 2: 0.5}
    assert best("open it", text, code, scores=scores) == 2
    for question in ("how do I install it", "documentation of it", "tutorial for beginners"):
        assert best(question, text, code, scores=scores) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("include/gate.h", "src/gate.c"),
        ("src/GateInterface.php", "src/SlidingGate.php"),
        ("gate/__init__.py", "gate/door.py"),
        ("dist/gate.js", "src/gate.js"),
        ("docs/_build/html/_sources/gate.rst.txt", "docs/gate.rst"),
        ("site/_sources/gate.rst.txt", "docs/gate.rst"),
        ("lib/app/gate.js", "src/app/gate.ts"),
        ("build/modern/gate.cjs", "src/gate.ts"),
        ("ui/lib/commonjs/gate.js", "ui/src/gate.jsx"),
        ("lib/gate.js", "src/gate.js"),
        ("build-module/gate/door.js", "src/gate/door.tsx"),
        ("ui/dist-esm/gate.mjs", "ui/src/gate.ts"),
        ("lib/esm/app/gate/door.js", "src/gate/door.ts"),
        ("dist/src/gate.js", "src/gate.ts"),
        ("dist/lib/gate.js", "src/lib/gate.ts"),
        ("app/gate.js", "app/gate.ts"),
        ("css/gate.css", "css/gate.scss"),
        ("site/gate.js.map", "site/door.js"),
        ("yarn.lock", "site/door.js"),
        ("tsconfig.tsbuildinfo", "site/door.js"),
        ("package-lock.json", "site/door.js"),
        ("web/locale/de/LC_MESSAGES/gate.po", "web/gate.py"),
        ("i18n/de.json", "src/gate.js"),
        ("res/values-pt-rBR/strings.xml", "src/Gate.kt"),
        ("css/gate.scss", "js/door.js"),
    ],
)
def test_files_that_only_declare_or_repeat_come_behind(path: str, source: str) -> None:
    repeats, defines = Candidate(1, path), Candidate(2, source)
    assert best("open it", repeats, defines, scores={1: 0.52, 2: 0.5}) == 2


@pytest.mark.parametrize(
    ("path", "other"),
    [
        ("lib/gate.js", "src/door.ts"),
        ("lib/gate.js", "ui/src/gate.ts"),
        ("lib/gate.c", "src/gate.c"),
        ("a/gate.js", "b/gate.ts"),
        ("build/tools/gate.js", "src/gate.ts"),
        ("build-tools/gate.js", "src/gate.ts"),
        ("i18n/setup.js", "src/gate.js"),
        ("src/lock.py", "src/gate.py"),
    ],
)
def test_a_file_of_its_own_is_like_any_other(path: str, other: str) -> None:
    assert best("open it", Candidate(1, path), Candidate(2, other), scores={1: 0.52, 2: 0.5}) == 1


def test_style_sheets_and_translations_come_first_where_they_are_asked_for() -> None:
    code = Candidate(2, "js/door.js")
    for path, query in (
        ("css/gate.css", "colours of the open gate"),
        ("locale/de.json", "translate that it is open"),
    ):
        scores = {1: 0.52, 2: 0.5}
        assert best(query, Candidate(1, path), code, scores=scores) == 1
        assert best("open it", Candidate(1, path), code, scores=scores) == 2


@pytest.mark.parametrize(
    ("query", "path", "symbols"),
    [
        ("drop the least recently used gate", "src/lru.py", ()),
        ("drop the least recently used gate", "src/kept.py", ("LRUGates",)),
        ("parse comma-separated values", "io/CSV.java", ()),
        ("the table of contents", "toc.py", ()),
    ],
)
def test_what_code_shortens_stands_for_its_words(
    query: str, path: str, symbols: tuple[str, ...]
) -> None:
    other, short = Candidate(1, "src/other.py"), Candidate(2, path, symbols)
    assert best(query, other, short, scores={1: 0.55, 2: 0.5}) == 2


def test_what_is_commonly_shortened_is_known_by_its_words() -> None:
    assert initialisms("at the end of each file") == {}
    assert initialisms("at the end of the file") == {"eof": {"end", "file"}}
    assert initialisms("talk to a running ssh-agent") == {}
    assert set(initialisms("Regular expressions in comma-separated values")) == {"regex", "csv"}
    assert len(initialisms("just in time " * 5000)) == 1


def test_a_header_without_its_source_is_like_any_file() -> None:
    header, other = Candidate(1, "include/gate.h"), Candidate(2, "src/door.c")
    assert best("open it", header, other, scores={1: 0.52, 2: 0.5}) == 1


@pytest.mark.parametrize(
    ("path", "spoken"),
    [
        ("src/HTTPGate2.py", "HTTP Gate"),
        ("notes/17.md", ""),
        ("a/x_1.c", ""),
        (".bashrc", "bashrc"),
    ],
)
def test_numbers_and_single_letters_are_no_name(path: str, spoken: str) -> None:
    assert path_facts(path).spoken == spoken


def test_a_name_that_is_near_the_query_counts() -> None:
    chunks = [Candidate(1, "a.py"), Candidate(2, "b.py")]
    scores = {1: 0.52, 2: 0.5}
    final = rank("open it", scores, chunks, SETTINGS, names={"a.py": -0.2, "b.py": 0.5})
    assert final[2] > final[1]


def test_a_file_that_is_near_as_a_whole_comes_first() -> None:
    chunks = [Candidate(1, "a.py"), Candidate(2, "b.py"), Candidate(3, "c.py")]
    scores = {1: 0.55, 2: 0.5, 3: 0.6}
    plain = rank("open it", scores, chunks, SETTINGS)
    near = rank("open it", scores, chunks, SETTINGS, files={"a.py": 0.1, "b.py": 0.4})
    assert plain[1] > plain[2]
    assert near[2] > near[1]
    assert near[3] > plain[3]  # a file of one chunk is what its chunk is
    named = rank("open_it", scores, chunks, SETTINGS, files={"a.py": 0.1, "b.py": 0.4})
    assert named == rank("open_it", scores, chunks, SETTINGS)  # a symbol is in one place


def test_a_file_of_which_several_chunks_answer_comes_first() -> None:
    one = Candidate(1, "a.py")
    many = [Candidate(id, "b.py") for id in (2, 3, 4)]
    scores = {1: 0.52, 2: 0.5, 3: 0.5, 4: 0.5}
    assert best("words", one, *many, scores=scores) == 2


def test_what_is_gone_from_sql_is_not_ranked() -> None:
    assert rank("x", {1: 1.0, 2: 0.5}, [Candidate(2, "b.py")], SETTINGS).keys() == {2}
    assert rank("x", {}, [], SETTINGS) == {}


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("what does ./src/app.py do?", ["src/app.py"]),
        ("`Docs/Topics`, please", ["Docs/Topics"]),
        (r"src\app.py", ["src/app.py"]),
        ("see (src/app.py:12:3) and a.py#L5-L9.", ["src/app.py", "a.py"]),
        ("Parser.feed", ["Parser.feed"]),
        ("locks", ["locks"]),
        ("all locks", []),
        ("the end. see https://a.example/b.html", []),
        (".gitignore", []),
        ('File "/usr/lib/app/a.py", line 3, in go', ["usr/lib/app/a.py"]),
        ("at go (file:///app/lib/a.mjs:3:9)", ["app/lib/a.mjs"]),
        ("at webpack-internal:///./src/a.ts:3:9", ["src/a.ts"]),
        ("#3 0x7f in go () at ../../a.c:3", ["a.c"]),
        ("at go(Parser.java:63)", ["go(Parser.java", "Parser.java"]),
    ],
)
def test_a_query_names_files_by_their_paths(query: str, asked: list[str]) -> None:
    assert asked_paths(query) == asked


def test_the_more_of_a_path_is_named_the_better() -> None:
    path = "src/net/app.py"
    words = ("src/net/App.py", "App.py", "net/app", "app", "src/net")
    ratings = [named_by([word], path) for word in words]
    assert ratings == sorted(set(ratings), reverse=True)
    for word in ("p.py", "et/app.py", "App", "net", "src/ne"):
        assert named_by([word], path) == 0


def test_a_dotted_word_names_the_module_that_is_written_so() -> None:
    assert named_by(["net.app"], "src/net/app.py") > INSIDE
    assert named_by(["src.net"], "src/net/__init__.py") > INSIDE
    assert named_by(["Net.app"], "src/net/app.py") == named_by(["et.app"], "src/net/app.py") == 0


def test_a_private_name_is_meant_by_who_asks_for_a_name_not_by_a_sentence() -> None:
    assert "datetime" in forms("_datetime", asked_alone=asks_for_name("datetime"))
    sentence = "Make a naive datetime.datetime aware."
    assert forms("_datetime", asked_alone=asks_for_name(sentence)) == ("_datetime",)


def test_a_path_from_another_machine_names_the_file_that_shares_most_of_its_end() -> None:
    asked = asked_paths("/home/ci/venv/lib/python3.11/site-packages/net/legacy/app.py:12")
    near, far = "src/net/legacy/app.py", "old/legacy/app.py"
    assert named_by(asked, near) > named_by(asked, far) > INSIDE
    assert named_by(asked, "app.py") > INSIDE
    assert named_by(asked, "src/net/sync/app.py") == named_by(asked, "net/legacy/a.py") == 0


def test_words_in_a_file_s_name_and_in_its_directory_s_add_up() -> None:
    chunks = [Candidate(1, "db/oracle/features.py"), Candidate(2, "db/oracle/schema.py")]
    ranked = rank("oracle schema", {1: 1.0, 2: 1.0}, chunks, SETTINGS)
    assert ranked[2] > ranked[1]
