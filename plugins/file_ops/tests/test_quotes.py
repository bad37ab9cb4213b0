"""A query that is text of a file, such as a message of a log, finds the file that says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolroll.search.quotes import quoting
from toolroll.search.tokens import document_tokens
from toolroll_file_ops import ranking

if TYPE_CHECKING:
    from conftest import Host

FILES = {
    "redirect_limit.py": '"""Limits of redirects: how many a request follows."""\n'
    "class RedirectLimit:\n    '''The limit that redirects of a request reach.'''\n"
    + "    # redirect, limit, request, reach\n"
    * 8,
    "src/client.py": "import errors\n\ndef send(request, hops):\n    if hops > 20:\n"
    "        raise errors.Stop('The request has reached its '\n"
    "                          'limit of redirects: %d' % hops)\n",
    "docs/redirects.md": "# Redirects\n\nRedirects of a request have a limit, which is reached.\n",
}
MESSAGE = "the request has reached its limit of redirects"


@pytest.fixture
def indexed(host: Host) -> Host:
    host.write(FILES)
    host.index()
    return host


@pytest.mark.parametrize(
    "query",
    [
        MESSAGE,
        f'"{MESSAGE.upper()}"',
        f"{MESSAGE}: 21 (0x7f3a)",
        f"2026-03-01T10:20:30 ERROR [redirect_limit] {MESSAGE} (RedirectLimit)",
        "if hops > 20: raise errors",
    ],
)
def test_what_is_said_word_for_word_comes_first(indexed: Host, query: str) -> None:
    assert indexed.found(query)[0] == "src/client.py"


@pytest.mark.parametrize(
    "query", ["redirects reached its limit of the request", "limit of redirects", "redirect limit"]
)
def test_the_same_words_in_another_order_are_no_quotation(indexed: Host, query: str) -> None:
    assert indexed.found(query)[0] == "redirect_limit.py"


def test_the_name_of_an_error_s_class_is_no_message() -> None:
    notes = document_tokens("See shop.core.errors.StopError, new in this release.")
    said = document_tokens("raise StopError('Hop %d is over the limit of redirects' % hops)")
    query = "shop.core.errors.StopError: Hop 21 is over the limit of redirects"
    assert 1 not in quoting(query, [(1, notes), (2, said)])


def test_where_the_index_keeps_no_order_the_text_is_read(
    indexed: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OfNoIndex: ...

    monkeypatch.setattr(ranking, "Fts5Index", OfNoIndex)
    assert indexed.found(MESSAGE)[0] == "src/client.py"
    assert indexed.found("redirects reached its limit of the request")[0] == "redirect_limit.py"
