"""What esbuild writes in place of `export` and `import`: getters that ask other getters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ObjectKind, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION, MODULE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.statics import JavaScriptStatics


class JavaScriptExporting:
    """Follows each export by itself, though one getter is written for all of them."""

    def __init__(self, statics: JavaScriptStatics) -> None:
        self.statics = statics
        self.models = statics.models
        self.solver = statics.solver
        self.program = statics.program
        self.default = self.program.name("default")
        self._copiers: dict[int, tuple[int, int]] = {}
        """File → its `__copyProps`, and the getter in that."""
        self.getters: set[int] = set()
        """Those in the program's `__copyProps`."""
        self.owners: set[int] = set()
        """The objects that got such getters."""
        self._behind: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        """(getter, object, name) → the objects and slots that it reads there."""
        self._asked: set[tuple[int, int, int]] = set()
        """Those of them that something reads."""
        self._shared: dict[int, tuple[int, int]] = {}
        """Slot that a name is read from → slot of what it stands for, getter."""

    def written(self, name: str, helper: int) -> Callable[[Call], None] | None:
        """What a function of the program of this name does, None for any other."""
        if name == "__export" or self._is_webpack(name, helper):
            return self._export
        if name == "__copyProps":
            getter = self._getter_in(helper)
            if getter < 0:
                return None
            self._copiers[self.program.file_of[helper]] = helper, getter
            return partial(self._copy_properties, helper)
        if name == "__reExport":
            return partial(self._export_again, helper)
        return partial(self._import, helper) if name == "__toESM" else None

    def _is_webpack(self, name: str, helper: int) -> bool:
        """`__webpack_require__.d(exports, { name: () => name, … })`, as webpack 5 has it."""
        return name == "__webpack_require__.d" and len(self.program.params[helper]) == 2

    def _getter_in(self, helper: int) -> int:
        """The arrow function in `{ get: () => from[key] }`, which is read through from now on."""
        inside = {helper}
        for scope in range(helper + 1, self.program.scopes):
            if self.program.file_of[scope] != self.program.file_of[helper]:
                break
            if self.program.parent[scope] not in inside:
                continue
            inside.add(scope)
            if self.solver.kind[scope] == FUNCTION:
                self.take(scope)
                return scope
        return -1

    def take(self, getter: int) -> None:
        """Read through a getter from now on, for each object and name by itself."""
        self.program.flags[getter] |= ScopeFlag.PROPERTY
        self.program.ret[getter] = -1
        self.getters.add(getter)

    def _export(self, call: Call) -> None:
        """`__export(target, { name: () => name, … })`."""
        target, getters = (*call.positional[:2], -1, -1)[:2]
        self.solver.listen(target, (self._on_target, getters))

    def _on_target(self, value: int, listener: Listener) -> None:
        self.solver.listen(listener[1], (self._on_getters, value))

    def _on_getters(self, value: int, listener: Listener) -> None:
        accessors, target = self.statics.rules.accessors, listener[1]

        def receive(name: int, slot: int) -> None:
            getter = self.solver.slot()
            self.solver.listen(slot, (accessors.on_getter, getter))
            self.statics.rules.store(target, name, getter, -1, 0)

        if self.solver.kind[value] == CONTAINER:
            self.solver.mirror(value, receive)

    def _copy_properties(self, helper: int, call: Call) -> None:
        """`__copyProps(to, from, except)` gives getters of what another has, and returns it."""
        target, source = (*call.positional[:2], -1, -1)[:2]
        self.solver.edge(target, call.result)
        self._copy(helper, target, source)

    def _export_again(self, helper: int, call: Call) -> None:
        """`__reExport(target, module, second)`, one for all modules that a barrel is made of."""
        target, module, second = (*call.positional[:3], -1, -1, -1)[:3]
        for place in (target, second):
            if place >= 0:
                self._copy(self._copier(helper)[0], place, module)
        self.solver.edge(second, call.result)

    def _import(self, helper: int, call: Call) -> None:
        """`__toESM(require(…))`: a module, with itself as its `default`."""
        for module in call.positional[:1]:
            made = self.models.result(call, ObjectKind.RECORD)
            self.solver.edge(module, self.solver.field(made, self.default))
            target = self.solver.slot()
            self.solver.add(target, made)
            self._copy(self._copier(helper)[0], target, module)

    def _copier(self, helper: int) -> tuple[int, int]:
        return self._copiers.get(self.program.file_of[helper], (-1, -1))

    def _copy(self, copier: int, target: int, source: int) -> None:
        if copier >= 0:
            self.copy((self._copier(copier)[1], False), target, source)

    def copy(self, binder: tuple[int, bool], target: int, source: int) -> None:
        """Give what is in one slot a getter for each name of what is in another.

        With a mark behind the getter those names keep theirs that have one.
        """
        if source >= 0:
            self.solver.listen(target, (self._on_copying, source, binder))

    def _on_copying(self, value: int, listener: Listener) -> None:
        _, source, binder = listener
        if self.solver.kind[value] == CONTAINER:
            self.solver.listen(source, (self._on_copied, value, binder))

    def _on_copied(self, value: int, listener: Listener) -> None:
        _, target, (getter, shares) = listener
        if value == target:
            return
        self.owners.add(target)

        def receive(name: int, slot: int) -> None:
            if self.program.texts[name].startswith("__"):
                return  # a helper of the module's own, which it looks for in its exports
            field = self.solver.field(target, name)
            if shares:
                self._shared[field] = slot, getter
                self.solver.listen(slot, (self._on_shared, getter, field, slot))
                return
            place = (getter, target, name)
            self._behind.setdefault(place, []).append((value, slot))
            if place in self._asked:
                self.solver.listen(slot, (self._on_read, getter, value, name))
            self.solver.add(field, getter)
            self.solver.listen(slot, (self._on_value, field))

        if self.solver.kind[value] in (CONTAINER, FUNCTION):
            self.solver.mirror(value, receive)
        elif self.solver.kind[value] == MODULE:
            for name, slot in list((self.program.members[value] or {}).items()):
                receive(name, slot)

    def _on_shared(self, value: int, listener: Listener) -> None:
        """Hand on a getter as it is, and anything else behind one."""
        _, getter, field, slot = listener
        if self._is_getter(value):
            self.solver.add(field, value)
        elif slot not in self._shared:  # else it is what a getter there returns
            self.solver.add(field, getter)
        self._on_value(value, (self._on_value, field))

    def settle(self) -> None:
        """Let what has no values that are followed, as numbers, be read through getters too."""
        for field, (slot, getter) in self._shared.items():
            if self.solver.points[slot] is None and slot not in self._shared:
                self.solver.add(field, getter)

    def _on_value(self, value: int, listener: Listener) -> None:
        """Hand on what a getter returns, and no getter."""
        if self._is_getter(value):
            if self.program.ret[value] >= 0:
                self.solver.edge(self.program.ret[value], listener[1])
        else:
            self.solver.add(listener[1], value)

    def _is_getter(self, value: int) -> bool:
        return (
            self.solver.kind[value] == FUNCTION
            and self.program.flags[value] & ScopeFlag.PROPERTY != 0
        )

    def read(self, getter: int, owner: int, name: int) -> None:
        """A getter was called for one name: it asks the getter behind it."""
        place = (getter, owner, name)
        if place not in self._asked:
            self._asked.add(place)
            for source, slot in self._behind.get(place, ()):
                self.solver.listen(slot, (self._on_read, getter, source, name))

    def _on_read(self, value: int, listener: Listener) -> None:
        getter: int = listener[1]
        _, _, source, name = listener
        if value != getter and self._is_getter(value):
            self.solver.record(getter, value, self.program.first_line[getter])
            if value in self.getters:
                self.read(value, source, name)
