"""Classes of one name that are written in files which do not run together.

Ruby's classes are open, so what several files say of one name is one class. In a repository of
several programs (applications, gems with their tests, examples) it is not: each has a `User` of its
own. Where these define the same method, a call means that of the files it runs with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ScopeFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.nearness import nearest

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_Asked = tuple[int, frozenset[int], frozenset[int], bool]
"""(file of a call, files that define the method, those in the class's body, whether the call is
where the file is loaded)."""


class RubyRivals:
    """Methods of one name and class that are defined by files of which none leads to another."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.program = rules.program
        self.files: dict[int, frozenset[int]] = {}
        """Method → all files that define it, if there are several."""
        self._again: dict[int, frozenset[int]] = {}
        """Method → those of these files where the class's own body defines it."""
        self._chosen: dict[_Asked, frozenset[int]] = {}

    def find(self) -> None:
        """Find the methods that files define apart from each other, once requires are known."""
        program = self.program
        known: dict[tuple[int, int, int], list[int]] = {}
        for scope in range(program.own_scopes):
            owner = program.parent[scope]
            if program.kind[scope] == ScopeKind.FUNCTION and program.kind[owner] in (
                ScopeKind.CLASS,
                ScopeKind.NAMESPACE,
            ):
                single = program.flags[scope] & ScopeFlag.SINGLETON
                key = (program.canonical[owner], program.scope_name[scope], single)
                known.setdefault(key, []).append(scope)
        for methods in known.values():
            files = frozenset([program.file_of[scope] for scope in methods])
            if len(files) > 1:
                again = frozenset([program.file_of[it] for it in methods if not self._in_block(it)])
                for scope in methods:
                    self.files[scope], self._again[scope] = files, again

    def _in_block(self, method: int) -> bool:
        """Whether a method is written in a block: of whom, who runs that knows."""
        program = self.program
        line, first = program.first_line[method], program.scope_base[program.file_of[method]]
        return any(
            program.flags[scope] & ScopeFlag.BLOCK
            and program.first_line[scope] <= line <= program.last_line[scope]
            for scope in range(first, method)
        )

    def are_meant(self, call: Call, method: int) -> bool:
        """Whether a call means this one of the methods that several files define."""
        program = self.program
        # Under another name it is what it was before another file replaced it.
        renamed = call.name != program.scope_name[method]
        again = frozenset[int]() if renamed else self._again[method]
        loading = program.kind[program.caller[call.scope]] != ScopeKind.FUNCTION
        key = (program.file_of[call.scope], self.files[method], again, loading)
        chosen = self._chosen.get(key)
        if chosen is None:
            chosen = self._chosen[key] = self._choose(*key)
        return program.file_of[method] in chosen

    def _choose(
        self, here: int, files: frozenset[int], again: frozenset[int], loading: bool
    ) -> frozenset[int]:
        """Those of some files that run with one, as far as that is known; else the nearest."""
        requires = self.rules.imports.requires
        leading = requires.leading
        near = {file for file in files if not leading(here).isdisjoint(leading(file))}
        if near:
            return frozenset(
                file
                for file in near
                if file not in again
                or not any(
                    requires.replaces(here, file, other)
                    for other in (near & again) - {file}
                    if not loading or here in leading(other)
                )
            )
        return frozenset(nearest(self.program.paths, here, files))
