"""What the numbers in the rows of facts are: slots, scopes, or something else.

Who renumbers facts, or asks which function they belong to, need know no more of them. A letter
stands for each number of a row:

| letter | number |
|---|---|
| `d` | slot that the row fills |
| `s` | slot that it uses |
| `a` | the same as a positional argument, where a spread of slot n is -n-2 |
| `c` | scope that it is in |
| `C` | the same where its line, which follows, is not 0 |
| `A` | the same of a read under a computed key: from 1 on, or negated |
| `n` | call of the file, by its number |
| `l` | line |
| `-` | anything else |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from toolroll_codegraph.facts.model import RelationRow

COLUMNS: Final[Mapping[str, str]] = {
    "flow": "ss", "loads": "ds-c-", "stores": "s-sC-", "dynamic": "dsssA", "objects": "dc-",
    "tests": "sc-", "types": "ss-", "constants": "s-", "tails": "sc", "returned": "s",
}  # fmt: skip
"""By the field of `FileFacts`; rows of calls are of different lengths."""
IMPORT: Final = "dc"
"""Of the first and the last number of an import."""
_CALL: Final = "dc-s---"
UNKNOWN: Final = "----"
"""Of a relation that is not listed here: no copy of a function has it."""
_TESTS: Final = {
    "?": "--ss", "<": "--ss", "=": "c---", "implements": "c-s-", "replaced": "l-ss",
    ":": "--s-", "(": "--s-", "@": "--s-", "$": "c---", "^": "c---",
}  # fmt: skip
"""Of JavaScript; of tests and of types with arguments the first letter tells."""
_RELATIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "python": {
        "annotated": "--ss", "answered by": "css-", "answered by items of": "css-",
        "applied": "s-ss", "argument": "c-ss", "asks": "c---", "checked": "c-ss", "default": "c-ss",
        "dotted": "c-l-", "either": "c-s-", "field": "c---", "guarded": "s-ss", "guards": "c-s-",
        "holds": "csl-", "in place": "cs--", "kind": "--ss", "limited": "c-ss", "marked": "--ss",
        "metaclass": "c-s-", "named": "--ss", "parameter": "c-s-", "part": "--ss",
        "property": "c---", "receiver": "c-s-", "refused": "s-ss", "registers": "c-s-",
        "returns": "c-s-", "returns property": "c---", "spelled": "c-l-", "subclass": "s-ss",
        "takes": "c-ss", "typed": "c-s-", "variable": "css-", "with": "c-s-", "without": "c-s-",
    },
    "ruby": {
        "affirmed": "--ss", "alias": "c---", "always": "c---", "answer": "csn-", "around": "--s-",
        "attr": "c---", "blockless": "c-s-", "checked": "s-ss", "const": "c-s-", "default": "c-ss",
        "define": "css-", "delegator": "c---", "denied": "--ss", "extend": "c-sl",
        "extended": "c-s-", "filled": "--ss", "forward": "c---", "global": "--s-", "grown": "c---",
        "handed": "c-s-", "include": "c-sl",
        "iterate": "--ns", "joined": "--ss", "layered": "-sss", "lent": "--s-", "listed": "-sss",
        "misspelled": "--ss", "naming": "--s-",
        "outdated": "c---", "prepend": "c-sl", "public": "c---", "raise": "cls-",
        "reads": "cs-s",
        "refine": "c-s-", "refused": "s-ss", "rescue": "clsl", "rescued": "s-ss", "single": "c-ss",
        "singleton_class.prepend": "c-sl", "spelled": "--ss", "tested": "s-s-",
        "undefined": "c-s-", "unlisted": "-sss", "using": "c-sl", "view": "c-sc", "wraps": "c---",
    },
    "javascript": _TESTS, "typescript": _TESTS,
}  # fmt: skip


def of_call(positional: int, keywords: int) -> str:
    """The columns of a call with its arguments behind it, so many of each; `keywords` counts names
    and slots."""
    return _CALL + "a" * positional + "-s" * (keywords // 2)


def of_relation(kind: str, language: str) -> str:
    """The columns of a relation of a language, but for its kind."""
    known = _RELATIONS[language]
    return known.get(kind) or known.get(kind[0], UNKNOWN)


def lines_of(relation: RelationRow, language: str) -> list[int]:
    """The places of the lines in a relation."""
    columns = of_relation(relation[0], language)
    return [place for place, letter in enumerate(columns, 1) if letter == "l"]


def handed_on(relation: RelationRow, language: str) -> list[int]:
    """The slots in the last two columns of a relation; those that are not listed may be any."""
    columns = of_relation(relation[0], language)
    return [*relation[3:]] if columns == UNKNOWN else slots_of(relation[3:], columns[2:])


def passes_on(relation: RelationRow, language: str) -> bool:
    """Whether a relation lets values of its last slot go on to the one before."""
    kind = relation[0]
    return of_relation(kind, language).endswith("ss") and kind != "replaced"


def scope_of(row: Sequence[int], columns: str) -> int:
    """The scope that a row is in, -1 where it says none."""
    for place, letter in enumerate(columns):
        if letter == "c" or (letter == "C" and row[place + 1]):
            return row[place]
        if letter == "A" and row[place]:
            return abs(row[place]) - 1
    return -1


def slots_of(row: Sequence[int], columns: str, letters: str = "dsa") -> list[int]:
    """The slots in the columns of these letters."""
    found: list[int] = []
    for number, letter in zip(row, columns, strict=True):
        if letter in letters:
            found.append(-number - 2 if letter == "a" and number < -1 else number)
    return [slot for slot in found if slot >= 0]


def moved(
    row: Sequence[int],
    columns: str,
    scopes: Mapping[int, int],
    slots: Mapping[int, int],
    calls: Mapping[int, int],
) -> list[int]:
    """A row with other scopes, slots and calls; those that are not named stay."""
    found: list[int] = []
    for number, letter in zip(row, columns, strict=True):
        if letter in "ds":
            number = slots.get(number, number)
        elif letter == "a":
            spread = number < -1
            number = slots.get(-number - 2 if spread else number, -number - 2 if spread else number)
            number = -number - 2 if spread else number
        elif letter == "n":
            number = calls.get(number, number)
        elif letter in "cC":
            number = scopes.get(number, number)
        elif letter == "A" and number:
            scope = scopes.get(abs(number) - 1, abs(number) - 1) + 1
            number = scope if number > 0 else -scope
        found.append(number)
    return found
