"""The words of a failure that languages, test runners and sanitizers mark in their output."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["PYTHON_ERROR", "marked_words"]

# The place stands with the kind of error; that of undefined behaviour in a line of its own.
_SANITIZER: Final = re.compile(
    r"^(?:SUMMARY: ((?!Undefined)\w+Sanitizer: .+)|(\S+:\d+:\d+: runtime error: .+))$", re.MULTILINE
)
_GO_RACE: Final = re.compile(
    r"^WARNING: (DATA RACE)\n(\w[\w ]{0,30}) at 0x\w+ by .+:\n\s*(\S+)\n\s*(\S+:\d+)", re.MULTILINE
)
_GO_PANIC: Final = re.compile(r"^(?:panic|fatal error): .+$", re.MULTILINE)
_TESTIFY: Final = re.compile(
    r"^[ \t]*Error:\s+(.{1,2000}?)\n\s*(?:Test|Messages):", re.MULTILINE | re.DOTALL
)
# Code that can't be read is shown, further to the right, before it is told what is wrong with it.
_PYTEST_SYNTAX: Final = re.compile(
    r"^E( {3,})  File .+, line \d+\n(?:E\1 .*\n)+E\1(\S.*)$", re.MULTILINE
)
_PYTEST_ERROR: Final = re.compile(r"^E {3,}(\S.*)$", re.MULTILINE)
# The first line after the frames; of errors that led to one another the last is the one raised.
PYTHON_ERROR: Final = re.compile(
    r"^Traceback \(most recent call last\):\n(?:[ \t].*\n)+(\S.*)", re.MULTILINE
)
_RUST_PANIC: Final = re.compile(
    r"^thread .{1,300} panicked at .{1,300}:\n((?:(?!note: |stack backtrace:).+(?:\n|\Z))+)",
    re.MULTILINE,
)
# GoogleTest's and Catch's, up to the next mark of the runner.
_CPP_FAILURE: Final = re.compile(
    r"^((?:\S+:\d+|unknown file): (?:Failure|FAILED:)\n(?:(?!\[ ).+(?:\n|\Z))+)", re.MULTILINE
)
_CPP_TERMINATE: Final = re.compile(
    r"^terminate called after throwing an instance of '.+'(?:\n +what\(\): +.+)?$", re.MULTILINE
)
# As glibc says it, then macOS and musl.
_C_ASSERT: Final = re.compile(
    r"^(?:.{1,300}:\d+: .{0,1000}Assertion .{1,1000} failed\.|Assertion failed: .+)$", re.MULTILINE
)
_MINITEST: Final = re.compile(
    r"^ +\d+\) (?:Failure|Error):\n((?:(?! +\S+:\d+:in ).+(?:\n|\Z))+)", re.MULTILINE
)
_RSPEC: Final = re.compile(
    r"^ +Failure/Error: (.+\n(?:(?! +# | +\d+\) )(?: .*)?\n){0,30})", re.MULTILINE
)
# What is wrong with the code stands below much advice that is always the same.
_JEST_PARSER: Final = re.compile(
    r"^ *Jest encountered an unexpected token\n(?:.*\n){1,60}? *Details:\n\s*(\S.*)$", re.MULTILINE
)
# Perl's and pgTAP's, below the name of the test and its place.
_TAP: Final = re.compile(
    r"^#\s+Failed test\b.*\n(?:#\s+(?:in|at) .+ line \d+\.\n)?((?:#\s+\S.*(?:\n|\Z))+)",
    re.MULTILINE,
)
_TAP_MARGIN: Final = re.compile(r"^#\s+", re.MULTILINE)
# Terraform's: what is wrong and what that means, around the place and the code of it.
_TERRAFORM: Final = re.compile(
    r"^Error: (.+)\n\n +on .+ line \d+.*\n(?: .*\n)*\n(\S.*(?:\n\S.*)*)", re.MULTILINE
)
_MARKS: Final = (
    _JEST_PARSER, _SANITIZER, _GO_RACE, _GO_PANIC, _TESTIFY, _PYTEST_SYNTAX, _PYTEST_ERROR,
    _RUST_PANIC, _CPP_FAILURE, _CPP_TERMINATE, _C_ASSERT, _MINITEST, _RSPEC,
    _TERRAFORM,
)  # fmt: skip


def marked_words(text: str) -> str:
    """What is marked as the words of a failure, on one line; "" where nothing is."""
    for marked in _MARKS:
        if told := marked.search(text):
            words = [part for part in told.groups() if part] or [told[0]]
            return " ".join(" ".join(words).split())
    if told := _TAP.search(text):
        return " ".join(_TAP_MARGIN.sub("", told[1]).split())
    raised = PYTHON_ERROR.findall(text)
    return raised[-1].strip() if raised else ""
