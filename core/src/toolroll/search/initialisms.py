"""What a query spells out and code shortens: `lru` for "least recently used", `toc`, `csv`.

A list of what is commonly shortened. The first letters of any words that follow one another would
find more, and mislead more often: "running ssh agent" is no RSA.
"""

from __future__ import annotations

import functools
from typing import Final

from toolroll.search.tokens import query_tokens, tokenize

__all__ = ["initialisms", "query_terms"]

_SPELT_OUT: Final = """
a11y accessibility
aabb axis aligned bounding box
acl access control list
aot ahead of time
ast abstract syntax tree
bbox bounding box
bfs breadth first search
bom byte order mark
bpe byte pair encoding
cdn content delivery network
cfg control flow graph
cli command line interface
cors cross origin resource sharing
crc cyclic redundancy check
crl certificate revocation list
csp content security policy
csr certificate signing request
csrf cross site request forgery
cst concrete syntax tree
csv comma separated values
dag directed acyclic graph
dfa deterministic finite automaton
dfs depth first search
dns domain name system
dom document object model
dsl domain specific language
eof end of file
eol end of line
fd file descriptor
ffi foreign function interface
fft fast fourier transform
fifo first in first out
fps frames per second
fsm finite state machine
gc garbage collection
gui graphical user interface
i18n internationalization
iou intersection over union
ipc inter process communication
jit just in time
jwt json web token
kdf key derivation function
knn nearest neighbours
l10n localization
lcs longest common subsequence
lfu least frequently used
lifo last in first out
lod level of detail
lru least recently used
lsp language server protocol
mfa multi factor authentication
mru most recently used
mvcc multi version concurrency control
nat network address translation
nms non maximum suppression
orm object relational mapping
otp one time password
pdf portable document format
pid process id
pkce proof key for code exchange
prng pseudo random number generator
pwa progressive web app
qos quality of service
rbac role based access control
regex regular expression
repl read eval print loop
rle run length encoding
rng random number generator
rpc remote procedure call
rtt round trip time
seo search engine optimization
sni server name indication
sse server sent events
sso single sign on
ssr server side rendering
stderr standard error
stdin standard input
stdout standard output
svg scalable vector graphics
toc table of contents
totp time based one time password
tsv tab separated values
ttl time to live
uuid universally unique identifier
vlq variable length quantity
vm virtual machine
wal write ahead log
xss cross site scripting
"""


def query_terms(query: str) -> list[str]:
    """Return what a lexical index is asked for: a query's tokens, and what its words stand for."""
    return list(dict.fromkeys((*query_tokens(query), *initialisms(query))))


def initialisms(query: str) -> dict[str, frozenset[str]]:
    """Return the tokens of what the words of a query are shortened to, with the words' own."""
    said = tokenize(query)
    table = _table()
    found: dict[str, frozenset[str]] = {}
    for start, first in enumerate(said):
        for spelt, short in table.get(first, ()):
            if tuple(said[start : start + len(spelt)]) == spelt:
                found[short] = frozenset(spelt)
    return found


@functools.cache
def _table() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Return the tokens that are spelt out, with what stands for them, by their first."""
    made: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for line in _SPELT_OUT.strip().splitlines():
        short, _, words = line.partition(" ")
        spelt = tuple(tokenize(words))
        made.setdefault(spelt[0], []).append((spelt, tokenize(short)[0]))
    return made
