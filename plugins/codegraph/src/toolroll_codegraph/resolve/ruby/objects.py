"""Ruby objects that are made or changed at run time: delegators, extended objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, INSTANCE, MODULE, TEXT
from toolroll_codegraph.resolve.ruby.core_methods import ANY_OBJECT, CORE, CORE_CONSTANTS, KERNEL
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.gaps import gap_of

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

MIXINS: Final = ("include", "extend", "prepend", "singleton_class.prepend")


class RubyObjects(RubyFeature):
    """What `SimpleDelegator`, `object.extend` and patterns of names bring."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.delegators: set[int] = set()
        self.delegated: set[tuple[int, int, int, int]] = set()
        self.patterns: dict[int, list[tuple[str, str, int]]] = {}
        """Class → beginning and end of the names and slot of methods defined in a loop."""
        self._mixed: set[tuple[int, int, str, int]] = set()
        """(module, object, how, line) of what is mixed in by calls: hooks make some early."""
        self.forwarded: dict[int, dict[int, tuple[int, int]]] = {}
        """Name → class → (accessor, method) that a call is handed on to."""
        self.singles: dict[int, int] = {}
        """Class of one object alone → that object's class."""
        self.perhaps: set[tuple[int, int, int]] = set()
        """(class, module, name) of what some of its instances have from that and others not."""
        self._unknown: list[tuple[int, int, int]] = []
        """(class of its own, slot, slot before) of each object with such a class."""
        self._asked: dict[int, Sequence[int]] = {}
        """Class → those in its order with patterns, fields or a delegate: none for nearly all."""
        self._of_ruby: dict[int, bool] = {}
        self._changes = 0
        """How many changes of orders these two know of."""
        name = self.program.name
        self.target, self.get_object = name("@delegate_sd_obj"), name("__getobj__")
        self.to_proc = name("to_proc")

    def make(self, call: Call, scope: int) -> bool:
        """What `new` does where no `initialize` is written; False if nothing is known of it."""
        for known in self.classes.order(scope):
            if known in self.delegators:
                slot = self.classes.declare(known, self.target)
                if call.positional and call.positional[0] >= 0:
                    self.solver.edge(call.positional[0], slot)
                return True
            if known in self.rules.structs.fields:
                self.rules.structs.fill(call, known, scope)
                return True
        return False

    def answer(self, call: Call, value: int, scope: int, name: int) -> bool:
        """A method that the class does not write down: delegated, or defined in a loop."""
        order = self.classes.order(scope)
        if name in self.forwarded and self.forward(call, value, name):
            return True
        text = self.program.texts[name]
        for known in self._special(scope, order):
            for beginning, end, slot in self.patterns.get(known, ()):
                if text.startswith(beginning) and text.endswith(end):
                    self.solver.listen(slot, (self.rules.on_member, call, value))
                    return True
            if known in self.delegators:
                slot = self.classes.declare(known, self.target)
                if name == self.get_object:
                    self.solver.edge(slot, call.result)
                elif (slot, call.scope, call.line, name) not in self.delegated:  # once each
                    self.delegated.add((slot, call.scope, call.line, name))
                    inner = Call(
                        call.result, call.scope, call.line, name, call.positional, call.keywords,
                        call.flags & CallFlag.BLOCK | CallFlag.QUIET,
                    )  # fmt: skip
                    inner.stand_for(call)
                    self.solver.listen(slot, (self._on_delegate, inner))
                return True
            if known in self.rules.structs.fields:
                return self.rules.structs.answer(call, known, scope, text)
            if known in self.rules.collections.kinds:
                return self.rules.collections.answer(call, value, known, text)
        return False

    def _special(self, scope: int, order: Sequence[int]) -> Sequence[int]:
        self._forget_changed()
        found = self._asked.get(scope)
        if found is None:
            special = (self.patterns, self.delegators, self.rules.structs.fields,
                       self.rules.collections.kinds)  # fmt: skip
            found = self._asked[scope] = tuple(
                [known for known in order if any(known in kind for kind in special)]
            )
        return found

    def _forget_changed(self) -> None:
        if self._changes != self.classes.changes:
            self._changes = self.classes.changes
            self._asked.clear()
            self._of_ruby.clear()

    @handler
    def _on_delegate(self, value: int, listener: Listener) -> None:
        self.rules.call_method(listener[1], value)

    def forward(self, call: Call, value: int, name: int) -> bool:
        """Hand a call on to what an accessor gives; it is the library that calls."""
        owners, scope = self.forwarded[name], value
        if self.solver.kind[value] == INSTANCE:
            scope -= self.program.scopes
        known = next((item for item in self.classes.order(scope) if item in owners), -1)
        if known < 0:
            return False
        place = known, call.scope, call.line, call.name
        if place in self.delegated:
            return True
        self.delegated.add(place)
        accessor, method = owners[known]
        slot = self.solver.slot()
        if self.program.texts[accessor].startswith("@"):
            self.rules.load(value, accessor, slot, call.scope, call.line)
        else:
            reader = Call(slot, call.scope, call.line, accessor, (), (), CallFlag.QUIET)
            self.rules.call_method(reader, value)
        inner = Call(
            call.result, call.scope, call.line, method, call.positional, call.keywords,
            call.flags & CallFlag.BLOCK | CallFlag.QUIET,
        )  # fmt: skip
        self.solver.listen(slot, (self._on_delegate, inner))
        return True

    def is_known_elsewhere(self, call: Call, scope: int, name: int) -> bool:
        """Whether a class of Ruby itself answers, so that nothing is missing."""
        text, alone = self.program.texts[name], call.flags & CallFlag.SAFE_NAME
        if text in ANY_OBJECT or (alone and text in KERNEL):
            return not self._is_blank(scope)
        return text in CORE and self.is_of_ruby(scope)

    def _is_blank(self, scope: int) -> bool:
        """Whether a class derives from `BasicObject` itself."""
        blank, bases = self.rules.imports.blank, self.program.bases
        return bool(blank) and any(
            not blank.isdisjoint(bases[base]) for base in self.classes.order(scope)
        )

    def is_of_ruby(self, scope: int) -> bool:
        """Whether a class derives from one that is not the project's, which may be Ruby's."""
        self._forget_changed()
        known = self._of_ruby.get(scope)
        if known is None:
            bases, paths = self.program.bases, self.rules.imports.paths
            known = self._of_ruby[scope] = not self._is_blank(scope) and any(
                len(self.classes.found_bases.get(base, ())) < len(bases[base])
                or paths.get(base) in CORE_CONSTANTS  # opened again here, it is Ruby's all the same
                for base in self.classes.order(scope)
            )
        return known

    def single(self, scope: int, target: int, source: int) -> None:
        """An object gets methods of its own, and so a class of its own, behind which is its own.

        Of several objects that is done with the first; others are any object of their class.
        """
        self.classes.instantiated.add(scope)
        self.classes.single.add(scope)
        if source >= 0:
            self.solver.listen(source, (self._on_single, scope, target))
            self._unknown.append((scope, target, source))
        else:
            self.solver.add(target, scope + self.program.scopes)

    def settle(self) -> None:
        """An object of which nothing is known has its own methods all the same."""
        for scope, target, source in self._unknown:
            if self.solver.points[source] is None:
                self.solver.add(target, scope + self.program.scopes)
        self._unknown.clear()

    @handler
    def _on_single(self, value: int, listener: Listener) -> None:
        scope: int = listener[1]
        target: int = listener[2]
        owner, kind = value - self.program.scopes, self.solver.kind[value]
        if kind == INSTANCE and self.singles.setdefault(scope, owner) == owner:
            self.classes.add_base(scope, owner, 0)
            value = scope + self.program.scopes
        elif kind in (CONTAINER, TEXT):  # it does what Ruby's class has as well
            self.solver.add(target, scope + self.program.scopes)
            self.rules.collections.share(scope, value)
        self.solver.add(target, value)

    def mix(self, call: Call, value: int, kind: str) -> bool:
        """`object.extend(Module)`, and `Name.include(Module)` outside of the class's body."""
        if kind not in MIXINS or not call.positional:
            return False
        for item in reversed(call.positional):  # the first comes before the others
            if item >= 0:
                self.solver.listen(item, (self._on_module, call, value, kind))
        return True

    def _on_module(self, module: int, listener: Listener) -> None:
        call: Call = listener[1]
        value: int = listener[2]
        kind: str = listener[3]
        place = module, value, kind, call.line
        kinds = self.solver.kind
        if kinds[module] == INSTANCE and kinds[value] == CLASS and place not in self._mixed:
            self._mixed.add(place)  # of a subclass of `Module`
            self.rules.named_members.mix_object(module, value)
            self.rules.hooks.mixed_in_object(module, value, kind, call.line, call.scope)
        if kinds[module] != CLASS or place in self._mixed:
            return
        self._mixed.add(place)
        if self.solver.kind[value] == CLASS:
            if kind == "prepend":
                self.rules.replaced.prepend(value, module, call.scope)
            self.rules.declarations.mix(module, value, kind)
            self.rules.hooks.mixed_in(module, value, kind, call.line, call.scope)
        else:
            if self.solver.kind[value] == MODULE:  # the main object
                self.rules.declarations.mix(module, value, kind)
            if self.solver.kind[value] == INSTANCE:
                owner = value - self.program.scopes
                for scope in {owner, self.singles.get(owner, owner)}:
                    self.rules.declarations.mix(module, scope, "include")
                if not self.program.flags[owner] & ScopeFlag.OWN:
                    self._perhaps(owner, module)
            self.rules.hooks.run(module, kind, call.scope, call.line, value)

    def _perhaps(self, owner: int, module: int) -> None:
        """An object that is extended where code runs has a module's methods, another its class's.

        So it has those that the class, or another such module, has as well.
        """
        classes, texts = self.classes, self.program.texts
        for name, slot in [*(self.program.members[module] or {}).items()]:
            if texts[name].startswith((".", "@")) or classes.find(owner, name) in (slot, -1):
                continue
            own = (self.program.members[owner] or {}).get(name, -1)
            if own < 0:
                own = classes.declare_apart(owner, name)
                classes.lookup(owner, name, (self.solver.copy_to, own), after=owner)
            self.perhaps.add((owner, module, name))
            self.solver.edge(slot, own)

    def call_plain(self, call: Call, value: int) -> None:
        """A call of an object that only has methods of its own, and what all objects have."""
        slot = self.solver.field(value, call.name)
        self.solver.listen(slot, (self.rules.on_member, call, value))
        if self.solver.points[slot] is None and call.flags & CallFlag.SAFE_NAME:
            self.rules.toplevel.call(call, value, call.name)
        self.rules.reflection.object_method(call, value)

    def define_named(self, owner: int, text: str, source: int) -> bool:
        """`define_method("#{name}?")`: False for a whole name."""
        gap = gap_of(text)
        if gap is not None:
            self.patterns.setdefault(owner, []).append((*gap, source))
            self._asked.clear()
        return gap is not None
