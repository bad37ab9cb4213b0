"""The global object: `globalThis.name = value` in one file is `name` in all others.

So is what a script declares outside of functions: a file that neither imports nor exports anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.confidence import LIKELY
from toolroll_codegraph.resolve.calls import Listener
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.nearness import nearest
from toolroll_codegraph.resolve.program import BUILTIN

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

GLOBAL: Final = "globalThis"


class JavaScriptGlobals(JavaScriptFeature):
    """Gives names that nobody declares what the global object, or a script, has under them."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self._reads: dict[int, list[int]] = {}
        """Name → the slots it is read into without being declared, once they are asked for."""

    def is_global(self, value: int) -> bool:
        """Whether a value is the global object."""
        return self.solver.kind[value] == BUILTIN and self.solver.detail[value][0] == GLOBAL

    def load(self, value: int, name: int, listener: Listener) -> None:
        self.solver.listen(self.solver.field(value, name), listener)

    def store(self, value: int, name: int, source: int) -> None:
        known = name in self.solver.fields_of(value)
        slot = self.solver.field(value, name)
        self.solver.edge(source, slot)
        if not self._reads:
            for index in range(len(self.program.facts)):
                for read, free in self.program.free(index):
                    self._reads.setdefault(read, []).append(free)
        for free in () if known else self._reads.get(name, ()):
            self.solver.edge(slot, free)

    def settle(self) -> None:
        """A file sees what it declares further down, as fields of classes do that are made later.

        Scripts see what another of them declares, the only one or the one that is nearest by: which
        are run together is not told.
        """
        program, solver = self.program, self.solver
        exporting = self.rules.imports.module_exports
        scripts = [
            index
            for index in sorted(program.alone)
            if exporting not in (program.members[program.scope_base[index]] or ())
        ]
        solver.confidence = LIKELY
        for index in range(len(program.facts)):  # what runs later than where it is written
            own = program.members[program.scope_base[index]] or {}
            for name, free in program.free(index):
                if name in own and not solver.points[free]:
                    solver.edge(own[name], free)
        if len(scripts) < 2:
            return
        declared: dict[int, dict[int, int]] = {}
        for index in scripts:
            for name, slot in (program.members[program.scope_base[index]] or {}).items():
                declared.setdefault(name, {})[index] = slot
        for index in scripts:
            for name, free in program.free(index):
                found = declared.get(name)
                if found is None or solver.points[free]:
                    continue
                near = nearest(program.paths, index, found)
                if len(near) == 1:
                    solver.edge(found[near[0]], free)
