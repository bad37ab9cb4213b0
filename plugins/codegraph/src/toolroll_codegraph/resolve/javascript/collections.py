"""What lodash and underscore do with collections: what arrays' methods do with theirs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

LIBRARIES: Final = ("lodash", "underscore", "lodash-es")
_LIKE: Final = {
    "forEach": ("each", "foreach", "eachright", "foreachright", "forown", "forin"),
    "map": ("map", "collect"),
    "flatMap": ("flatmap",),
    "filter": ("filter", "select", "reject", "takewhile", "dropwhile"),
    "find": ("find", "detect", "findlast", "minby", "maxby"),
    "some": ("some", "any", "every", "findindex", "findkey", "countby", "sumby"),
    "reduce": ("reduce", "foldl", "inject", "reduceright", "foldr"),
    "sort": ("sortby", "orderby", "uniqby"),
    "at": ("first", "head", "last", "nth", "sample"),
    "slice": (
        "compact", "difference", "drop", "dropright", "initial", "reverse", "rest", "samplesize",
        "shuffle", "slice", "tail", "take", "takeright", "toarray", "uniq", "without",
    ),
    "flat": ("flatten", "flattendeep"),
    "concat": ("concat", "union"),
}  # fmt: skip
"""Method of arrays → functions of these libraries, in lower case."""
NAMES: Final = tuple(name for names in _LIKE.values() for name in names)


class JavaScriptCollections(JavaScriptLibrary):
    """`_.map(items, f)` does as `items.map(f)`, but the library calls."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            f"{library}.{name}": partial(self._run, method)
            for method, names in _LIKE.items()
            for name in names
            for library in LIBRARIES
        }

    def _run(self, method: str, call: Call, items: int, second: int) -> None:
        """Of an object too, whose values are the elements."""
        if items < 0:
            return
        made = self.solver.container(("collection", call), ObjectKind.ARRAY)
        self.solver.listen(items, (self.models.on_source, made, False, call))
        name = self.models.program.name(method)
        inner = self.solver.derived_call(call, call.result, call.positional[1:], name)
        inner.flags |= CallFlag.QUIET
        self.models.arrays.call(inner, made, method)
