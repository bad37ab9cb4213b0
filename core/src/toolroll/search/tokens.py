"""The one tokeniser: every lexical engine gets its tokens, so all of them rank alike.

A word gives itself in lower case, and its camelCase, snake_case and digit parts; English stop words
are left out and parts are stemmed (Porter). Latin letters lose their accents, since people leave
them out when they ask: `resume` finds `résumé`. The tokeniser decides quality, the engine only
speed: nDCG on CoSQA .364 with plain words, .387 with this (retrieval.md, section 3).
"""

from __future__ import annotations

import functools
import importlib
import re
import threading
import unicodedata
from collections.abc import Sequence
from typing import Any, Final, Protocol, cast

from toolroll.search.errors import EngineMissing, IndexBroken

__all__ = [
    "MAX_TOKEN_LENGTH",
    "STOP_WORDS",
    "TOKENIZER_VERSION",
    "document_tokens",
    "query_tokens",
    "require_tokenizer",
    "split_identifier",
    "tokenize",
    "word_count",
    "words",
]

TOKENIZER_VERSION: Final = 3
"""Stored with every index; an index of another version must be rebuilt."""

MAX_TOKEN_LENGTH: Final = 64
"""Longer tokens are cut to this many characters (minified code, base64)."""

_STOP_WORDS: Final = """
    a about all also an and any are as at be been but by can could did do does for from get had
    has have how i if in into is it its just me my no not of on only or our should so some such
    than that the their them then there these they this to us use using was we were what when where
    which while who why will with would you your"""
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())

_CACHE_LIMIT: Final = 400_000
"""Words remembered before the cache is emptied: about 60 MB."""

_WORD: Final = re.compile(r"\w+")
_PART: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_ACCENTED: Final = re.compile("(?<=[A-Za-z])[\u0300-\u036f]+")
_ALIKE: Final = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O"}
    | {"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i"}
)
"""Latin letters that are no others with a mark."""
# Scripts written without spaces: kana, Han, Hangul, Thai, Lao, Khmer, Myanmar.
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def require_tokenizer(version: int) -> None:
    """Refuse an index that does not hold the tokens of today.

    Raises:
        IndexBroken: Its `TOKENIZER_VERSION` is another.
    """
    if version != TOKENIZER_VERSION:
        raise IndexBroken("the index was written with another tokeniser: build it anew")


def words(text: str) -> list[str]:
    """Return the words of a text as written: runs of letters, digits, marks and underscores."""
    if text.isascii():
        return _WORD.findall(text)
    return _word_with_marks().findall(unicodedata.normalize("NFKC", text))


def word_count(text: str) -> int:
    """Return about how many words a text has: in scripts without spaces, one for two letters."""
    count = len(text.split())
    if not text.isascii():
        count += sum(len(run) for run in _UNSPACED.findall(text)) // 2
    return count


def split_identifier(word: str) -> list[str]:
    """Return the parts of an identifier as written: parseHTTPHeader2 → parse, HTTP, Header, 2."""
    if word.isascii():
        return _PART.findall(word)
    parts: list[str] = []
    start = 0
    previous = _kind(word[0])
    for i in range(1, len(word) + 1):
        kind = _kind(word[i]) if i < len(word) else ""
        if kind == previous or kind == "M":
            continue
        cut = i
        if previous == "u" and kind == "l":  # the last capital of a run starts the next part
            cut = i - 1
        if cut > start:
            if word[start] != "_":
                parts.append(word[start:cut])
            start = cut
        previous = kind
    return parts


def tokenize(text: str) -> list[str]:
    """Return the tokens of a text in order, stop words left out."""
    return document_tokens(text).split()


def query_tokens(query: str) -> list[str]:
    """Return the distinct tokens of a query in order of appearance."""
    return list(dict.fromkeys(tokenize(query)))


def document_tokens(text: str, *, path: str = "", symbols: Sequence[str] = ()) -> str:
    """Return the tokens of a chunk joined by spaces, as `LexicalDocument.tokens` takes them.

    Args:
        text: The chunk's text.
        path: Its file's path; the words of the path are part of what can be found.
        symbols: Names defined in the chunk; each counts once more than it is written.
    """
    lookup = _cache
    found = [lookup[word] for word in words(text)]
    if symbols:
        found += [lookup[word] for symbol in symbols for word in words(symbol)]
    if path:
        found += [lookup[word] for word in words(path)]
    return " ".join(filter(None, found))


class _Cache(dict[str, str]):
    """Word → its tokens joined by spaces; a plain dict look-up for words seen before."""

    def __missing__(self, word: str) -> str:
        tokens = _word_tokens(word)
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        self[word] = tokens
        return tokens


_cache: Final = _Cache()


def _without_accents(word: str) -> str:
    """Return a word with plain Latin letters, unless it would become a stop word, as `thé`.

    On all other letters a mark says which one it is.
    """
    bare = _ACCENTED.sub("", unicodedata.normalize("NFD", word.translate(_ALIKE)))
    return word if bare.lower() in STOP_WORDS else unicodedata.normalize("NFC", bare)


def _word_tokens(word: str) -> str:
    if not word.isascii():
        word = _without_accents(word)
    whole = word.strip("_").lower()
    if not whole:
        return ""
    if not word.isascii() and _UNSPACED.search(word):
        return " ".join(token for run in _runs(word) for token in run)
    parts = [part.lower() for part in split_identifier(word)]
    if len(parts) <= 1:
        plain = parts[0] if parts else whole
        return "" if plain in STOP_WORDS else _stem(plain[:MAX_TOKEN_LENGTH])
    kept = [_stem(part[:MAX_TOKEN_LENGTH]) for part in parts if part not in STOP_WORDS]
    return " ".join([whole[:MAX_TOKEN_LENGTH], *kept])


def _runs(word: str) -> list[list[str]]:
    """Split a word with unspaced script: bigrams of each such run, the rest as words."""
    found: list[list[str]] = []
    end = 0
    for match in _UNSPACED.finditer(word):
        if between := word[end : match.start()]:
            found.append(_word_tokens(between).split())
        run = match[0]
        found.append([run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)])
        end = match.end()
    if rest := word[end:]:
        found.append(_word_tokens(rest).split())
    return found


def _stem(part: str) -> str:
    if len(part) < 4 or not part.isascii() or part.isdigit():
        return part
    with _stemming:
        return _stemmer().stemWord(part)


_stemming: Final = threading.Lock()


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


@functools.cache
def _stemmer() -> _Stemmer:
    """Return the Porter stemmer; it keeps state, so calls are serialised by `_stemming`."""
    try:
        module: Any = importlib.import_module("Stemmer")
    except ImportError as error:
        raise EngineMissing("the tokeniser", "PyStemmer") from error
    without_cache = 0  # words are kept by `_cache`; its own costs more than stemming does
    return cast(_Stemmer, module.Stemmer("porter", without_cache))


@functools.cache
def _word_with_marks() -> re.Pattern[str]:
    r"""Return a pattern for words that may hold combining marks, which `\w` leaves out."""
    marks = "".join(
        chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M"
    )
    return re.compile(rf"[\w{marks}]+")


def _kind(character: str) -> str:
    """Return the class of a character inside a word: lower, upper, digit, mark or underscore."""
    if character == "_":
        return "_"
    category = unicodedata.category(character)
    if category == "Lu":
        return "u"
    if category[0] == "N":
        return "d"
    return "M" if category[0] == "M" else "l"
