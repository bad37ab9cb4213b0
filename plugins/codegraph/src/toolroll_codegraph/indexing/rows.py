"""A resolved graph as rows, grouped by file so that only files that changed are rewritten."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from toolroll_codegraph.confidence import REFERENCE
from toolroll_codegraph.facts import ScopeFlag, ScopeKind
from toolroll_codegraph.indexing.digests import blake2b
from toolroll_codegraph.indexing.overrides import overridden
from toolroll_codegraph.languages.registry import is_test
from toolroll_codegraph.resolve.graph import CallGraph
from toolroll_codegraph.resolve.program import Program

COUNTS: Final = ("functions", "classes", "calls", "imports")
"""What is counted over all files of a program."""
_LONGEST: Final = 500
"""Characters of a qualified name that say where a scope is: nobody writes more."""
_MARSHAL: Final = 2
"""The format in which equal values are equal bytes, whatever else refers to them."""
_HOLDERS: Final = ("class", "mixin")
"""Kinds that say what they inherit from: a mixin is a module of Ruby's that is joined or joins."""
_NO_FUNCTIONS: Final = ("module", "lambda", "mixin")
_NAMED: Final = frozenset(("class", "constructor", "function", "method", "singleton_method"))
"""Kinds of what may be handed over under its name: a class that has no constructor too."""
_CONSTRUCTORS: Final = frozenset(("__init__", "constructor", "initialize"))

Row = tuple[Any, ...]


class FileRows(msgspec.Struct):
    """What the graph says about one file."""

    functions: list[Row] = msgspec.field(default_factory=list[Row])
    """(id, name, qualified name, kind, first line, last line, export?, test?, bases,
    method it overrides)."""
    calls: list[Row] = msgspec.field(default_factory=list[Row])
    """(caller, callee, confidence, lines, stands for, passes on), of callers in this file; without
    confidence one that hands the other over and does not call it."""
    relations: list[Row] = msgspec.field(default_factory=list[Row])
    """(target file, kind, strength)."""

    def digest(self) -> str:
        data = marshal.dumps((self.functions, self.calls, self.relations), _MARSHAL)
        return blake2b(data, digest_size=12).hexdigest()

    def __reduce__(self) -> tuple[Callable[[bytes], FileRows], tuple[bytes]]:
        """Go to another process in a third of the time that pickling row by row takes."""
        return _unpacked, (marshal.dumps((self.functions, self.calls, self.relations)),)


def _unpacked(packed: bytes) -> FileRows:
    return FileRows(*marshal.loads(packed))  # noqa: S302  # nosec B302  # by a worker of this host


class GraphRows(msgspec.Struct, frozen=True):
    """The rows of the files that differ from what is stored, and the counts of the whole."""

    files: dict[str, FileRows]
    digests: dict[str, str]
    """Of the rows of every file, whether they differ or not."""
    functions: int
    classes: int
    calls: int
    imports: int
    faults: tuple[str, ...] = ()
    """What failed while they were resolved, and may have cost some calls."""

    def counts(self) -> dict[str, int]:
        return {name: getattr(self, name) for name in COUNTS}


def rows_of(
    graph: CallGraph, project: str, stored: Mapping[str, str], faults: Sequence[str] = ()
) -> GraphRows:
    """Turn a graph into rows; the same graph gives the same rows.

    `stored` holds the digests of the rows that need not be given again, by path; `faults` are what
    failed while the graph was resolved.
    """
    program = graph.program
    numbering = _Numbering(graph, project)
    files = {path: FileRows() for path in program.paths}
    by_index = list(files.values())
    functions = classes = 0
    for scope in range(program.scopes):
        kind = numbering.kinds[scope]
        if kind is None:
            continue
        if kind == "class":
            classes += program.canonical[scope] == scope
        elif kind not in _NO_FUNCTIONS:
            functions += 1
        by_index[program.file_of[scope]].functions.append(numbering.row(scope))
    between: dict[tuple[int, int], int] = {}
    pairs = 0
    kinds, ids, file_of = numbering.kinds, numbering.ids, program.file_of
    for (caller, callee), (confidence, lines) in graph.edges.items():
        kind = kinds[callee]
        if kind is None or kinds[caller] is None:
            continue  # `new` of what is only a type
        source, target = file_of[caller], file_of[callee]
        text = str(lines[0]) if len(lines) == 1 else ",".join(map(str, lines))
        standing = graph.standing.get((caller, callee))
        stands_for, passes_on = _listed(standing, ids) if standing else ("", "")
        row = (ids[caller], ids[callee], confidence, text, stands_for, passes_on)
        by_index[source].calls.append(row)
        pairs += kind != "class"
        if source != target:
            between[source, target] = between.get((source, target), 0) + 1
    for pair, lines in graph.references.items():
        caller, callee = pair
        if pair not in graph.edges and kinds[caller] is not None and kinds[callee] in _NAMED:
            text = ",".join(map(str, lines))
            row = (ids[caller], ids[callee], REFERENCE, text, "", "")
            by_index[file_of[caller]].calls.append(row)
    for kind, found in (("imports", graph.imports), ("calls", between)):
        for (source, target), strength in sorted(found.items()):
            row = (program.paths[target], kind, strength)
            by_index[source].relations.append(row)
    for rows in files.values():
        rows.functions.sort()
        rows.calls.sort()
        rows.relations.sort()
    digests = {path: rows.digest() for path, rows in files.items()}
    files = {path: rows for path, rows in files.items() if stored.get(path) != digests[path]}
    return GraphRows(
        files,
        digests,
        functions,
        classes,
        pairs + sum(graph.unresolved.values()),
        program.imports,
        tuple(faults),
    )


def _listed(standing: tuple[tuple[int, ...], ...], ids: Sequence[int]) -> list[str]:
    """Functions by their identifiers, as text."""
    return [",".join(sorted(str(ids[item]) for item in some)) for some in standing]


def _qualified_names(program: Program) -> list[str]:
    """The qualified name of every scope; enclosing scopes come first, too far ones are left out."""
    names: list[str] = []
    for scope in range(program.scopes):
        kind, parent = program.kind[scope], program.parent[scope]
        outer = "<module>" if parent < 0 else names[parent]
        if len(outer) > _LONGEST:  # names that all hold each other would take more than all else
            outer = outer[-_LONGEST:].partition(".")[2] or outer
        if kind == ScopeKind.MODULE or program.flags[scope] & (ScopeFlag.BLOCK | ScopeFlag.OWN):
            names.append(outer)
            continue
        name = program.texts[program.scope_name[scope]]
        names.append(name if outer == "<module>" else f"{outer}.{name}")
    return names


class _Numbering:
    """Identifiers, kinds and names of scopes."""

    def __init__(self, graph: CallGraph, project: str) -> None:
        program = self.program = graph.program
        self._above = (graph.bases, graph.extended)
        self._joined = {
            known for joined in self._above for scope in joined for known in (scope, *joined[scope])
        }
        self.kinds: list[str | None] = [self._kind(scope) for scope in range(program.scopes)]
        self.exported = program.exported
        self.names = _qualified_names(program)
        self.ids = self._number(project)
        self._overridden = overridden(graph, self.kinds)
        self.tests = [is_test(path) for path in program.paths]

    def _kind(self, scope: int) -> str | None:
        program = self.program
        kind, flags = program.kind[scope], program.flags[scope]
        if kind == ScopeKind.MODULE:
            return "module"
        if kind == ScopeKind.CLASS:
            return None if flags & (ScopeFlag.INTERFACE | ScopeFlag.OWN) else "class"
        if kind == ScopeKind.NAMESPACE and scope in self._joined:
            return "mixin"
        if kind == ScopeKind.NAMESPACE or flags & ScopeFlag.BLOCK:
            return None
        if kind == ScopeKind.LAMBDA:
            return "lambda"
        if flags & ScopeFlag.METHOD:
            name = program.texts[program.scope_name[scope]]
            if flags & ScopeFlag.SINGLETON:
                return "singleton_method"
            return "constructor" if name in _CONSTRUCTORS else "method"
        return "function"

    def _number(self, project: str) -> list[int]:
        """A hash of where and what; equal names in one file are told apart by their order."""
        program = self.program
        seen: dict[tuple[int, str, str], int] = {}
        ids: list[int] = []
        for scope, kind in enumerate(self.kinds):
            if kind is None:
                ids.append(-1)
                continue
            index = program.file_of[scope]
            key = (index, self.names[scope], "class" if kind in _HOLDERS else "")
            count = seen[key] = seen.get(key, -1) + 1
            text = f"{project}\0{program.paths[index]}\0{self.names[scope]}\0{key[2]}\0{count}"
            digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
            ids.append(int.from_bytes(digest, "big") >> 1)
        return ids

    def row(self, scope: int) -> Row:
        program = self.program
        index = program.file_of[scope]
        name = self._bound_to(scope) or program.texts[program.scope_name[scope]]
        return (
            self.ids[scope],
            name.rpartition(".")[2] or name,
            self.names[scope],
            self.kinds[scope],
            program.first_line[scope],
            program.last_line[scope],
            self._is_export(scope, name),
            self.tests[index],
            self._bases(scope) if scope in self._joined else "",
            self.ids[self._overridden[scope]] if scope in self._overridden else None,
        )

    def _bases(self, scope: int) -> str:
        """What a class inherits from, as it is stored; of one opened twice where it began."""
        parts = [
            ",".join(str(self.ids[item]) for item in joined.get(scope, ()) if self.ids[item] >= 0)
            for joined in self._above
        ]
        return ";".join(parts).removesuffix(";")

    def _bound_to(self, scope: int) -> str:
        """The name that a module or class of Python's binds a lambda to; empty for all else."""
        program = self.program
        if program.kind[scope] != ScopeKind.LAMBDA or program.family != "python":
            return ""
        value, members = program.value[scope], program.members[program.parent[scope]] or {}
        return next((program.texts[name] for name, slot in members.items() if slot == value), "")

    def _is_export(self, scope: int, name: str) -> bool:
        program = self.program
        if program.kind[scope] == ScopeKind.MODULE or name.startswith("<"):
            return False
        if name.startswith(("_", "#")) and not name.startswith("__"):
            return False
        index = program.file_of[scope]
        if program.family == "scripts":
            head = self.names[scope].partition(".")[0]
            exported = self.exported[index]
            if head in exported or name in exported or head == "default":
                return True
            if self.names[scope].startswith("module.exports"):
                return True
            members = program.members[program.scope_base[index]] or {}
            marks = (program.names.get("module.exports"), program.names.get("default"))
            return not exported and members.keys().isdisjoint(marks)
        return not name.startswith("_")
