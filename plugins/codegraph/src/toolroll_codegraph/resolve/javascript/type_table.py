"""Types of TypeScript as numbers: what may be of what, and with which arguments.

A type is a tuple of terms, any of which a value may be. A term is a number that stands for

* `("c", scope, env)`: an object of a class or interface. `env` has the arguments of each list of
  type parameters: `((list, (type, …)), …)`.
* `("e", type)`: what holds elements; `("f", type)`: a function by its result.
* `("m", list, place, env)`: a mapped type, by the expression for its values.
* `("t", name)`: a text; `("p", list, place)`: a type parameter for which nothing is given;
  `("?",)`: what nobody knows.

A list of parameters is told by its file and where it begins there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

Type = tuple[int, ...]
Environment = tuple[tuple[int, tuple[Type, ...]], ...]
UNKNOWN: Final[Type] = (0,)
MOST_TERMS: Final = 6
"""Terms of one type; what may be of more tells nothing."""
DEEPEST: Final = 5
"""Types inside of one another: a type that is made of itself would never end."""


class TermTable:
    """Terms by their numbers, and what is known of each."""

    def __init__(self) -> None:
        self.terms: list[tuple[Any, ...]] = [("?",)]
        self._numbers: dict[tuple[Any, ...], int] = {("?",): 0}
        self._depth = [0]
        self.open = [False]
        """Whether a term has parameters for which nothing is given."""
        self.telling = [False]
        """Whether a term has arguments that tell something."""

    def term(self, *term: Any) -> int:
        found = self._numbers.get(term)
        if found is None:
            found = self._numbers[term] = len(self.terms)
            self.terms.append(term)
            inside = self._inside(term)
            self._depth.append(1 + max((self._depth[it] for it in inside), default=0))
            self.open.append(term[0] == "p" or any(self.open[it] for it in inside))
            self.telling.append(term[0] == "m" or any(self._is_class(it) for it in inside))
        return found

    def _inside(self, term: tuple[Any, ...]) -> list[int]:
        if term[0] in "ef":
            return [*term[1]]
        if term[0] in "cm":
            return [it for _, given in term[-1] for types in given for it in types]
        return []

    def _is_class(self, term: int) -> bool:
        return self.terms[term][0] == "c" or self.telling[term]

    def closed(self, types: Type) -> Type:
        """A type without what has parameters for which nothing is given."""
        if not any(self.open[it] for it in types):
            return types
        return tuple(dict.fromkeys(0 if self.open[it] else it for it in types))

    def wrapped(self, head: str, types: Type) -> Type:
        """What holds, or returns, a type; nobody knows which where that is too deep."""
        if types in (UNKNOWN, ()) or max(self._depth[it] for it in types) >= DEEPEST:
            return UNKNOWN
        return (self.term(head, types),)

    def arguments(self, known: int, given: tuple[Type, ...]) -> Environment:
        deepest = max((self._depth[it] for types in given for it in types), default=0)
        return ((known, given if deepest < DEEPEST else (UNKNOWN,) * len(given)),)


def joined(types: Iterable[Type]) -> Type:
    """A value of any of some types."""
    first: Type = ()
    for part in types:
        if first != part:
            first = tuple(dict.fromkeys((*first, *part))) if first else part
    return first if len(first) <= MOST_TERMS else UNKNOWN
