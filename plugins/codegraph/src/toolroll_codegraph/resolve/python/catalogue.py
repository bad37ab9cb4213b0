"""Which builtins and library functions are modelled."""

from __future__ import annotations

from typing import Final

from toolroll_codegraph.resolve.python.callbacks import CALLBACKS
from toolroll_codegraph.resolve.python.classes import ENUMERATIONS, PROTOCOLS
from toolroll_codegraph.resolve.python.commands import PARSER
from toolroll_codegraph.resolve.python.getters import OPERATORS
from toolroll_codegraph.resolve.python.holders import HOLDERS

PATTERN: Final = "re.Pattern"
CONVERT: Final = {
    "str": "__str__", "repr": "__repr__", "len": "__len__", "bool": "__bool__",
    "hash": "__hash__", "int": "__int__", "float": "__float__", "abs": "__abs__",
    "bytes": "__bytes__", "dir": "__dir__", "round": "__round__", "format": "__format__",
    "print": "__str__", "divmod": "__divmod__", "pow": "__pow__", "complex": "__complex__",
    "hex": "__index__", "oct": "__index__", "bin": "__index__", "range": "__index__",
    "floor": "__floor__", "ceil": "__ceil__", "trunc": "__trunc__",
}  # fmt: skip
FILTERS: Final = frozenset(
    ["groupby", "takewhile", "dropwhile", "filterfalse", "starmap", "accumulate"]
)
ORDER: Final = {"sorted": "__lt__", "min": "__lt__", "max": "__gt__", "heapify": "__lt__",
                 "heappush": "__lt__", "heappop": "__lt__", "sum": "__radd__"}  # fmt: skip
"""What is called on the elements of the argument."""
CONSUME: Final = frozenset(
    ["list", "tuple", "set", "frozenset", "any", "all", "sorted", "iter", "reversed"]
)
BUILTINS: Final = frozenset(
    [
        *CONVERT,
        *CONSUME,
        *[
            "sum",
            "map",
            "filter",
            "sorted",
            "min",
            "max",
            "zip",
            "enumerate",
            "dict",
            "next",
            "type",
            "super",
            "globals",
            "vars",
            "__import__",
            "staticmethod",
            "classmethod",
            "property",
            "object",
        ],
    ]
)
EXTERNALS: Final = frozenset(
    [
        *CALLBACKS,
        *HOLDERS,
        "functools",
        "functools.partial",
        "functools.reduce",
        "functools.partialmethod",
        "functools.wraps",
        "functools.lru_cache",
        "functools.cache",
        "itertools",
        *[
            f"itertools.{name}"
            for name in (
                "chain",
                "accumulate",
                "groupby",
                "takewhile",
                "dropwhile",
                "filterfalse",
                "starmap",
                "islice",
                "cycle",
                "zip_longest",
            )
        ],
        "functools.cmp_to_key",
        "heapq",
        "heapq.heappush",
        "heapq.heappop",
        "heapq.heapify",
        "operator",
        *[f"operator.{name}" for name in OPERATORS],
        "operator.itemgetter",
        "operator.methodcaller",
        "operator.attrgetter",
        "collections",
        "collections.OrderedDict",
        "collections.defaultdict",
        "collections.deque",
        "re",
        "re.compile",
        PATTERN,
        f"{PATTERN}.sub",
        f"{PATTERN}.subn",
        "math",
        "math.floor",
        "math.ceil",
        "math.trunc",
        "copy",
        "copy.copy",
        "copy.deepcopy",
        "dataclasses",
        "dataclasses.replace",
        "dataclasses.field",
        "importlib",
        "importlib.import_module",
        "contextlib",
        "contextlib.closing",
        "contextlib.ExitStack",
        "contextlib.AsyncExitStack",
        "argparse",
        PARSER,
        "enum",
        *ENUMERATIONS,
        *PROTOCOLS,
        "typing",
        "typing_extensions",
        "typing.cast",
        "asyncio",
        "asyncio.run",
        "asyncio.gather",
        "asyncio.create_task",
        "asyncio.wait_for",
    ]
)
