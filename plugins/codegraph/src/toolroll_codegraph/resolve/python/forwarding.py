"""What a decorator's wrapper passes on to what it wraps of what it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from toolroll_codegraph.facts import ParamKind
from toolroll_codegraph.resolve.calls import Call

_BY_POSITION: Final = (ParamKind.POSITIONAL, ParamKind.UNNAMED)
_BY_NAME: Final = (ParamKind.POSITIONAL, ParamKind.KEYWORD)


class Wrapper(msgspec.Struct):
    """A function that calls what its enclosing function was given, with its own parameters."""

    forward: Call
    """The call of what it wraps. It passes nothing on until someone calls the wrapper as such."""
    positional: tuple[int, ...]
    keywords: tuple[int, ...]
    """What the call passes on then."""
    exact: bool
    """Whether these are the wrapper's own parameters, all of them as they are."""
    leads: bool
    """Whether it passes on first what it is given first: a method's receiver."""
    source: int
    """The slot of what it wraps."""
    own: int
    """The slot of what the wrapper returns beside what the call returns."""
    returns: bool
    """Whether it returns what the call returns."""
    keeps: bool
    """Whether it does more with that, so that `own` may have it too: a cache keeps it."""

    def handed_on(
        self, call: Call, parameters: Sequence[tuple[int, int, int]], *, received: bool
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What is passed on of a call's arguments, with what is added or put in their place: those
        by position, and those by name.

        `parameters` are the wrapper's own. A receiver that it passes on first is not among them.
        """
        others = {shape: slot for _, slot, shape in parameters}
        rest = others.get(ParamKind.REST, -1)
        own = [slot for _, slot, shape in parameters if shape in _BY_POSITION]
        template = self.positional[1 if received and self.leads and own else 0 :]
        if any(item < -1 for item in call.positional):
            return template, self.keywords  # which of them is which is not known
        by_name = dict(call.named())
        places = own[1:] if received and own else own
        given = {
            slot: by_name[name]
            for name, slot, shape in parameters
            if name in by_name and shape in _BY_NAME
        } | dict(zip(places, call.positional, strict=False))
        positional: list[int] = []
        for item in template:
            if rest >= 0 and item == -rest - 2:
                positional += call.positional[len(places) :]
            else:
                positional.append(given.get(item, item))
        keywords: list[int] = []
        taken = {name for name, _, shape in parameters if shape in _BY_NAME}
        for name, slot in zip(self.keywords[::2], self.keywords[1::2], strict=True):
            if name < 0 and slot == others.get(ParamKind.KEYWORDS):
                keywords += (it for pair in call.named() if pair[0] not in taken for it in pair)
            else:
                keywords += (name, given.get(slot, slot))
        return tuple(positional), tuple(keywords)
