"""What Ruby calls by itself: hooks of mixins, inheritance and missing constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallColumn, CallFlag, ScopeKind, numbers
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, TEXT
from toolroll_codegraph.resolve.ruby.added import RubyAdded
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

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


class RubyHooks(RubyFeature):
    """`included`, `extended`, `prepended`, `inherited` and `const_missing`."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.added = RubyAdded(rules)
        name = rules.program.name
        self.names = {kind: rules.static(name(hook)) for kind, hook in _HOOKS.items()}
        self.features = {kind: rules.static(name(hook)) for kind, hook in _FEATURES.items()}
        self.inherited = rules.static(name("inherited"))
        self.const_missing = rules.static(name("const_missing"))
        self.told: dict[tuple[int, int], int] = {}
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
        self.added.settle()
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
