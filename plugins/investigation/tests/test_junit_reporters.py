"""What reporters do to the words and names of failures is undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolroll_investigation.junit import import_runs
from toolroll_investigation.junit_xml import JUnitError
from toolroll_investigation.scenario import MAX_CASES, Scenario

# As Vitest and RSpec write it, xmlrunner, and Node.js: XML makes spaces of the line breaks.
DIFFERENCE = "AssertionError: expected a\nto equal b\n\n- a\n+ b"


def import_suite(tmp_path: Path, tests: str, attributes: str = "") -> Scenario:
    file = tmp_path / "results.xml"
    file.write_text(f'<testsuite name="s" {attributes}>{tests}</testsuite>', encoding="utf-8")
    return import_runs([file], "run", [])[0]


def words(tmp_path: Path, failure: str) -> str:
    (case,) = import_suite(tmp_path, f'<testcase name="t">{failure}</testcase>').cases
    return case.error_message


@pytest.mark.parametrize(
    "broken", ["expected a\nto equal b\n\n- a\n+ b", "expected ato equal b- a+ b"]
)
def test_lines_that_an_attribute_lost_are_taken_from_the_text(tmp_path: Path, broken: str) -> None:
    text = f"{DIFFERENCE}\n    at a.test.js:1:2"
    failure = f'<failure message="{broken}" type="AssertionError">{text}</failure>'
    assert words(tmp_path, failure) == DIFFERENCE


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("two words", "nothing of the kind\nat all"),
        ("two words", "here are two words\nand more"),
        ("kept &#10;as it is", "kept\n\nas it is"),
        ("(a+)+$ [x", "(a+)+$ [y"),
    ],
)
def test_other_messages_stay_as_they_are(tmp_path: Path, message: str, text: str) -> None:
    failure = f'<failure message="{message}">{text}</failure>'
    assert words(tmp_path, failure) == message.replace("&#10;", "\n")


def test_colours_that_lost_their_escape_are_noise(tmp_path: Path) -> None:
    told = "called with [ 2 ][90m [1m 1st call: [22m[39m"
    assert words(tmp_path, f'<failure message="{told}"/>') == "called with [ 2 ]  1st call:"
    assert words(tmp_path, '<failure message="rate(x[5m]) of a[10m"/>') == "rate(x[5m]) of a[10m"


def test_mocha_says_once_what_failed(tmp_path: Path) -> None:
    frames = "    at a.js:1:2\n    at b.js:3:4"
    text = (
        f"values differ:\n\n  1\n\nAssertionError [ERR_ASSERTION]: values differ:\n\n  1\n{frames}"
    )
    said = "AssertionError [ERR_ASSERTION]: values differ:\n1"
    assert words(tmp_path, f"<failure>{text}</failure>") == said
    text = f"Error: retry failed\nbecause the retry failed: Error: retry failed\n{frames}"
    assert words(tmp_path, f"<failure>{text}</failure>") == text.removesuffix(f"\n{frames}")


def test_node_tells_why_a_hook_failed(tmp_path: Path) -> None:
    text = (
        "Error [ERR_TEST_FAILURE]: failed running afterEach hook\n    at async Promise.all {\n"
        "  code: 'ERR_TEST_FAILURE',\n  failureType: 'hookFailed',\n"
        "  cause: Error: server still listens\n      at a.test.js:1:2\n}"
    )
    mark = f'<failure type="hookFailed" message="failed running afterEach hook">{text}</failure>'
    assert words(tmp_path, mark) == (
        "hookFailed: failed running afterEach hook\nCaused by: Error: server still listens"
    )


def test_lines_that_playwright_leaves_out_are_taken_from_the_text(tmp_path: Path) -> None:
    """Else all values that are not as expected had the same words."""
    text = (
        "  a.spec.js:2:55 › cart › adds ────────\n\n    Error: expect(received).toBe(expected)\n\n"
        "    Expected: 2\n    Received: 1\n\n    at ../lib.js:1\n\n    > 2 | expect(1).toBe(2);\n"
        "        at /app/a.spec.js:2:63\n"
    )
    failure = (
        f'<failure message="expect(received).toBe(expected)" type="expect.toBe">{text}</failure>'
    )
    tests = f'<testcase name="cart › adds" classname="a.spec.js">{failure}</testcase>'
    (case,) = import_suite(tmp_path, tests.replace("    > 2", "    &gt; 2")).cases
    assert case.error_message == "Error: expect(received).toBe(expected)\nExpected: 2\nReceived: 1"


@pytest.mark.parametrize(
    ("message", "output", "expected"),
    [
        ("Failed", "adding\nsum: expected 4 but got 5\n", "sum: expected 4 but got 5"),
        ("Failed", "what is expected of the rest: nothing\n", ""),
        (
            "Subprocess aborted",
            "sum: sum.c:3: main: Assertion `a == 2' failed.\n",
            "Subprocess aborted: sum: sum.c:3: main: Assertion `a == 2' failed.",
        ),
        ("SEGFAULT", "all is well\n", "SEGFAULT"),
    ],
)
def test_what_a_program_said_before_it_ended_is_told(
    tmp_path: Path, message: str, output: str, expected: str
) -> None:
    mark = f'<failure message="{message}"/><system-out>{output}</system-out>'
    assert words(tmp_path, mark) == expected


def test_a_test_of_deno_that_only_holds_the_failed_step_is_no_case(tmp_path: Path) -> None:
    tests = (
        '<testcase name="cart"><failure message="1 test step failed">1 test step failed.</failure>'
        '</testcase><testcase name="cart &gt; adds"><failure message="Uncaught Error: a\n- 1"/>'
        '</testcase><testcase name="lone"><failure message="1 test step failed"/></testcase>'
    )
    cases = import_suite(tmp_path, tests).cases
    assert [case.test_name for case in cases] == ["cart > adds", "lone"]


def test_jest_tells_what_its_parser_found_below_its_advice(tmp_path: Path) -> None:
    text = (
        "  ● Test suite failed to run\n\n    Jest encountered an unexpected token\n\n"
        "    Here's what you can do:\n     • If you use modules, see https://jestjs.io\n\n"
        "    Details:\n\n    SyntaxError: /app/a.test.js: Unexpected token (1:10)\n\n"
        "    > 1 | const x = ;\n\n      at constructor (parse-error.ts:96:45)\n"
    )
    expected = "SyntaxError: /app/a.test.js: Unexpected token (1:10)"
    assert words(tmp_path, f"<error>{text}</error>") == expected


def test_a_suite_of_jest_that_did_not_start_is_one_failure(tmp_path: Path) -> None:
    """It is told as an error, and again as what was thrown, and counted as no test."""
    test = '<testcase classname="Test suite failed to run" name="a.test.js">'
    tests = (
        f"{test}<error>  ● Test suite failed to run\n\n    Cannot find module 'x'\n\n"
        "      at a.test.js:1:2</error></testcase>"
        f'{test}<failure>{{"code":"MODULE_NOT_FOUND"}}</failure></testcase>'
    )
    (case,) = import_suite(tmp_path, tests, 'tests="0" errors="1"').cases
    assert case.error_message == "Cannot find module 'x'"
    assert "MODULE_NOT_FOUND" in case.log_snippet


def test_what_maven_tells_of_a_class_has_its_name(tmp_path: Path) -> None:
    """What failed before the tests of a class has no name of its own."""
    test = '<testcase name="" classname="shop.CartTest"><error message="no database"/></testcase>'
    (case,) = import_suite(tmp_path, test).cases
    assert case.test_name == "shop.CartTest"


def test_the_type_of_an_error_is_one_line(tmp_path: Path) -> None:
    """Where an error has no message, Maven takes all up to the next colon for its type."""
    mark = (
        '<failure type="shop.Broken&#10; at shop.Cart.add(Cart.java">shop.Broken\n at x</failure>'
    )
    assert words(tmp_path, mark) == "shop.Broken"


def test_a_namespace_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "results.xml"
    failure = '<j:testcase name="t"><j:failure message="no"/></j:testcase>'
    file.write_text(
        f'<j:testsuites xmlns:j="urn:junit"><j:testsuite name="s">{failure}</j:testsuite>'
        "</j:testsuites>",
        encoding="utf-8",
    )
    (case,) = import_runs([file], "run", [])[0].cases
    assert (case.test_name, case.error_message) == ("t", "no")


def test_a_directory_stands_for_the_reports_in_it(tmp_path: Path) -> None:
    with pytest.raises(JUnitError, match=r"holds no \.xml file"):
        import_runs([tmp_path], "run", [])
    for name in ("b", "a"):
        test = f'<testsuite name="s"><testcase name="{name}"><failure/></testcase></testsuite>'
        (tmp_path / f"{name}.xml").write_text(test, encoding="utf-8")
    cases = import_runs([tmp_path], "run", [])[0].cases
    assert [case.test_name for case in cases] == ["a", "b"]
    (tmp_path / "testng-results.xml").write_text("<testng-results/>", encoding="utf-8")
    (tmp_path / "a.xml").rename(tmp_path / "TEST-a.xml")
    assert [case.test_name for case in import_runs([tmp_path], "run", [])[0].cases] == ["a"]


def test_further_failures_of_a_test_are_in_its_log(tmp_path: Path) -> None:
    marks = '<failure message="first"/><failure message="second"/><error message="x">third</error>'
    (case,) = import_suite(tmp_path, f'<testcase name="t">{marks}</testcase>').cases
    assert case.error_message == "first"
    assert case.log_snippet == "second\nthird"


def test_more_failures_than_anybody_investigates_are_refused(tmp_path: Path) -> None:
    tests = '<testcase name="t"><failure message="no"/></testcase>' * (MAX_CASES + 1)
    with pytest.raises(JUnitError, match=r"10001 of 10001 tests failed .* at most 10000 cases"):
        import_suite(tmp_path, tests)


@pytest.mark.parametrize(
    ("message", "text", "expected"),
    [
        (
            "add(1,1) == 3",
            "\nFAILED:\n  CHECK( add(1,1) == 3 )\nwith expansion:\n  2 == 3\nat /src/a.cpp:10\n",
            "add(1,1) == 3\nwith expansion: 2 == 3",
        ),
        (
            "unexpected exception",
            "\nFAILED:\ndue to unexpected exception with message:\n  no database\nat /a.cpp:9\n",
            "unexpected exception\ndue to unexpected exception with message: no database",
        ),
        (
            "not ok 1 - t",
            "not ok 1 - t\n\n#   Failed test 't'\n#   at t/a.t line 5.\n"
            "#          got: '2'\n#     expected: '3'\n",
            "got: '2' expected: '3'",
        ),
        (
            "1 of 2 assertions failed",
            '\nError: Test assertion failed\n\n  on a.tftest.hcl line 2, in run "t":\n'
            '   2:     condition = output.name == "b"\n    ├───\n    │ output.name is "a"\n\n'
            "the name must be b\n",
            "Test assertion failed the name must be b",
        ),
        ("Encountered an error", "\nError: No provider\n\nConfigure one.", "Error: No provider"),
    ],
)  # fmt: skip
def test_what_a_reporter_leaves_out_of_the_message_is_taken_from_the_text(
    tmp_path: Path, message: str, text: str, expected: str
) -> None:
    assert words(tmp_path, f'<failure message="{message}">{text}</failure>') == expected


@pytest.mark.parametrize(
    "stamp",
    [
        "2024-05-01T10:00:02.1234567Z ",
        "2024-05-01 10:00:00,123 ",
        "[2024-05-01 10:00:00+02:00] ",
        "2024-05-01 10:00:00.123 UTC [43] ",
        "May  1 10:00:00 host app[33]: ",
    ],
)
def test_when_a_line_was_logged_is_no_part_of_what_failed(tmp_path: Path, stamp: str) -> None:
    lines = ("connecting", "ERROR: no such table: users", "bye")
    output = "".join(f"{stamp}{line}\n" for line in lines)
    (case,) = import_suite(
        tmp_path, f'<testcase name="t"><failure/><system-out>{output}</system-out></testcase>'
    ).cases
    assert case.error_message == "ERROR: no such table: users"
    assert stamp.strip() in case.log_snippet
