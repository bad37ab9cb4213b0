"""What Ruby calls by itself: hooks of mixins and inheritance; methods added to core classes."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, CallFlag, ObjectKind, ScopeFlag, ScopeKind, numbers
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, TEXT
from toolroll_codegraph.resolve.ruby.library import TASK

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_HOOKS: Final = {
    "include": "included", "extend": "extended", "prepend": "prepended",
    "singleton_class.prepend": "prepended",
}  # fmt: skip
_FEATURES: Final = {
    "include": "append_features", "extend": "extend_object", "prepend": "prepend_features",
    "singleton_class.prepend": "prepend_features",
}  # fmt: skip
_MOST_CLASSES: Final = 12
_MOST_HOOKS: Final = 12
"""Where there are more, a framework's classes all go through them: which class is not told."""

_TEXTS: Final = ("String", "Symbol", "Comparable")
_LISTS: Final = ("Array", "Enumerable")
_OF_CONTAINERS: Final[dict[object, tuple[str, ...]]] = {
    ObjectKind.HASH: ("Hash", "Enumerable"), ObjectKind.STRING: _TEXTS,
    ObjectKind.RANGE: ("Range", "Enumerable"), TASK: ("Thread",),
}  # fmt: skip
_INTEGERS: Final = ("Integer", "Numeric", "Comparable")
_OPENED: Final = ("Hash", "Proc", "Range", "Thread", *_INTEGERS, *_LISTS, *_TEXTS)


class RubyHooks:
    """`included`, `extended`, `prepended` and `inherited`; refined and reopened core classes."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        name = rules.program.name
        self.names = {kind: rules.static(name(hook)) for kind, hook in _HOOKS.items()}
        self.features = {kind: rules.static(name(hook)) for kind, hook in _FEATURES.items()}
        self.inherited = rules.static(name("inherited"))
        self.added = name("method_added")
        self.own_added = rules.static(self.added)
        self.const_missing = rules.static(name("const_missing"))
        self.refined: dict[str, list[int]] = {}
        self.grown: set[int] = set()
        """Ruby's own classes that methods are defined on by calls, perhaps later."""
        self.procs = "Proc" in rules.imports.table
        """Whether the project adds methods to procs."""
        self.told: dict[tuple[int, int], int] = {}
        self._untold: dict[int, array[int]] = {}
        """Class → its methods but the first, of which no `method_added` has heard: most never are,
        and a call for each would take 8 MB on Rails."""
        names = {*self.names.values(), *self.features.values(), self.inherited}
        members = rules.classes.members
        self.hooks = sum(not names.isdisjoint(known or ()) for known in members)
        texts = self.program.texts
        self.plain = {known: name(texts[known][1:]) for known in names}
        hooks = set(self.plain.values())
        self.shared = {known for own in members if own for known in hooks.intersection(own)}
        """Hooks that a module has for those that it extends."""

    def watch_classes(self) -> None:
        """Run `inherited` for every class with a base in the project."""
        program = self.program
        for scope, bases in enumerate(program.bases):
            if bases:
                self.solver.listen(bases[0], (self._on_base, scope))

    @handler
    def _on_base(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            scope: int = listener[1]
            self._run(value, self.inherited, scope, self.program.first_line[scope], scope)

    def run_early(self) -> None:
        """Run the hooks of mixins, and what these mix in, before anything else is called.

        What a method means may depend on it: `base.prepend(Timing)`.
        """
        program, solver = self.program, self.solver
        texts, hooks = program.texts, {program.texts[name] for name in self.plain.values()}
        early: set[int] = set()
        for scope in range(program.scopes):
            if program.kind[scope] == ScopeKind.FUNCTION:
                name = texts[program.scope_name[scope]]
                if name.rpartition(".")[2] in hooks:
                    early.add(scope)
                    solver.add(program.value[scope], scope)
        operations = solver.operations
        columns = (CallColumn.NAME, CallColumn.SCOPE, CallColumn.SOURCE)
        rows = operations.rows(*columns) if early else ()
        for identifier, (index, name, scope, source) in enumerate(rows):
            if scope + program.scope_base[index] not in early or name < 0 or source < 0:
                continue
            text = texts[program.renames[index][name]]
            call = solver.translate(identifier) if text in _HOOKS or text == "send" else None
            if call is not None and text == "send":
                call = self._sent(call, index)
            if call is not None:
                solver.listen(source + program.slot_base[index], (self._on_early, call))

    def _sent(self, call: Call, index: int) -> Call | None:
        """`base.send(:include, Module)` as what it calls; None for other names."""
        program = self.program
        slot = call.positional[0] - program.slot_base[index] if call.positional else -1
        constants = iter(numbers(program.facts[index].constants))
        known = dict(zip(constants, constants, strict=True)).get(slot)
        name = -1 if known is None else program.renames[index][known]
        if known is None or program.texts[name] not in _HOOKS:
            return None
        return Call(call.result, call.scope, call.line, name, call.positional[1:], (), call.flags)

    @handler
    def _on_early(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CLASS:
            self.rules.call_method(listener[1], value)

    def mixed_in(self, module: int, scope: int, kind: str, line: int, where: int = -1) -> None:
        """A module was included, extended or prepended by a class, in its body or elsewhere."""
        for names in (self.names, self.features):
            self._run(module, names[kind], scope, line, scope if where < 0 else where)

    def _run(self, owner: int, name: int, scope: int, line: int, where: int) -> None:
        argument = -1
        told = self.told[owner, name] = self.told.get((owner, name), 0) + 1
        if told <= _MOST_CLASSES and self.hooks <= _MOST_HOOKS:
            argument = self.solver.slot()
            self.solver.add(argument, self.program.canonical[scope])
        self._call(owner, name, argument, where, line)

    def mixed_in_object(
        self, module: int, scope: int, kind: str, line: int, where: int = -1
    ) -> None:
        """A class mixes an object in: `class Sized < Module`, `include Sized.new(3)`."""
        argument = self.solver.slot()
        self.solver.add(argument, self.program.canonical[scope])
        name = self.plain[self.names[kind]]
        call = Call(
            -1, scope if where < 0 else where, line, name, (argument,), (), CallFlag.IMPLICIT
        )
        self.rules.instance_call(call, module, name)

    def run(self, module: int, kind: str, where: int, line: int, value: int = -1) -> None:
        """An object that is no class was extended, whatever it is where that is not known."""
        argument = -1
        if value >= 0:
            argument = self.solver.slot()
            self.solver.add(argument, value)
        for names in (self.names, self.features):
            self._call(module, names[kind], argument, where, line)

    def _call(self, owner: int, name: int, argument: int, where: int, line: int) -> None:
        plain = self.plain[name]
        call = Call(-1, where, line, plain, (argument,), (), CallFlag.IMPLICIT)
        rules = self.rules
        if plain in self.shared:
            module = rules.extensions.nearest(owner, plain, name)
            if module >= 0:
                rules.classes.lookup(module, plain, (rules.on_member, call, owner))
                return
        found = rules.classes.lookup(owner, name, (rules.on_member, call, owner))
        if not found and plain in self.shared:
            rules.extended_call(call, owner)

    def settle(self) -> None:
        """Run hooks whose class or constant is known by none of the values that flow."""
        if self.hooks:
            self._mix_unknown()
        if self.rules.classes.definers(self.added) or self.rules.classes.definers(self.own_added):
            self._tell_methods()
        for index, scope, name, row in self.rules.imports.missing():
            known = self.rules.named_members.constant_set(scope, name)
            self.solver.edge(known, row[0] + self.program.slot_base[index])
            if self.rules.classes.find(scope, self.const_missing) >= 0:
                slot, line = row[0] + self.program.slot_base[index], row[5]
                key = self.solver.slot()
                self.solver.add(key, self.solver.text(self.program.name(name)))
                where = self._around(index, line)
                call = Call(slot, where, line, self.const_missing, (key,), (), CallFlag.IMPLICIT)
                found = (self.rules.on_member, call, scope)
                self.rules.classes.lookup(scope, self.const_missing, found)

    def _tell_methods(self) -> None:
        """`method_added` hears of the methods that are written behind it, from their lines."""
        program, rules = self.program, self.rules
        classes = rules.classes
        hooks = {*classes.definers(self.added), *classes.definers(self.own_added)}
        first = {program.canonical[scope] for scope in hooks}
        for scope in range(program.scopes):
            if (
                program.kind[scope] != ScopeKind.FUNCTION
                or not program.flags[scope] & ScopeFlag.METHOD
            ):
                continue
            owner = program.owner_class(scope)
            if owner < 0 or program.flags[scope] & ScopeFlag.SINGLETON:
                continue
            owner = program.canonical[owner]
            own = (classes.members[owner] or {}).get(self.own_added, -1)
            if own >= 0 and owner in first and self._is_before(own, scope):
                continue
            if own < 0 and owner in first:
                continue  # a module's own methods are told to no hook that it has for others
            if own >= 0 or classes.find(owner, self.own_added) >= 0:
                heard = (rules.on_member, self._telling(scope), owner)
                classes.lookup(owner, self.own_added, heard)
            elif owner in self._untold:
                self._untold[owner].append(scope)
            elif rules.extensions.of(owner):
                rules.extended_call(self._telling(scope), owner)
                if not rules.extensions.having(owner, self.added):
                    self._untold[owner] = array("i")

    def _telling(self, method: int) -> Call:
        """The call that tells a hook of a method."""
        key, line = self.solver.slot(), self.program.first_line[method]
        self.solver.add(key, self.solver.text(self.program.scope_name[method]))
        return Call(-1, method, line, self.added, (key,), (), CallFlag.IMPLICIT)

    def untold(self, owner: int) -> list[Call]:
        """The calls that tell of a class's methods but the first, whose call waits for them all."""
        return [self._telling(method) for method in self._untold.pop(owner, ())]

    def _is_before(self, slot: int, method: int) -> bool:
        """Whether a method is written before the hook of its class."""
        program = self.program
        return any(
            self.solver.kind[value] == FUNCTION
            and program.file_of[value] == program.file_of[method]
            and program.first_line[method] < program.first_line[value]
            for value in self.solver.points[slot] or ()
        )

    def _around(self, index: int, line: int) -> int:
        """The innermost scope of a file around a line."""
        program, best = self.program, self.program.scope_base[index]
        for scope in range(best, best + program.scope_count[index]):
            inside = program.first_line[scope] <= line <= program.last_line[scope]
            if inside and program.first_line[scope] >= program.first_line[best]:
                best = scope
        return best

    def _mix_unknown(self) -> None:
        """`base.extend(Module)` calls the module's hook whatever the base is."""
        solver, program = self.solver, self.program
        operations = solver.operations
        rows = operations.rows(CallColumn.NAME, CallColumn.SOURCE)
        for identifier, (index, number, source) in enumerate(rows):
            if number < 0:
                continue
            name = program.texts[program.renames[index][number]]
            if (name != "send" and name not in _HOOKS) or source < 0:
                continue
            if solver.points[source + program.slot_base[index]] is not None:
                continue
            call = solver.translate(identifier)
            positional = call.positional
            if name == "send":
                first = solver.points[positional[0]] if positional and positional[0] >= 0 else None
                texts = [solver.key_text(key) for key in first or () if solver.kind[key] == TEXT]
                name = texts[0] if len(texts) == 1 else ""
                positional = positional[1:]
            if name in _HOOKS:
                for item in positional:
                    solver.listen(item, (self._on_unknown, call, name))

    def _on_unknown(self, value: int, listener: Listener) -> None:
        _, call, kind = listener
        if self.solver.kind[value] == CLASS:
            self.run(value, kind, call.scope, call.line)

    def grow(self) -> None:
        """Note Ruby's own classes that get methods under computed names, of their own or of what
        they include."""
        table, defining = self.rules.imports.table, self.rules.missing.defining
        for scope in [table[name] for name in _OPENED if name in table] if defining else ():
            if not defining.keys().isdisjoint(self.rules.classes.order(scope)):
                self.grown.add(scope)

    def refine(self, scope: int) -> None:
        name = self.program.texts[self.program.scope_name[scope]]
        self.refined.setdefault(name, []).append(scope)

    def core_method(self, call: Call, value: int) -> None:
        """A method that the project adds to the class of a literal."""
        if not (self.grown or self.rules.classes.definers(call.name)):
            return
        kind = self.solver.kind[value]
        names: tuple[str, ...] = ()
        if kind == TEXT:
            names = _INTEGERS if self.solver.key_text(value).isdigit() else _TEXTS
        elif kind == CONTAINER:
            names = _OF_CONTAINERS.get(self.solver.detail[value][0], _LISTS)
        elif kind == FUNCTION:
            names = ("Proc",)
        table, classes = self.rules.imports.table, self.rules.classes
        is_used = self.rules.refinements.is_used
        for name in names:
            refined = self.refined.get(name, ())
            for scope in (*refined, *([table[name]] if name in table else ())):
                if classes.find(scope, call.name) >= 0 and (
                    scope not in refined or is_used(scope, call)
                ):
                    classes.lookup(scope, call.name, (self.rules.on_member, call, value))
                    return
                if scope in self.grown:
                    classes.lookup(scope, call.name, (self.rules.on_member, call, value))
        if call.name in self.rules.imports.common:
            self.rules.toplevel.call_common(call, value, call.name)
