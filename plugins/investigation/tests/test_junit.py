"""JUnit XML as many reporters write it becomes cases worth reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolroll_investigation.demo import EXAMPLE
from toolroll_investigation.junit import RunFacts, import_runs
from toolroll_investigation.junit_xml import JUnitError
from toolroll_investigation.scenario import Scenario, ScenarioCase

SAMPLES = Path(__file__).parent / "junit_samples"


def import_sample(*names: str) -> Scenario:
    return import_runs([SAMPLES / f"{name}.xml" for name in names], "run", [])[0]


def import_text(tmp_path: Path, *texts: str) -> Scenario:
    files = [tmp_path / f"run{number}.xml" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    return import_runs(files, "run", [])[0]


def only(scenario: Scenario) -> ScenarioCase:
    (case,) = scenario.cases
    return case


def test_pytest_failures_and_errors() -> None:
    scenario = import_sample("pytest")
    bad, setup = scenario.cases
    assert bad.test_name == "tests.test_a.test_bad[1]"
    assert bad.error_message == "AssertionError: assert 1 == 2"
    assert "def test_bad" in bad.log_snippet
    assert bad.log_snippet.endswith("--- system-out ---\nprinted")
    assert bad.job == "pytest"
    assert setup.error_message == "failed on setup with \"KeyError: 'x'\""
    assert bad.siblings == setup.siblings == ("tests.test_a.test_bad[1]", "tests.test_b.test_setup")
    assert scenario.description == "2 of 4 tests failed (1 skipped, 0 flaky) in pytest.xml."
    assert not scenario.has_truth


def test_go_says_what_failed_in_its_output() -> None:
    case = only(import_sample("go"))
    assert case.test_name == "example.com/app/store.TestPut/large"
    assert case.error_message == "put: got 413, want 201"


GO_RUN = "=== RUN   TestPut\n{}--- FAIL: TestPut (0.00s)\n{}"


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (GO_RUN.format("    put_test.go:17: got 503\n", ""), "got 503"),
        (
            GO_RUN.format("    put_test.go:12: seed 7\n    put_test.go:17: got 503\n", ""),
            "got 503",
        ),
        (
            GO_RUN.format("    put_test.go:12: seed 7\n    put_test.go:17: no luck\n", ""),
            "no luck",
        ),
        (
            GO_RUN.format(
                "    put_test.go:17: got 503, want 200\n    put_test.go:19: got no body\n"
                "    put_test.go:30: cleaned up\n",
                "",
            ),
            "got 503, want 200",
        ),
        (
            GO_RUN.format(
                "    put_test.go:12: plan:\n        - got none\n"
                "    put_test.go:17: Put() mismatch (-want +got):\n        - \t201\n"
                "        + \t503\n",
                "",
            ),
            "Put() mismatch (-want +got):\n- \t201\n+ \t503",
        ),
        (
            GO_RUN.format(
                "", "panic: index out of range [recovered]\n\ngoroutine 7:\n\t/a/b.go:16 +0x23\n"
            ),
            "panic: index out of range [recovered]",
        ),
        (
            GO_RUN.format(
                "    put_test.go:30: \n\tError Trace:\t/a/put_test.go:30\n\tError:  \tNot equal: \n"
                "\t        \texpected: 1\n\t        \tactual  : 2\n\tTest:   \tTestPut\n",
                "",
            ),
            "Not equal: expected: 1 actual : 2",
        ),
    ],
    ids=["error", "log-before", "fatal-after-log", "errors-and-log", "diff", "panic", "testify"],
)
def test_go_tells_its_errors_among_what_it_logs(tmp_path: Path, output: str, words: str) -> None:
    failure = f'<failure message="Failed" type="">{output}</failure>'
    text = f'<testsuite name="s"><testcase name="TestPut">{failure}</testcase></testsuite>'
    assert only(import_text(tmp_path, text)).error_message == words


def test_a_type_that_says_nothing_is_left_out(tmp_path: Path) -> None:
    failure = '<failure type="FAILURE" message="no title"/>'
    text = f'<testsuite name="s"><testcase name="t">{failure}</testcase></testsuite>'
    assert only(import_text(tmp_path, text)).error_message == "no title"


def test_what_ctest_could_not_start_is_no_skipped_test(tmp_path: Path) -> None:
    tests = {
        "built": "Unable to find executable",
        "fixed": "Fixture dependency failed",
        "chosen": "SKIP_RETURN_CODE=77",
        "told": "SKIP_REGULAR_EXPRESSION_MATCHED",
    }
    text = "".join(
        f'<testcase name="{name}" status="notrun"><skipped message="{message}"/></testcase>'
        for name, message in tests.items()
    )
    scenario = import_text(tmp_path, f'<testsuite name="s" skipped="4">{text}</testsuite>')
    told = {case.test_name: case.error_message for case in scenario.cases}
    assert told == {name: tests[name] for name in ("built", "fixed")}
    assert scenario.run_summary == "2 of 4 tests failed (2 skipped, 0 flaky)."


def test_pytest_tells_what_is_wrong_with_code_that_can_not_be_read(tmp_path: Path) -> None:
    shown = "E     File 't.py', line 1\nE       def t(:\nE             ^\nE   SyntaxError: no name"
    test = f'<testcase name="t"><error message="collection failure">{shown}</error></testcase>'
    case = only(import_text(tmp_path, f'<testsuite name="pytest">{test}</testsuite>'))
    assert case.error_message == "SyntaxError: no name"


@pytest.mark.parametrize("mark", ["flakyFailure", "flakyError"])
def test_a_test_that_passed_on_a_rerun_is_flaky(tmp_path: Path, mark: str) -> None:
    flaky = f'<testcase name="a"><{mark} type="Timeout"/></testcase>'
    text = f'<testsuite name="s">{flaky}<testcase name="b"><failure/></testcase></testsuite>'
    assert "(0 skipped, 1 flaky)" in import_text(tmp_path, text).description


@pytest.mark.parametrize(
    ("root", "count"),
    [("<testsuites>", 3), ('<testsuites name="pytest tests">', 9)],
    ids=["counted", "with-subtests"],
)
def test_the_reruns_of_a_test_in_pytest_are_one_test(tmp_path: Path, root: str, count: int) -> None:
    tries = '<testcase classname="t" name="test_{}"/>' * 2
    failed = '<testcase classname="t" name="test_{}"><failure message="no">why</failure></testcase>'
    text = (
        f'{root}<testsuite name="pytest" tests="{count}">'
        f"{tries.format('flaky', 'flaky')}{tries.format('bad', 'bad')}{failed.format('bad')}"
        f"{failed.format('torn')}"
        '<testcase classname="t" name="test_torn"><error message="at teardown">x</error></testcase>'
        "</testsuite></testsuites>"
    )
    scenario = import_text(tmp_path, text)
    bad, torn = scenario.cases
    assert scenario.run_summary == "2 of 3 tests failed (0 skipped, 1 flaky)."
    assert (bad.test_name, bad.error_message) == ("t.test_bad", "no")
    assert bad.log_snippet == "why\n[failed again on 2 reruns]"
    assert torn.log_snippet == "why\nx"


def test_two_tests_of_one_name_are_two(tmp_path: Path) -> None:
    test = '<testcase classname="it works" name="it works"><failure message="no"/></testcase>'
    scenario = import_text(tmp_path, f'<testsuite name="s" tests="2">{test * 2}</testsuite>')
    assert len(scenario.cases) == 2


def test_maven_types_and_reruns_are_kept_and_flaky_tests_left_out() -> None:
    scenario = import_sample("maven")
    uploads, npe = scenario.cases
    assert uploads.error_message == (
        "org.opentest4j.AssertionFailedError: expected: <1> but was: <2>"
    )
    assert "[failed again on 2 reruns]" in uploads.log_snippet
    assert "--- system-err ---\nWARN slow" in uploads.log_snippet
    assert npe.error_message == "java.lang.NullPointerException: at A"
    assert "1 flaky" in scenario.description


def test_jest_names_are_not_said_twice() -> None:
    case = only(import_sample("jest"))
    assert case.test_name == "cart adds items"
    assert case.error_message == "Error: expect(received).toBe(expected)\nExpected: 2"


@pytest.mark.parametrize(
    ("classname", "name", "said"),
    [
        (" adds", " adds", "adds"),
        ("t", "cart adds t", "cart adds t"),
        ("cart", "cart adds", "cart adds"),
        ("test", "test_upload", "test.test_upload"),
        ("T", "testT", "T.testT"),
        ("a_spec", "Cart adds", "a_spec.Cart adds"),
    ],
)
def test_a_class_is_left_out_only_where_the_name_says_it(
    tmp_path: Path, classname: str, name: str, said: str
) -> None:
    test = f'<testcase classname="{classname}" name="{name}"><failure/></testcase>'
    text = f'<testsuite name="s">{test}</testsuite>'
    assert only(import_text(tmp_path, text)).test_name == said


def test_node_has_tests_outside_of_suites_and_some_still_to_be_done(tmp_path: Path) -> None:
    failure = '<failure type="testCodeFailure" message="boom">Error: boom</failure>'
    text = (
        f'<testsuites><testcase name="top" classname="test">{failure}</testcase>'
        f'<testcase name="later" classname="test"><skipped type="todo"/>{failure}</testcase>'
        f'<testsuite name="group"><testcase name="inner" classname="test">{failure}</testcase>'
        "</testsuite></testsuites>"
    )
    scenario = import_text(tmp_path, text)
    assert [(case.job, case.test_name, case.error_message) for case in scenario.cases] == [
        ("run0", "test.top", "boom"),
        ("group", "test.inner", "boom"),
    ]
    assert scenario.description.startswith("2 of 3 tests failed (1 skipped")


def test_a_failed_teardown_of_a_skipped_test_is_a_failure(tmp_path: Path) -> None:
    test = '<testcase name="t"><skipped type="pytest.skip"/><error message="teardown"/></testcase>'
    case = only(import_text(tmp_path, f'<testsuite name="s">{test}</testsuite>'))
    assert case.error_message == "teardown"


def test_phpunit_puts_the_name_of_the_test_above_its_words(tmp_path: Path) -> None:
    failure = (
        '<failure type="PHPUnit\\Framework\\ExpectationFailedException">Cart::testAdd with data '
        'set "x" (1)\nFailed asserting that 2 is 1.\n\n/app/Cart.php:4</failure>'
    )
    test = f'<testcase name="testAdd with data set &quot;x&quot;" classname="Cart">{failure}'
    case = only(import_text(tmp_path, f'<testsuite name="s">{test}</testcase></testsuite>'))
    assert case.error_message.endswith("ExpectationFailedException: Failed asserting that 2 is 1.")


def test_phpunit_writes_a_class_in_two_ways(tmp_path: Path) -> None:
    failure = "<failure>App\\CartTest::testAdd\nFailed asserting that 2 is 1.\n\n/a.php:4</failure>"
    test = f'<testcase name="testAdd" classname="App.CartTest">{failure}</testcase>'
    case = only(import_text(tmp_path, f'<testsuite name="s">{test}</testsuite>'))
    assert case.error_message == "Failed asserting that 2 is 1."


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"a\x00b\x0bc", "a#x00b#x0Bc"),
        (b"\x1b[31ma&#27;[0m&#xD800;&#10;b", "a#xD800\nb"),
        ("naïve".encode("latin-1"), "na\ufffdve"),
        (b"&#x1F600;", "\N{GRINNING FACE}"),
    ],
)
def test_what_xml_cannot_hold_is_spelt_out(tmp_path: Path, data: bytes, words: str) -> None:
    file = tmp_path / "results.xml"
    start = b'\n<testsuite><testcase name="t"><failure message="'
    file.write_bytes(b"\xef\xbb\xbf" + start + data + b'\x02"/></testcase></testsuite>')
    scenario, _ = import_runs([file], "n", ())
    assert only(scenario).error_message == f"{words}#x02"


@pytest.mark.parametrize(
    ("name", "title", "heading"),
    [
        ("adds", "adds", "a.spec.ts:2:5 › adds ─────"),
        ("cart › adds › up", "up", "[chromium] › e2e/a.spec.ts:2:5 › cart › adds › up ─────"),
    ],
)
def test_playwright_puts_the_place_of_the_test_above_its_words(
    tmp_path: Path, name: str, title: str, heading: str
) -> None:
    words = f"<![CDATA[  {heading}\n\n    Error: boom\n\n      at a.spec.ts:2:36]]>"
    failure = f'<failure message="a.spec.ts:2:5 {title}" type="FAILURE">{words}</failure>'
    test = f'<testcase name="{name}" classname="a.spec.ts">{failure}</testcase>'
    case = only(import_text(tmp_path, f'<testsuite name="s">{test}</testsuite>'))
    assert case.error_message == "Error: boom"


CHAIN = """Traceback (most recent call last):
  File "t.py", line 4, in setUp
    db = {}["url"]
         ^^^^^^^^^
KeyError: 'url'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "t.py", line 6, in setUp
    raise RuntimeError("no db") from None
RuntimeError: no db
"""
LED = "RuntimeError: no db\nCaused by: KeyError: 'url'"
CARGO = """
thread 'tests::adds' (2170) panicked at src/lib.rs:5:9:
assertion `left == right` failed
  left: 2
 right: 3
note: run with `RUST_BACKTRACE=1`
"""
BATS = (
    "(in test file a.bats, line 3)\n  `nosuch --x' failed with status 127\na.bats: line 3: nosuch"
)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (f'<failure message="test failure">{CHAIN}</failure>', LED),
        (f'<failure type="failure">{BATS}</failure>', "`nosuch --x' failed with status 127"),
        ('<error type="TEST_CASE">\nFAILED:\nno stock\nat c.cc:4\n</error>', "TEST_CASE: no stock"),
        (
            f'<failure type="assert"/><system-out>{CARGO}</system-out>',
            "assertion `left == right` failed left: 2 right: 3",
        ),
        (
            "<failure message=''/><system-out>hi\n0 failed\na.c:12: bad assertion</system-out>",
            "a.c:12: bad assertion",
        ),
        (
            '<error message="exited with error code 1"/>'
            f"<system-out>exec t.py\n{CHAIN}1 error</system-out>",
            "RuntimeError: no db",
        ),
        (
            '<error message="exited with error code 1"/><system-out>all is well</system-out>',
            "exited with error code 1",
        ),
        (
            "<failure/><system-out>Given nothing....undefined</system-out>",
            "Given nothing....undefined",
        ),
        ("<failure/><system-out>hi</system-out>", ""),
        ('<failure message="not ok 2 - t">not ok 2 - t\ngot: 1</failure>', "got: 1"),
        (
            '<failure message="1 failure, see stacktrace for details" type="x:">Failure:\nWas 2'
            "</failure>",
            "x: Was 2",
        ),
        ('<failure message="x is 3"/><system-out>an error</system-out>', "x is 3"),
    ],
    ids=[
        "python",
        "bats",
        "catch",
        "cargo",
        "ctest",
        "bazel",
        "silent",
        "cucumber",
        "none",
        "perl",
        "dart",
        "own",
    ],
)
def test_words_stand_where_each_runner_puts_them(tmp_path: Path, told: str, words: str) -> None:
    test = f'<testcase name="t">{told}</testcase>'
    case = only(import_text(tmp_path, f'<testsuite name="s">{test}</testsuite>'))
    assert case.error_message == words


def test_an_encoding_that_nobody_knows_is_passed_over(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="UTF_88"?><testsuite><testcase name="t"><failure>no'
    case = only(import_text(tmp_path, f"{text} naïve</failure></testcase></testsuite>"))
    assert case.error_message == "no naïve"


PRINTED = {
    "sanitizer": (
        "3 errors expected\n==9==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at\n"
        "    #0 0x55 in push /src/ring.c:5\nSUMMARY: AddressSanitizer: heap-use-after-free "
        "/src/ring.c:5 in push\nShadow bytes\n==9==ABORTING",
        "AddressSanitizer: heap-use-after-free /src/ring.c:5 in push",
    ),
    "thread sanitizer": (
        "WARNING: ThreadSanitizer: data race (pid=6)\n  Read of size 4\n"
        "SUMMARY: ThreadSanitizer: data race /src/n.cc:2 in add()\n",
        "ThreadSanitizer: data race /src/n.cc:2 in add()",
    ),
    "undefined behaviour": (
        "no error so far\nub.c:3:29: runtime error: signed integer overflow\n"
        "SUMMARY: UndefinedBehaviorSanitizer: undefined-behavior ub.c:3:29 in",
        "ub.c:3:29: runtime error: signed integer overflow",
    ),
    "go race": (
        "==================\nWARNING: DATA RACE\nWrite at 0x00c0000b4010 by goroutine 8:\n"
        "  app.(*C).Add()\n      /src/c.go:9 +0x44\n\n    testing.go:1465: race detected during "
        "execution of test\n--- FAIL: TestCounter (0.00s)\nFAIL",
        "DATA RACE Write app.(*C).Add() /src/c.go:9",
    ),
    "terminate": (
        "terminate called after throwing an instance of 'std::out_of_range'\n"
        "  what():  index 7 of 3\n",
        "terminate called after throwing an instance of 'std::out_of_range' what(): index 7 of 3",
    ),
    "assert of glibc": (
        "asserting\nt: t.c:9: int main(void): Assertion `n == 3' failed.\n",
        "t: t.c:9: int main(void): Assertion `n == 3' failed.",
    ),
    "assert of macOS": (
        "no error\nAssertion failed: (n == 3), function main, file t.c, line 9.\n",
        "Assertion failed: (n == 3), function main, file t.c, line 9.",
    ),
    "abort": ("start\nfree(): double free detected", "free(): double free detected"),
    "googletest": (
        "[ RUN      ] A.B\ng.cc:3: Failure\nExpected equality of these values:\n  n\n    Which is: "
        "3\n  4\n[  FAILED  ] A.B (0 ms)",
        "g.cc:3: Failure Expected equality of these values: n Which is: 3 4",
    ),
    "catch": (
        "c.cc:7: FAILED:\n  REQUIRE( n == 10 )\nwith expansion:\n  9 == 10\n\n====",
        "c.cc:7: FAILED: REQUIRE( n == 10 ) with expansion: 9 == 10",
    ),
    "minitest": (
        "FE\n\nFinished in 0.0006s, 6545.9 runs/s, 3272.9 assertions/s.\n\n  1) Error:\n"
        "LedgerTest#test_nil:\nKeyError: key not found: :amount\n    t.rb:3:in `fetch'\n\n"
        "4 runs, 2 assertions, 2 failures, 2 errors, 0 skips",
        "LedgerTest#test_nil: KeyError: key not found: :amount",
    ),
    "rspec": (
        "F\n\nFailures:\n\n  1) Ledger sums\n     Failure/Error: expect(20).to eq 30\n\n"
        "       expected: 30\n            got: 20\n     # ./l_spec.rb:2:in `block'\n\n  2) It x",
        "expect(20).to eq 30 expected: 30 got: 20",
    ),
    "java": (
        "start\na.Error: can not start\n\tat M.m(M.java:4)\nCaused by: b.C: no port\n\tat N.n\n"
        "main over\nCaused by: another",
        "a.Error: can not start\nCaused by: b.C: no port",
    ),
    "counts": (
        "Failures:\n--- FAIL: TestA (0.00s)\nFAILED (failures=1, errors=1)\nno such file: a.db\n"
        "1 test failed",
        "no such file: a.db",
    ),
}


@pytest.mark.parametrize(("printed", "words"), PRINTED.values(), ids=PRINTED)
def test_what_a_program_printed_tells_where_its_runner_does_not(
    tmp_path: Path, printed: str, words: str
) -> None:
    test = f'<testcase name="t"><failure message=""/><system-out>{printed}</system-out></testcase>'
    case = only(import_text(tmp_path, f'<testsuite name="s">{test}</testsuite>'))
    assert case.error_message == words


def test_words_are_found_at_the_end_of_what_is_long(tmp_path: Path) -> None:
    output = f"{'Error: ' * 200_000}\n{chr(10) * 300_000}\n{CHAIN}"
    test = f'<testcase name="t"><failure message="Failed">{output}</failure></testcase>'
    case = only(import_text(tmp_path, f'<testsuite name="s">{test}</testsuite>'))
    assert case.error_message == LED


CAUSES = {
    ".NET": (
        "A.B: order 17\n ---&gt; C.D: no rate\n ---&gt; E.F: no file\n   at G.H() in /p.cs:line 1\n"
        "   --- End of inner exception stack trace ---\n   at I.J()",
        "E.F: no file",
    ),
    "tasks of .NET": (
        "A.B: One or more errors occurred.\n ---&gt; C.D: no rate\n   at G.H()\n"
        " ---&gt; (Inner Exception #1) E.F: no file&lt;---\n",
        "E.F: no file",
    ),
    "java": (
        "a.B: no bean\n\tat c.D(E.java:1)\nCaused by: f.G: no pool\n\tat h.I(J.java:2)\n"
        "\tSuppressed: k.L: shut\n\tCaused by: m.N: lost\nCaused by: o.P: refused\n\t... 9 more",
        "o.P: refused",
    ),
    "phpunit": (
        "A: no bean\n\n/a.php:3\n\nCaused by\nPDOException: refused\n\n",
        "PDOException: refused",
    ),
    "rspec": (
        "Failure/Error: x\n---\n--- Caused by: ---\nPG::Bad:\n  refused\n",
        "PG::Bad: refused",
    ),
    "node": (
        "Error: no bean\n  at a (b.js:1:2) {\n  [cause]: Error: refused\n    at c.js:1:2\n}",
        "Error: refused",
    ),
    "pytest": (
        ">           f()\nE           OSError: refused\n\na.py:5: OSError\n\n"
        "The above exception was the direct cause of the following exception:\n\n"
        "E       A: no bean",
        "OSError: refused",
    ),
    "group": (
        "  + Exception Group Traceback (most recent call last):\n  |   File 'a.py', line 1, in f\n"
        "  | ExceptionGroup: no bean (1 sub-exception)\n  +-+---------------- 1 ----------------\n"
        "    | Traceback (most recent call last):\n    |   File 'a.py', line 3, in g\n"
        "    | OSError: refused\n    +------------------------------------\n",
        "OSError: refused",
    ),
    "said": ("no bean\nCaused by: no bean", ""),
}


@pytest.mark.parametrize(("text", "cause"), CAUSES.values(), ids=list(CAUSES))
def test_what_led_to_a_failure_is_told_with_it(tmp_path: Path, text: str, cause: str) -> None:
    test = f'<testcase name="t"><failure message="no bean">{text}</failure></testcase>'
    case = only(import_text(tmp_path, f'<testsuite name="s">{test}</testsuite>'))
    assert case.error_message == (f"no bean\nCaused by: {cause}" if cause else "no bean")


def test_an_error_of_javascript_has_all_its_lines(tmp_path: Path) -> None:
    for text, words in {
        "Error: expect(got).toBe(want)\n\nExpected: 1\nReceived: 2\n    at <Jasmine>\n"
        "    at Object.x (/a.js:5:13)": ("Error: expect(got).toBe(want)\nExpected: 1\nReceived: 2"),
        "  ● Test suite failed to run\n\n    Cannot find module './b'\n\n    > 1 | require('./b')\n"
        "        | ^\n      at f (c.js:7:11)": "Cannot find module './b'",
    }.items():
        test = f'<testcase name="t"><failure><![CDATA[{text}]]></failure></testcase>'
        case = only(import_text(tmp_path, f'<testsuite name="s">{test}</testsuite>'))
        assert case.error_message == words


def test_a_message_about_another_place_stays(tmp_path: Path) -> None:
    failure = '<failure message="a.cc:5:1 Expected equality">a.cc:5:1 Expected equality</failure>'
    test = f'<testcase name="equality" classname="a">{failure}</testcase>'
    case = only(import_text(tmp_path, f'<testsuite name="s">{test}</testsuite>'))
    assert case.error_message == "a.cc:5:1 Expected equality"


def test_pytest_says_why_it_could_not_collect(tmp_path: Path) -> None:
    words = "ImportError while importing\nTraceback:\na.py:1: in x\nE   ImportError: no nope"
    test = f'<testcase name="a"><error message="collection failure">{words}</error></testcase>'
    case = only(import_text(tmp_path, f'<testsuite name="s">{test}</testsuite>'))
    assert case.error_message == "ImportError: no nope"


def test_a_test_that_only_holds_the_failed_one_is_no_case(tmp_path: Path) -> None:
    """Go fails the parents of a failed subtest too; one that says something itself stays."""
    said = "=== RUN   TestPut\n    put_test.go:3: {}\n"
    tests = [
        ("TestPut/large", said.format("too large")),
        ("TestPut", "=== RUN   TestPut\n--- FAIL: TestPut (0.00s)\n"),
        ("TestGet/one", said.format("no")),
        ("TestGet", said.format("and no cleanup")),
        ("TestEmpty", ""),
    ]
    text = "".join(
        f'<testcase name="{name}"><failure message="Failed">{output}</failure></testcase>'
        for name, output in tests
    )
    scenario = import_text(tmp_path, f'<testsuite name="s" failures="5">{text}</testsuite>')
    named = [case.test_name for case in scenario.cases]
    assert named == ["TestPut/large", "TestGet/one", "TestGet", "TestEmpty"]
    assert scenario.description == "4 of 5 tests failed (0 skipped, 0 flaky) in run0.xml."


@pytest.mark.parametrize(
    ("root", "inner"), [('failures="1" errors="2"', ""), ("", 'failures="1" errors="2"')]
)
def test_failures_without_a_test_are_told(tmp_path: Path, root: str, inner: str) -> None:
    def text(test: str) -> str:
        suite = f'<testsuite name="s" {inner}><testcase name="a">{test}</testcase></testsuite>'
        return f"<testsuites {root}>{suite}</testsuites>"

    note = "Failures of no test, as of a build or a suite that did not start: 2."
    scenario = import_text(tmp_path, text("<failure/>"))
    assert scenario.description.endswith(note)
    assert scenario.run_summary.endswith(note)
    with pytest.raises(JUnitError, match=r"none of 1 tests failed.* did not start: 3\."):
        import_text(tmp_path, text(""))


def test_cases_are_numbered_over_all_files() -> None:
    scenario = import_sample("pytest", "go", "maven", "jest")
    assert [case.id for case in scenario.cases] == ["C1", "C2", "C3", "C4", "C5", "C6"]


def test_nested_suites_and_empty_names(tmp_path: Path) -> None:
    nested = (
        '<testsuites><testsuite name="outer"><testsuite name="inner">'
        '<testcase name="t"><failure/></testcase></testsuite></testsuite></testsuites>'
    )
    case = only(import_text(tmp_path, nested))
    assert (case.job, case.test_name, case.error_message) == ("inner", "t", "")


def test_long_logs_keep_both_ends_and_say_so(tmp_path: Path) -> None:
    log = "first line\n" + "x" * 50_000 + "\nlast line"
    text = f'<testsuite name="s"><testcase name="t"><failure>{log}</failure></testcase></testsuite>'
    case = only(import_text(tmp_path, text))
    assert case.log_truncated
    assert case.log_snippet.startswith("first line")
    assert case.log_snippet.endswith("last line")
    assert "characters cut …]" in case.log_snippet
    assert len(case.log_snippet) < 12_100


def test_colours_are_noise() -> None:
    """XML has no escape character; pytest writes `#x1B` in its place."""
    bad, _ = import_sample("pytest").cases
    assert "E   assert 1 == 2" in bad.log_snippet


def test_facts_of_the_run_reach_the_cases() -> None:
    facts = RunFacts("4.21", "build-7", "main", "abc1234")
    scenario, tally = import_runs([SAMPLES / "jest.xml"], "run", [], facts)
    assert only(scenario).version == "4.21"
    assert (scenario.run_id, scenario.git_branch, scenario.git_commit) == (
        "build-7", "main", "abc1234",
    )  # fmt: skip
    assert (tally.tests, tally.failed) == (1, 1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is not XML"),
        ("<testsuite>", "is not XML"),
        ("<html/>", "is not JUnit XML"),
        ('<testsuite name="s"><testcase name="t"/></testsuite>', "none of 1 tests failed"),
        ('<testsuite name="s" tests="0" errors="0"/>', "no test was run"),
        (
            '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite>&b;</testsuite>',
            "defines XML entities",
        ),
        (
            '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite>&a;</testsuite>',
            "defines XML entities",
        ),
    ],
)
def test_what_is_no_report_of_failures_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(JUnitError, match=problem):
        import_text(tmp_path, text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(JUnitError, match=r"missing.xml: No such file"):
        import_runs([tmp_path / "missing.xml"], "run", [])


def test_a_case_tells_how_its_test_went_in_other_files(tmp_path: Path) -> None:
    def report(*failed: str) -> str:
        marks = {name: "<failure/>" if name in failed else "" for name in ("a", "b")}
        tests = "".join(f'<testcase name="{n}">{mark}</testcase>' for n, mark in marks.items())
        return (
            f'<testsuite name="pytest">{tests}<testcase name="c"><skipped/></testcase></testsuite>'
        )

    scenario = import_text(tmp_path, report("a", "b"), report("b"), report())
    told = [(case.job, case.test_name, case.log_snippet) for case in scenario.cases]
    note = "[no log]\n[this is the result in {}; a test of this name {}]"
    assert told == [
        ("pytest (run0)", "a", note.format("run0", "passed in run1, run2")),
        ("pytest (run0)", "b", note.format("run0", "passed in run2 and failed in run1")),
        ("pytest (run1)", "b", note.format("run1", "passed in run2 and failed in run0")),
    ]


def test_files_of_one_name_are_told_apart_by_their_directories(tmp_path: Path) -> None:
    files = [tmp_path / job / "results.xml" for job in ("linux", "macos")]
    for file, mark in zip(files, ("", "<failure/>"), strict=True):
        file.parent.mkdir()
        file.write_text(f'<testsuite><testcase name="t">{mark}</testcase></testsuite>')
    case = only(import_runs(files, "run", [])[0])
    assert case.job == "macos/results"
    assert case.log_snippet.endswith("a test of this name passed in linux/results]")


def test_the_example_that_ships_is_a_real_run() -> None:
    import toolroll_investigation

    folder = Path(toolroll_investigation.__file__).parent / "examples"
    scenario, tally = import_runs([folder / f"{EXAMPLE}.xml"], EXAMPLE, [])
    assert (tally.tests, tally.failed, tally.skipped) == (111, 10, 2)
    assert all(case.error_message and case.log_snippet for case in scenario.cases)
