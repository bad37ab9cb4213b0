"""What Ruby's classes declare: mixins, attributes, aliases, methods under computed names."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeFlag
from toolroll_codegraph.resolve.calls import Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.core_methods import CORE, CORE_CONSTANTS
from toolroll_codegraph.resolve.ruby.objects import MIXINS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_CHECKS: Final = ("checked", "refused", "rescued")
_QUESTIONS: Final = ("affirmed", "denied")
_LISTED: Final = ("listed", "unlisted")
_SPELLED: Final = ("spelled", "misspelled")


class RubyDeclarations:
    """Reads what extraction found in the bodies of classes into the tables of the rules."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.classes = rules.classes

    def prepare(self) -> None:
        program, solver = self.program, self.solver
        self.rules.imports.bind()
        shared = {program.name("$!"): self.rules.raising.raised}
        prepended: set[int] = set()
        wrapping: dict[int, set[tuple[int, int]]] = {}
        for index, facts in enumerate(program.facts):
            module = program.scope_base[index]
            solver.add(program.value[module], module)
            for name, slot in (program.members[module] or {}).items():
                self.rules.toplevel.methods.setdefault(name, []).append((index, slot))
            slots, rename = program.slot_base[index], program.renames[index]
            first = bisect_left(solver.operations.call_file, index)
            for kind, scope, name, slot, extra in facts.relations:
                of_slots = kind in _CHECKS or kind == "tested"
                owner = -1 if of_slots else program.canonical[scope + module]
                if kind in MIXINS or kind == "refine":
                    solver.listen(
                        slot + slots, (self._on_mixin, owner, kind, scope + module, extra)
                    )
                    if kind == "refine":
                        self.rules.hooks.refine(owner)
                        self.rules.refinements.bodies.add(scope + module)
                    elif kind == "prepend":
                        prepended.add(slot + slots)
                elif kind in _CHECKS:
                    asked = scope + slots, program.texts[rename[name]]
                    refused = kind == "refused"
                    if kind == "rescued":
                        self.rules.checks.exact.add(slot + slots)
                    self.rules.checks.add(slot + slots, extra + slots, asked, refused=refused)
                elif kind in _QUESTIONS:
                    self.rules.checks.ask(
                        slot + slots, extra + slots, rename[name], refused=kind == "denied"
                    )
                elif kind == "outdated":
                    self._leave_out(owner, rename[name])
                elif kind in _LISTED:
                    self.rules.membership.add(
                        slot + slots, extra + slots, name + slots, refused=kind == "unlisted"
                    )
                elif kind in _SPELLED:
                    self.rules.membership.spell(
                        slot + slots, extra + slots, program.texts[rename[name]],
                        refused=kind == "misspelled",
                    )  # fmt: skip
                elif kind == "always":
                    self.rules.checks.always[scope + module] = bool(slot)
                elif kind == "using":
                    solver.listen(slot + slots, (self.rules.refinements.use, scope + module, extra))
                elif kind == "attr":
                    self._attribute(owner, rename[name], slot, extra)
                elif kind == "single":
                    source = extra + slots if extra >= 0 else -1
                    self.rules.objects.single(owner, slot + slots, source)
                elif kind == "extended":
                    solver.listen(slot + slots, (self._on_extended, owner, extra))
                elif kind == "wraps":
                    wrapping.setdefault(rename[name], set()).add((slot, extra))
                elif kind == "raise":
                    self.rules.raising.throw(scope + module, name, slot + slots, again=bool(extra))
                elif kind == "rescue":
                    self.rules.raising.catch(scope + module, name, extra, slot + slots)
                elif kind == "blockless":
                    self.rules.blockless[scope + module] = slot + slots
                elif kind == "around":
                    self.rules.folding.given.add(slot + slots)
                elif kind == "layered":
                    self.rules.folding.layer(slot + slots, extra + slots, name + slots, bool(scope))
                elif kind == "tested":
                    self.rules.checks.give_back(scope + slots, slot + slots)
                elif kind == "grown":
                    self.rules.hooks.grown.add(owner)
                elif kind == "lent":
                    solver.listen(slot + slots, (self.rules.replaced.lend,))
                elif kind == "undefined":
                    self.rules.withdrawn.setdefault(rename[name], set()).add(slot + slots)
                elif kind == "delegator":
                    self.rules.objects.delegators.add(owner)
                elif kind == "forward":
                    self.rules.objects.forwarded.setdefault(rename[name], {})[owner] = (
                        rename[slot], rename[extra]
                    )  # fmt: skip
                elif kind == "handed":
                    self._hand(owner, rename[name], slot + slots)
                elif kind == "alias":
                    self._alias(owner, rename[name], rename[slot], index if extra else -1)
                elif kind == "global":
                    common = shared.setdefault(rename[name], -1)
                    if common < 0:
                        common = shared[rename[name]] = solver.slot()
                    if extra:
                        solver.edge(slot + slots, common)
                    else:
                        solver.edge(common, slot + slots)
                elif kind == "joined":
                    self.rules.names.join(rename[name], slot + slots, extra + slots)
                elif kind == "filled":
                    self.rules.names.fill(slot + slots, extra + slots)
                elif kind == "naming":
                    self.rules.names.sources.add(slot + slots)
                    if extra:
                        self.rules.replaced.certain.add(slot + slots)
                elif kind == "iterate":
                    self.rules.iteration.add(index, slot, extra)
                elif kind == "answer":
                    self.rules.results.add(scope + module, name + slots, first + slot, slots, extra)
                elif kind == "reads":
                    self.rules.results.add_read(
                        scope + module, name + slots, rename[slot], extra + slots
                    )
                elif kind == "view":
                    self.rules.views.add(index, (scope + module, extra + module), slot + slots)
                elif kind == "define":
                    self.rules.missing.defining.setdefault(owner, []).append(name + slots)
                    where = name + slots, scope + module
                    solver.listen(where[0], (self._on_define, owner, slot + slots, extra, where))

        if wrapping:
            self.rules.wrapping.prepare(wrapping, prepended)
        self.rules.raising.prepare()
        self.rules.hooks.watch_classes()

    def _hand(self, owner: int, name: int, slot: int) -> None:
        """Define what `delegate` does, unless the project has a method of that name of its own."""
        if not self.classes.definers(self.program.name("delegate")):
            self.classes.add_member(owner, name, slot)

    def _leave_out(self, owner: int, name: int) -> None:
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
            if methods is not None and find(methods, rules.hooks.added) >= 0:
                calls += rules.hooks.untold(value)
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

    def _attribute(self, owner: int, name: int, access: int, of_struct: int) -> None:
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

    def _alias(self, owner: int, new: int, old: int, before: int) -> None:
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
