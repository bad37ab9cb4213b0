"""Other ways to say a query: abbreviations and their long forms, identifiers as words."""

from __future__ import annotations

from typing import Final

from toolroll.search.tokens import query_tokens, split_identifier, words

__all__ = ["expanded"]

_GROUPS: Final = """
auth authentication authorization login
cfg conf config configuration settings
db database storage
repo repository
dir directory folder
env environment
init initialize initialization setup
msg message
req request
res resp response
err error exception failure
param parameter argument arg
func function method
util utility helper
impl implementation
doc docs documentation
async asynchronous concurrent
perf performance speed latency
fs filesystem file
id identifier key
del delete remove
add create insert
get fetch read load
put write save store
ws websocket
sync synchronize synchronization
parse parser parsing
serialize serializer serialization
throttle ratelimit limiter
cache caching memoize
log logging logger
test testing tests
retry backoff
cli command terminal
"""
_RELATED: Final = {
    word: [other for other in line.split() if other != word]
    for line in _GROUPS.strip().splitlines()
    for word in line.split()
}
MOST_ADDED: Final = 12


def expanded(query: str) -> str | None:
    """Return related terms of a query as a query of their own; None when there are none."""
    said = set(query_tokens(query))
    added: list[str] = []
    for word in words(query):
        parts = [part.lower() for part in split_identifier(word)]
        for part in [word.lower(), *parts]:
            added += _RELATED.get(part, [])
    fresh = [term for term in dict.fromkeys(added) if not said.intersection(query_tokens(term))]
    return " ".join(fresh[:MOST_ADDED]) or None
