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
_RELATIONS: Final[Mapping[str, str]] = {
    # Python
    "answered by": "css-", "answered by items of": "css-", "asks": "c---", "checked": "c-ss",
    "default": "c-ss", "either": "c-s-", "field": "c---", "in place": "cs--", "kind": "--ss",
    "limited": "c-ss", "marked": "--ss", "metaclass": "c-s-", "named": "--ss", "property": "c---",
    "refused": "s-ss", "registers": "c-s-", "returns property": "c---", "subclass": "s-ss",
    "with": "c-s-", "without": "c-s-",
    # JavaScript: the first letter of a test
    "?": "--ss", "<": "--ss", "=": "c---", "implements": "c-s-", "replaced": "--ss",
}  # fmt: skip


def of_call(positional: int, keywords: int) -> str:
    """The columns of a call with its arguments behind it, so many of each; `keywords` counts names
    and slots."""
    return _CALL + "a" * positional + "-s" * (keywords // 2)


def of_relation(kind: str) -> str:
    """The columns of a relation, but for its kind."""
    return _RELATIONS.get(kind) or _RELATIONS.get(kind[0], "----")


def passes_on(relation: RelationRow) -> bool:
    """Whether a relation lets values of its last slot go on to the one before."""
    kind = relation[0]
    return of_relation(kind).endswith("ss") and kind != "replaced"


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
    row: Sequence[int], columns: str, scopes: Mapping[int, int], slots: Mapping[int, int]
) -> list[int]:
    """A row with other scopes and slots; those that are not named stay."""
    found: list[int] = []
    for number, letter in zip(row, columns, strict=True):
        if letter in "ds":
            number = slots.get(number, number)
        elif letter == "a":
            spread = number < -1
            number = slots.get(-number - 2 if spread else number, -number - 2 if spread else number)
            number = -number - 2 if spread else number
        elif letter in "cC":
            number = scopes.get(number, number)
        elif letter == "A" and number:
            scope = scopes.get(abs(number) - 1, abs(number) - 1) + 1
            number = scope if number > 0 else -scope
        found.append(number)
    return found
