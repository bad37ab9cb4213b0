"""Which method of a class above each method overrides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.linearisation import Orders

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.graph import CallGraph

_SINGLETON: Final = "singleton_method"
_METHODS: Final = ("method", "function", _SINGLETON)
"""Static methods of Python are functions. A constructor overrides none: each class has its own."""


def overridden(graph: CallGraph, kinds: Sequence[str | None]) -> dict[int, int]:
    """Find the nearest method that each method overrides, of those that override one.

    A method of a Python class overrides that of a protocol too, if the class has all of its
    members. `kinds` holds the kinds of all scopes.
    """
    program = graph.program
    parent, canonical, name = program.parent, program.canonical, program.scope_name
    named: dict[tuple[int, bool], dict[int, int]] = {}
    for scope, kind in enumerate(kinds):
        if kind in _METHODS and parent[scope] >= 0 and kinds[parent[scope]] in ("class", "mixin"):
            key = name[scope], kind == _SINGLETON
            named.setdefault(key, {})[canonical[parent[scope]]] = scope
    orders = Orders()
    orders.bases = graph.bases
    protocols: dict[int, list[int]] = {}
    for protocol, classes in graph.implemented.items():
        for known in classes:
            protocols.setdefault(known, []).append(protocol)
    found: dict[int, int] = {}
    for classes in named.values():
        for holder, method in classes.items() if len(classes) > 1 else ():
            order = orders.find(holder)
            asked = [*order[1:], *(it for known in order for it in protocols.get(known, ()))]
            for known in asked:
                if known in classes:
                    found[method] = classes[known]
                    break
    return found
