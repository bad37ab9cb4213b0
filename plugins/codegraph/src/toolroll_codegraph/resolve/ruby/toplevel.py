"""Ruby's methods that stand outside of any class, and those that a project adds to all objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.nearness import nearest
from toolroll_codegraph.resolve.program import CLASS, MODULE
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyTopLevel(RubyFeature):
    """What every object answers, if its class does not."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.methods: dict[int, list[tuple[int, int]]] = {}
        """Name → (file, slot) of the methods that are defined outside of any class."""

    def call(self, call: Call, value: int, name: int) -> bool:
        """Call what is added to every object or class, else what stands outside of classes."""
        if name in self.rules.imports.common and self.call_common(call, value, name):
            return True
        return self._call_near(call, value, name)

    def _call_near(self, call: Call, value: int, name: int) -> bool:
        """A method defined outside of any class: nearest first."""
        if not call.flags & CallFlag.SAFE_NAME and self.solver.kind[value] != MODULE:
            return False
        here, found = self.program.file_of[call.scope], self.methods.get(name)
        if not found:
            return self.solver.kind[value] != MODULE and self._call_mixed_in(call, value, here)
        near = [slot for index, slot in found if index == here]
        if not near:
            required = self.rules.imports.requires.reached(here)
            near = [slot for index, slot in found if index in required]
        if not near:
            files = nearest(self.program.paths, here, {index for index, _ in found})
            near = [slot for index, slot in found if index in files] if len(files) == 1 else []
        for slot in near:
            self.solver.listen(slot, (self.rules.on_member, call, value))
        return bool(near)

    def _call_mixed_in(self, call: Call, value: int, index: int) -> bool:
        """A method of a module that a file includes outside of any class, and so into `Object`."""
        for module in self.classes.order(self.program.scope_base[index])[1:]:
            if self.classes.lookup(module, call.name, (self.rules.on_member, call, value)):
                return True
        return False

    def call_common(self, call: Call, value: int, name: int) -> bool:
        """A method that the project adds to every object, or to every class."""
        every, of_classes = self.rules.imports.common[name]
        for scope in (*(of_classes if self.solver.kind[value] == CLASS else ()), *every):
            if self.classes.lookup(scope, name, (self.rules.on_member, call, value)):
                return True
        return False

    def call_outside(self, call: Call, value: int) -> None:
        """A call outside of any class: of a method there, or of a module mixed in there.

        The main object is one for all files: what another file extends it by, it has here too.
        """
        if self.call(call, value, call.name):
            return
        if call.name in self.rules.components.words and self.rules.components.fill(call, value):
            return
        found, own = (self.rules.on_member, call, value), self.rules.extensions.of(value)
        for module in (*own, *self.classes.order(value), *self._of_required(value)):
            if self.classes.lookup(module, call.name, found):
                return

    def _of_required(self, value: int) -> Iterator[int]:
        """The modules that the files which a file requires extend the main object by."""
        bases, extensions = self.program.scope_base, self.rules.extensions
        for index in self.rules.imports.requires.reached(self.program.file_of[value]):
            yield from extensions.of(bases[index])
