"""What a failed test of JUnit XML is called, and the words that tell why it failed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from toolroll_investigation.marked_words import PYTHON_ERROR, marked_words

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element  # for the type only: parsing is defused

MAX_MESSAGE: Final = 2_000
MAX_CAUSE: Final = 500
MAX_LINES: Final = 12
"""Lines of an error whose own words have several."""
SEARCHED: Final = 100_000
"""Characters in which words are looked for, at each end of a text."""

# What reporters write into `message` or `type` when they have nothing to say.
_EMPTY_WORDS: Final = frozenset(
    {
        "", "failed", "failure", "error", "test failed", "test failure", "testcodefailure",
        "collection failure", "test suite failed to run", "none", "nonetype", "null", "undefined",
    }
)  # fmt: skip
# Bazel's words for a test that ends badly, the place that Rust names first, Dart's reference to
# what says more, and Terraform's counts.
_SAYS_LITTLE: Final = re.compile(
    r"exited with error code \d+|thread .+ panicked at \S+:\d+:\d+:?"
    r"|\d+ failures?, see stacktrace for details|\d+ of \d+ (?:tests|assertions) failed"
    r"|Test run failed|Encountered an error"
)
# When and by whom a line was logged: of another run it is another, and hides how the line begins.
_STAMP: Final = re.compile(
    r"^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    r"(?: ?(?:Z|[+-]\d\d:?\d\d|UTC|GMT|CES?T|[CEMP][DS]T)\b)?\]?(?: \[\d+\])?:?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w./-]+(?:\[\d+\])?:)[ \t]",
    re.MULTILINE,
)
# What a check of Catch2 became, or what was thrown in it: its message has the code alone.
_EXPANDED: Final = re.compile(
    r"^(with expansion|due to (?:unexpected exception with message|a fatal error condition)):\n"
    r"((?:[ \t]+\S.*(?:\n|\Z))+)",
    re.MULTILINE,
)
# CTest's words for a program that a signal ended.
_CRASHED: Final = re.compile(r"SEGFAULT|ILLEGAL|NUMERICAL|Subprocess aborted|Exception: \w+")
# What may stand beside a test's name without a word of why it failed.
_STATE: Final = re.compile(r"\b(?:not ok|tests?|failed|failure|error)\b|[\d\W_]", re.IGNORECASE)
# XML can't hold the escape character; pytest spells it out.
_ANSI: Final = re.compile(r"(?:\x1b|#x1B)\[[0-9;?]*[ -/]*[@-~]")
# Others, as Vitest, drop it; that colours end tells them from what a program wrote.
_BARE_COLOUR: Final = re.compile(r"\[\d{1,3}(?:;\d{1,3}){0,4}m")
_COLOUR_END: Final = re.compile(r"\[(?:0|22|39)m")
# What Go's runner writes between a test's own lines; the frames of a panic have no second colon.
_GO_MARK: Final = re.compile(r"\s*(?:===|---) [A-Z]+:? ")
_GO_LOCATED: Final = re.compile(r"\s*\S+\.go:\d+:(?:\d+:)?\s*(\S.*)$")
_GO_CONTINUED: Final = " " * 8
# What fails says so in these words; nothing else tells Go's t.Error from its t.Log.
_GO_ERROR: Final = re.compile(
    r"\b(?:got|want(?:ed)?|expect(?:ed|ing)?|unexpected|err(?:ors?)?|fail(?:ed|s|ures?)?|mismatch(?:ed)?"
    r"|invalid|wrong|missing|can ?not|can't|could(?: not|n't)|should|must|differ(?:s|ent)?"
    r"|not (?:equal|found)|timed out|timeout)\b|!=",
    re.IGNORECASE,
)
# Where a test stands and what it is called, which is all that Playwright long said in `message`.
_PLACED: Final = re.compile(r"(?:\[[^\]]*\] › )?\S+:\d+:\d+ (?:› )?(.+?)[ ─]*$")
# JavaScript's errors end where their frames begin, with the lines of code that some runners show.
_SCRIPT_FRAME: Final = re.compile(r"^[ \t]+at (?:.{0,300}:\d+:\d+\)?(?: \{)?|<\w+>)$", re.MULTILINE)
_SCRIPT_KIND: Final = re.compile(r"[\w$.]+(?: \[\w+\])?")
_SHOWN_CODE: Final = re.compile(r"\s*>?\s*\d*\s*\|")
# What led to an error, as Java and its kin, PHPUnit, RSpec, Node.js and .NET tell it: the first
# last.
_CAUSES: Final = (
    re.compile(r"^Caused by: (\S.*)$", re.MULTILINE),
    re.compile(r"^Caused by\n(\S.*)$", re.MULTILINE),
    re.compile(r"^-+ Caused by: -+\n\s*(\S+:\n\s*\S.*)$", re.MULTILINE),
    re.compile(r"^[ \t]*\[cause\]: \[?(.+?)(?:\]| \{)?$", re.MULTILINE),
    re.compile(r"^  failureType: 'hookFailed',\n  cause: \[?(.+?)(?:\]| \{)?$", re.MULTILINE),
    re.compile(r"^ *---> (?:\(Inner Exception #\d+\) )?(\S.*?)(?:<---)?$", re.MULTILINE),
)
# Python tells it in the order of time.
_PYTHON_LED: Final = re.compile(
    r"^(?:The above exception was the direct cause of the following exception"
    r"|During handling of the above exception, another exception occurred):$",
    re.MULTILINE,
)
_PYTHON_GROUP: Final = "Exception Group Traceback (most recent call last):"
_PYTHON_MARGIN: Final = re.compile(r"^ *(?:\| ?|\+(?:[-+]|$)[-+\d ]*\n?|\+ )", re.MULTILINE)
# In the output of any program.
_PROGRAM_ERROR: Final = re.compile(
    r"(?<!\b0 )\b(?:\w*(?:error|exception|assert|panic)\w*|fail(?:ed|s|ures?)?|fatal|undefined"
    r"|can ?not|can't|could(?: not|n't)|not found|no such|denied|refused|timed out|timeout"
    r"|abort(?:ed)?|segmentation fault|double free|corrupt(?:ed|ion)|smashing"
    r"|unexpected|mismatch(?:ed|es)?|expected\b.{1,200}\b(?:got|but|actual|found|received|was))\b",
    re.IGNORECASE,
)
# A heading or a summary, as `Failures:` or `2 runs, 1 failures`, has these words alone.
_TALLY: Final = re.compile(
    r"\b(?:finished|ran|in|of|and|tests?|suites?|runs?|checks?|examples?|assertions?|pass(?:ed|es)?"
    r"|fail(?:ed|s|ures?)?|errors?|skip(?:ped|s)?|total|seconds?|m?s|0)\b|[\d\W_]",
    re.IGNORECASE,
)


def test_name(test: Element) -> str:
    """Class and name, unless the name says both already, as Jest's and Mocha's do.

    Maven gives no name to what failed before the tests of a class.
    """
    name, owner = test.get("name", "").strip(), test.get("classname", "").strip()
    if not name or not owner:
        return name or owner
    return name if _says(name, owner) else f"{owner}.{name}"


def _says(name: str, owner: str) -> bool:
    """Whether the name begins or ends with the words of the class."""
    if name == owner:
        return True
    begins = name.startswith(owner) and not _in_word(name[len(owner)])
    return begins or name.endswith(f" {owner}")


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def error_message(test: Element, mark: Element) -> str:
    """The words of a failure: its message, or the line of its text that says most."""
    message = clean(mark.get("message", "")).strip()
    if message.lower() in _EMPTY_WORDS:
        message = ""
    if not message or _names(test, message) or _SAYS_LITTLE.fullmatch(message):
        text = _without_heading(_ends(mark.text), test)
        message = _first_words(text) or _output_words(test) or message
    elif _CRASHED.fullmatch(message):
        message = ": ".join(filter(None, (message, _output_words(test))))
    else:
        message = _with_lines(message, _ends(mark.text), test)
        if expanded := _EXPANDED.search(_ends(mark.text)):
            message = f"{message}\n{expanded[1]}: {' '.join(expanded[2].split())}"
    kind = mark.get("type", "").strip().partition("\n")[0].strip(": ")  # Maven's may go on
    if kind.lower() not in _EMPTY_WORDS and kind.rpartition(".")[2] not in message:
        message = f"{kind}: {message}" if message else kind
    return _with_cause(message, _ends(mark.text))


def _with_lines(message: str, text: str, test: Element) -> str:
    """A message with its lines as the text has them: in attributes XML makes them spaces.

    Node.js leaves nothing at all in their place, Playwright tells the first alone.
    """
    if "\n" in message:
        return message
    if _SCRIPT_FRAME.search(text):
        first, *lines = _first_words(_without_heading(text, test)).split("\n")
        lines = list(takewhile(lambda line: not line.startswith("at "), lines))
        if lines and (first == message or first.endswith(f": {message}")):
            return "\n".join([first, *lines])
    said = message[:MAX_MESSAGE].removeprefix("Uncaught ")  # which only Deno's messages begin with
    letters = "".join(said.split())
    start = "".join(text.split()).find(letters)
    if not letters or start < 0:
        return message
    places = [place for place, character in enumerate(text) if not character.isspace()]
    found = text[places[start] : places[start + len(letters) - 1] + 1]
    return "\n".join(line.rstrip() for line in found.split("\n")) if "\n" in found else message


def _with_cause(message: str, text: str) -> str:
    """A message with what led to it in the end, where the text tells."""
    cause = _root_cause(text)
    if not cause or cause in message:
        return message[:MAX_MESSAGE]
    return f"{message[: MAX_MESSAGE - MAX_CAUSE]}\nCaused by: {cause[:MAX_CAUSE]}"


def _root_cause(text: str) -> str:
    """What led to a failure in the end, where its language tells; "" else."""
    for told in _CAUSES:
        if causes := told.findall(text):
            return " ".join(causes[-1].split())
    if _PYTHON_GROUP in text:
        text = _PYTHON_MARGIN.sub("", text)
        return PYTHON_ERROR.findall(text)[-1].strip() if PYTHON_ERROR.search(text) else ""
    led = _PYTHON_LED.search(text)
    return marked_words(text[: led.start()]) if led else ""


def _without_heading(text: str, test: Element) -> str:
    """The text without the test's own name, which PHPUnit and Playwright put above it."""
    heading, _, rest = text.lstrip().partition("\n")
    return rest if _names(test, heading.rstrip()) else text


def _names(test: Element, line: str) -> bool:
    """Whether a line says nothing but which test it is about."""
    owner, name = test.get("classname", ""), test.get("name", "")
    owners = (owner, owner.replace(".", "\\"))  # PHPUnit's `classname` has dots for `\\`
    if owner and line.startswith(tuple(f"{it}::{name}" for it in owners)):
        return True
    if name and name in line:
        said = "|".join(re.escape(it) for it in (name, owner) if it)
        if not _STATE.sub("", re.sub(rf"(?<!\w)(?:{said})(?!\w)", "", line)):
            return True
    placed = _PLACED.fullmatch(line)
    return placed is not None and bool(name) and f" › {name}".endswith(f" › {placed[1]}")


def _first_words(text: str) -> str:
    """The words that tell what failed: what a language or runner marks so, or the first line."""
    if marked := marked_words(text):
        return marked
    frame = _SCRIPT_FRAME.search(text)
    told = text[: frame.start()] if frame else text
    lines = [line for line in told.splitlines() if _says_something(line)]
    if frame:
        return "\n".join(_said_once([line.strip() for line in lines])[:MAX_LINES])
    if located := _go_words(lines):  # else the last: t.Fatal ends its test
        return next((it for it in located if _GO_ERROR.search(it.partition("\n")[0])), located[-1])
    return lines[0].strip() if lines else ""


def _said_once(lines: list[str]) -> list[str]:
    """The lines from where an error says with its kind what Mocha puts above it without."""
    for place, line in enumerate(lines[1:], start=1):
        kind = line.removesuffix(f": {lines[0]}")
        if kind != line and _SCRIPT_KIND.fullmatch(kind):
            return lines[place:]
    return lines


def _go_words(lines: Sequence[str]) -> list[str]:
    """What a test of Go told at each of its places, with the lines that continue it."""
    told: list[list[str]] = []
    for line in lines:
        if found := _GO_LOCATED.match(line):
            told.append([found[1].strip()])
        elif told and line.startswith(_GO_CONTINUED):
            told[-1].append(line.strip())
    return ["\n".join(words[:MAX_LINES]) for words in told]


def _says_something(line: str) -> bool:
    """Whether a line is more than a mark of the runner, or a place as Bats gives it."""
    words = line.strip().removeprefix("● ")
    placed = words.startswith("(") and words.endswith(")")
    empty = placed or words.lower().rstrip(":") in _EMPTY_WORDS
    return not (empty or _GO_MARK.match(line) or _SHOWN_CODE.match(line))


def _output_words(test: Element) -> str:
    """What the test itself printed of its failure: all that CTest, Bazel and Cargo have to tell."""
    for tag in ("system-err", "system-out"):
        text = _ends(test.findtext(tag))
        if marked := marked_words(text):
            return marked
        lines = iter(text.splitlines())
        for line in lines:
            if _PROGRAM_ERROR.search(line) and not _only_counts(line):
                frames = takewhile(lambda it: it.startswith((" ", "\t", "Caused by: ")), lines)
                return _with_cause(line.strip(), "\n".join(frames))
    return ""


def _only_counts(line: str) -> bool:
    """Whether a line is no more than a heading, a count of tests, or a mark with a test's name."""
    return bool(_GO_MARK.match(line)) or not _TALLY.sub("", line)


def _ends(text: str | None) -> str:
    """Both ends of a text, its lines without the time that they were logged."""
    whole = text or ""
    if len(whole) > 2 * SEARCHED:
        whole = f"{whole[:SEARCHED]}\n{whole[-SEARCHED:]}"
    return _STAMP.sub("", clean(whole))


def clean(text: str) -> str:
    """The text without colours, with line feeds alone between its lines."""
    text = _ANSI.sub("", text).replace("\r\n", "\n")
    return _BARE_COLOUR.sub("", text) if _COLOUR_END.search(text) else text
