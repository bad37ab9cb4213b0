"""What Ruby's classes declare: mixins, attributes, aliases, methods under computed names."""

from __future__ import annotations

from toolroll_codegraph.facts import CallFlag, ScopeFlag
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.core_methods import CORE, CORE_CONSTANTS
from toolroll_codegraph.resolve.ruby.feature import RubyFeature


class RubyDeclarations(RubyFeature):
    """Gives classes what their bodies, or others, declare for them."""

    def mix_any(self, slot: int, owner: int, kind: str, scope: int, line: int) -> None:
        """Mix whatever a slot gets into a class, as a scope does in a line."""
        self.solver.listen(slot, (self._on_mixin, owner, kind, scope, line))

    def extended(self, slot: int, owner: int, before: int) -> None:
        """Let the modules that a slot gets extend one object, of an own class."""
        self.solver.listen(slot, (self._on_extended, owner, before))

    def define(self, owner: int, source: int, static: int, place: tuple[int, int]) -> None:
        """Let a class define what a slot has under whatever names another gets; given is that with
        the scope in which it happens."""
        self.rules.missing.defining.setdefault(owner, []).append(place[0])
        self.solver.listen(place[0], (self._on_define, owner, source, static, place))

    def hand(self, owner: int, name: int, slot: int) -> None:
        """Define what `delegate` does, unless the project has a method of that name of its own."""
        if not self.classes.definers(self.program.name("delegate")):
            self.classes.add_member(owner, name, slot)

    def leave_out(self, owner: int, name: int) -> None:
        """Forget a method of one of Ruby's classes that is defined only where Ruby has none."""
        text, members = self.program.texts[name].removeprefix("."), self.program.members[owner]
        path = self.rules.imports.paths.get(owner)
        if members and path in CORE_CONSTANTS and text in CORE:
            members.pop(name, None)

    def _on_mixin(self, value: int, listener: Listener) -> None:
        owner: int = listener[1]
        kind: str = listener[2]
        if self.solver.kind[value] == INSTANCE and kind != "refine":  # of a subclass of `Module`
            self.rules.named_members.mix_object(value, owner)
            self.rules.hooks.mixed_in_object(value, owner, kind, listener[4])
        if self.solver.kind[value] == CONTAINER and kind != "refine":  # `include(*MODULES)`
            for field in reversed(self.solver.fields_of(value).values()):
                self.solver.listen(field, (self._on_mixed_in_array, *listener[1:]))
        if self.solver.kind[value] != CLASS:
            return
        if kind != "refine":
            self.rules.hooks.mixed_in(value, listener[3], kind, listener[4])
        if kind == "refine":
            self.rules.refinements.add(owner, value)
        else:
            self.mix(value, owner, kind)

    @handler
    def _on_mixed_in_array(self, value: int, listener: Listener) -> None:
        """Mix in what an array holds, but for arrays: one may hold itself."""
        if self.solver.kind[value] != CONTAINER:
            self._on_mixin(value, listener)

    @handler
    def _on_extended(self, value: int, listener: Listener) -> None:
        """Modules that extend an object stand in its own class, those of all before their class."""
        if self.solver.kind[value] == CLASS:
            self.classes.mix_in(listener[1], value, prepend=bool(listener[2]))

    def mix(self, module: int, owner: int, kind: str) -> None:
        """Let a class include, prepend or be extended by a module."""
        if kind == "extend":
            self._extend(owner, module)
            return
        if kind == "singleton_class.prepend":
            self.rules.extensions.prepend(owner, module)
            return
        self.classes.mix_in(owner, module, prepend=kind == "prepend")
        methods = self._class_methods(module)
        if methods is not None:
            self._extend(owner, methods)

    def _class_methods(self, module: int) -> int | None:
        """The module that `included` hooks extend those who include another by convention."""
        imports = self.rules.imports
        return imports.table.get(imports.paths.get(module, "") + ".ClassMethods")

    def settle(self) -> None:
        """Let calls that no class answers be answered as in those that a framework makes of them.

        `self.class` of a module whom nobody includes has the module's `ClassMethods`; a block that
        a class body hands to somebody runs on an instance where only instances have what it calls.
        """
        rules, find = self.rules, self.classes.find
        for value, calls in [*rules.unanswered.calls.items()]:
            methods = self._class_methods(value)
            if methods is not None and find(methods, rules.hooks.added.name) >= 0:
                calls += rules.hooks.added.untold(value)
            for call in calls:
                if methods is not None and find(methods, call.name) >= 0:
                    self.classes.lookup(methods, call.name, (rules.on_member, call, value))
                elif (
                    call.flags & CallFlag.SAFE_NAME
                    and self._in_block_of(value, call.scope)
                    and find(value, call.name) >= 0
                ):
                    instance = value + self.program.scopes
                    self.classes.lookup(value, call.name, (rules.on_member, call, instance))

    def _in_block_of(self, owner: int, scope: int) -> bool:
        """Whether a scope is a block that stands in a class's body, not in a method."""
        program = self.program
        if not program.flags[scope] & ScopeFlag.BLOCK:
            return False
        while program.flags[scope] & ScopeFlag.BLOCK:
            scope = program.parent[scope]
        return program.canonical[scope] == owner

    def _extend(self, owner: int, module: int) -> None:
        if self.rules.extensions.add(owner, module):
            self.rules.unanswered.extend(owner, module)

    def attribute(self, owner: int, name: int, access: int, of_struct: int) -> None:
        text = self.program.texts[name]
        static = text.startswith(".")
        plain = text.removeprefix(".")
        field = self.program.name((".@" if static else "@") + plain)
        prefix = "." if static else ""
        if of_struct:
            self.rules.structs.fields.setdefault(owner, []).append((name, field))
        written = self.program.members[owner] or {}
        for writes in (False, True):
            accessor = self.program.name(prefix + plain + "=" * writes)
            # A method that the same class writes down takes its accessor's place.
            if access & (1 + writes) and accessor not in written:
                self.rules.attributes.setdefault(accessor, {})[owner] = (field, writes)

    def alias(self, owner: int, new: int, old: int, before: int) -> None:
        """Let a method have another name; with `before` a file that defines another after that."""
        classes, text = self.classes, self.program.texts[new]
        source = (self.program.members[owner] or {}).get(old)
        if before >= 0:
            slot = classes.add_member(owner, new, self.solver.slot())
            if source is not None and source >= self.program.slots:  # of several files
                self.solver.listen(source, (self._on_other, before, slot))
            else:
                classes.lookup(owner, old, (self.solver.copy_to, slot), after=owner)
        elif source is not None:
            classes.add_member(owner, new, source)
        elif old == self.rules.making.make:
            self.rules.making.renamed.setdefault(new, set()).add(owner)
        elif not text.startswith(".") or self.program.texts[old].startswith("."):
            slot = classes.add_member(owner, new, self.solver.slot())
            classes.lookup(owner, old, (self.solver.copy_to, slot))

    @handler
    def _on_other(self, value: int, listener: Listener) -> None:
        """What a file that defines a method again gives another name is that of another file."""
        _, index, slot = listener
        if self.solver.kind[value] != FUNCTION or self.program.file_of[value] != index:
            self.solver.add(slot, value)

    def _on_define(self, value: int, listener: Listener) -> None:
        _, owner, source, static, (key, where) = listener
        if self.solver.kind[value] == TEXT:
            name: int = self.solver.detail[value][0]
            if self.rules.objects.define_named(owner, self.program.texts[name], source):
                return
            target = self.rules.static(name) if static else name
            if key in self.rules.replaced.certain:
                self.rules.replaced.define(owner, target, where)
            self.solver.edge(source, self.classes.declare(owner, target))
