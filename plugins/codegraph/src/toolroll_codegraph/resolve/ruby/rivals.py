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


class RubyRivals:
    """Methods of one name and class that are defined by files of which none leads to another."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.program = rules.program
        self.files: dict[int, frozenset[int]] = {}
        """Method → all files that define it, if there are several."""
        self._chosen: dict[tuple[int, frozenset[int]], frozenset[int]] = {}

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
                for scope in methods:
                    self.files[scope] = files

    def are_meant(self, call: Call, method: int) -> bool:
        """Whether a call means this one of the methods that several files define."""
        here = self.program.file_of[call.scope]
        key = (here, self.files[method])
        chosen = self._chosen.get(key)
        if chosen is None:
            chosen = self._chosen[key] = self._choose(*key)
        return self.program.file_of[method] in chosen

    def _choose(self, here: int, files: frozenset[int]) -> frozenset[int]:
        """Those of some files that run with one, as far as that is known; else the nearest."""
        leading = self.rules.imports.requires.leading
        near = {file for file in files if not leading(here).isdisjoint(leading(file))}
        if near:
            return frozenset(near)
        return frozenset(nearest(self.program.paths, here, files))
