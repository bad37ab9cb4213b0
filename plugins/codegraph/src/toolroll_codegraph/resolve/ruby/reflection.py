"""What any Ruby object answers about itself: `send`, `method`, `instance_eval`, `class`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, FUNCTION, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.core_methods import OBJECT, SELF, SEND
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.gaps import gap_of
from toolroll_codegraph.resolve.ruby.objects import MIXINS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_METHODS: Final = ("method", "public_method", "instance_method")
_LISTS: Final = ("instance_methods", "public_instance_methods", "singleton_methods")
_RELATED: Final = ("ancestors", "included_modules", "subclasses", "descendants")
"""What lists the classes above a class, or those below it."""
_ON_ITSELF: Final = ("tap", "then", "yield_self")
_ON_OTHERS: Final = (
    "instance_eval", "instance_exec", "class_eval", "class_exec", "module_eval", "module_exec",
)  # fmt: skip
"""These run a block with another `self`."""
_REACH: Final = {"send": CallFlag.SAFE_NAME, "__send__": CallFlag.SAFE_NAME}
"""Private methods are reached by these."""
_COPIES: Final = ("dup", "clone")
_MOST_LISTED: Final = 12
"""So many methods of a class are called one by one, by their names."""


class RubyReflection(RubyFeature):
    """Methods of `Object`, `Kernel` and `Module` that lead to others."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        named: dict[str, Callable[[Call, int], bool]] = {
            **dict.fromkeys(SELF, self._itself),
            **dict.fromkeys(SEND, self._send),
            **dict.fromkeys(_METHODS, self._method),
            **dict.fromkeys(_ON_ITSELF, self.run_block),
            **dict.fromkeys(_ON_OTHERS, self._evaluate),
            **dict.fromkeys(_LISTS, self._list),
            **dict.fromkeys(MIXINS, self._mix),
            **dict.fromkeys(_RELATED, self._related),
            "superclass": self._superclass, "class": self._class, "cause": self._cause,
            "respond_to?": self._respond,
            "to_enum": rules.enumerators.make, "enum_for": rules.enumerators.make,
            **rules.named_members.answers,
        }  # fmt: skip
        self.missing = self.program.name("respond_to_missing?")
        self.answers = {
            **dict.fromkeys(rules.conversions.printing, self._print),
            **{self.program.name(name): answer for name, answer in named.items()},
        }
        """What is looked at here at all, and how; these say False when the class decides."""
        self.of_rails = frozenset((self.program.name("try"), self.program.name("try!")))
        """Names that Ruby itself has for no object: what a project adds to all is meant."""

    def is_object_method(self, name: int) -> bool:
        return self.program.texts[name] in OBJECT

    def object_method(self, call: Call, value: int) -> bool:
        """Reflection and blocks that any receiver answers; False when the class decides."""
        answer = self.answers.get(call.name)
        if answer is None or self._is_own(call.name, value):
            return False
        return answer(call, value)

    def _is_own(self, name: int, value: int) -> bool:
        """Whether the project defines a method of this name for a value."""
        rules, kind = self.rules, self.solver.kind[value]
        if name in rules.conversions.printing:
            return False
        if kind == CLASS and (
            rules.classes.find(value, rules.static(name)) >= 0
            or rules.extensions.having(value, name)
        ):
            return True
        if not rules.classes.definers(name):
            return False
        if kind == INSTANCE and rules.classes.find(value - self.program.scopes, name) >= 0:
            return True
        return name in self.of_rails and name in rules.imports.common

    # methods by name

    def _send(self, call: Call, value: int) -> bool:
        positional = call.positional
        if positional and positional[0] < -1:
            name, others = self.rules.arguments.taken_apart(-positional[0] - 2)
            positional = name, others, *positional[1:]
        if positional and positional[0] >= 0:
            reach = _REACH.get(self.program.texts[call.name], 0)
            inner = Call(call.result, call.scope, call.line, call.name, positional[1:],
                         call.keywords, call.flags | reach)  # fmt: skip
            inner.stand_for(call)
            self.send(positional[0], inner, value)
        return True

    def send(self, name: int, call: Call, value: int) -> None:
        """Call methods of a value by the names that a slot has."""
        self.solver.listen(name, (self._on_send, call, value, name))

    def _on_send(self, key: int, listener: Listener) -> None:
        _, call, value, source = listener
        if self.solver.kind[key] == TEXT:
            gap = gap_of(self.solver.key_text(key))
            if gap is not None:
                self.rules.gaps.later(source, call, value, gap)
                return
            inner = Call(call.result, call.scope, call.line, self.solver.key_name(key),
                         call.positional, call.keywords, call.flags)  # fmt: skip
            inner.stand_for(call)
            self.rules.call_method(inner, value)

    def _method(self, call: Call, value: int) -> bool:
        positional = call.positional
        if not positional:
            return False
        if positional[0] >= 0:
            unbound = self.program.texts[call.name] == "instance_method"
            if unbound:
                self.solver.listen(positional[0], (self._on_unbound, call.result, value))
            else:
                self.solver.listen(positional[0], (self._on_method, call, value))
        return True

    def _on_method(self, key: int, listener: Listener) -> None:
        _, call, value = listener
        if self.solver.kind[key] != TEXT:
            return
        gap = gap_of(self.solver.key_text(key))
        if gap is not None:
            self.rules.gaps.later(call.positional[0], call, value, gap)
        else:
            self.method_object(call.result, value, self.solver.key_name(key))

    def method_object(self, result: int, value: int, name: int) -> None:
        """What `method` gives for a name: whatever a call of that would enter."""
        rules, lookup = self.rules, self.rules.classes.lookup
        found = (self.bind, result, value)
        if self.solver.kind[value] == INSTANCE:
            known = lookup(value - rules.scopes, name, found)
            if not known and name in rules.attributes:
                self.solver.add(result, rules.procedures.named(value, name))
        elif self.solver.kind[value] == CLASS:
            static = rules.static(name)
            before = rules.extensions.nearest(value, name, static)
            if before >= 0:
                lookup(before, name, found)
            elif name in rules.making.makers and rules.classes.find(value, static) < 0:
                self.solver.add(result, rules.procedures.named(value, name))
            elif not lookup(value, static, found):
                for module in rules.extensions.asked(value, name):
                    lookup(module, name, found)
                lookup(value, name, found)
        for _, slot in rules.toplevel.methods.get(name, ()):
            self.solver.listen(slot, found)

    def _on_unbound(self, key: int, listener: Listener) -> None:
        """`instance_method(name)`: what the class has before it is replaced."""
        _, result, value = listener
        if self.solver.kind[key] == TEXT and self.solver.kind[value] == CLASS:
            found = (self.bind, result, value)
            self.rules.wrapping.lookup(value, self.solver.key_name(key), found)

    def bind(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self.solver.add(listener[1], self.solver.bound(value, listener[2]))

    # blocks and modules

    def run_block(self, call: Call, value: int) -> bool:
        """`tap`, `then` and what evaluates a block: it is handed the receiver."""
        if not call.flags & CallFlag.BLOCK:
            return False
        argument = self.solver.slot()
        self.solver.add(argument, value)
        tapped = self.program.texts[call.name] == "tap"
        result = -1 if tapped else call.result
        self.rules.procedures.run_block(call, (argument,), result)
        if tapped:
            self.solver.add(call.result, value)
        return True

    def _evaluate(self, call: Call, value: int) -> bool:
        if not self.program.texts[call.name].endswith("exec"):
            if not self.run_block(call, value):
                return False
        elif not call.flags & CallFlag.BLOCK:
            return False
        else:  # it is handed what is given
            self.rules.procedures.run_block(call, call.positional[:-1], call.result)
        block = call.positional[-1] if call.positional else -1
        if block >= 0:
            of_class = not self.program.texts[call.name].startswith("instance")
            self.rules.evaluation.run(block, value, of_class=of_class)
        return True

    def _mix(self, call: Call, value: int) -> bool:
        if not self.rules.objects.mix(call, value, self.program.texts[call.name]):
            return False
        self.solver.add(call.result, value)
        return True

    def _print(self, call: Call, _: int) -> bool:
        self.rules.conversions.kernel(call)
        return False

    # what an object is

    def _superclass(self, call: Call, value: int) -> bool:
        if self.solver.kind[value] != CLASS:
            return False
        program = self.program
        for slot in program.bases[value][:1]:
            self.solver.edge(slot, call.result)
        owner = program.owner_class(program.caller[call.scope])
        own = owner >= 0 and program.canonical[owner] == value
        if own and not self.rules.classes.found_bases.get(value):
            self.solver.add(call.result, value)  # asked by a class that a library's user derives
        return True

    def _related(self, call: Call, value: int) -> bool:
        """The classes that a class derives from, or is derived from, in an array."""
        solver, classes = self.solver, self.rules.classes
        if solver.kind[value] != CLASS:
            return False
        above = self.program.texts[call.name] in _RELATED[:2]
        found = classes.order(value) if above else classes.below(value)
        made = solver.container(("related", value, above), ObjectKind.SEQUENCE)
        for scope in found if len(found) <= _MOST_LISTED else ():
            solver.add(solver.field(made, self.rules.containers.any_key), scope)
        solver.add(call.result, made)
        return call.name not in self.rules.imports.common

    def _class(self, call: Call, value: int) -> bool:
        if self.solver.kind[value] != INSTANCE:
            return False
        self.solver.add(call.result, value - self.program.scopes)
        return True

    def _respond(self, call: Call, value: int) -> bool:
        """`respond_to?` asks the object's own `respond_to_missing?`."""
        classes, kind, missing = self.rules.classes, self.solver.kind[value], self.missing
        if kind not in (INSTANCE, CLASS) or not classes.definers(
            self.rules.static(missing) if kind == CLASS else missing
        ):
            return False
        inner = self.solver.derived_call(call, call.result, call.positional, missing)
        found = (self.rules.on_member, inner, value)
        if kind == CLASS:
            return classes.lookup(value, self.rules.static(missing), found)
        return classes.lookup(value - self.program.scopes, missing, found)

    def _itself(self, call: Call, value: int) -> bool:
        name = self.program.texts[call.name]
        scope = value - self.program.scopes if self.solver.kind[value] == INSTANCE else -1
        if name == "lazy" and scope >= 0 and self.rules.classes.find(scope, self.rules.each) >= 0:
            return False  # an enumerator
        self.solver.add(call.result, value)
        if name in _COPIES and self.solver.kind[value] == INSTANCE:
            self.rules.conversions.copied(call, value, name)
        return False

    def _cause(self, call: Call, value: int) -> bool:
        if self.solver.kind[value] != INSTANCE:
            return False
        self.solver.listen(self.rules.raising.raised, (self._on_raised, call.result, value))
        return True

    @handler
    def _on_raised(self, value: int, listener: Listener) -> None:
        """What is raised while another exception is rescued has that as its cause, not itself."""
        if value != listener[2]:
            self.solver.add(listener[1], value)

    def _list(self, call: Call, value: int) -> bool:
        """The names of a class's own methods, in an array."""
        solver, texts = self.solver, self.program.texts
        prefix = "." if texts[call.name] == "singleton_methods" else ""
        names = [
            texts[name].removeprefix(prefix)
            for name in (self.program.members[value] or () if solver.kind[value] == CLASS else ())
            if texts[name].startswith(prefix)
        ]
        names = [text for text in names if text[:1].isalpha()]
        if not names or len(names) > _MOST_LISTED:
            return False
        made = solver.container(("names", value, prefix), ObjectKind.SEQUENCE)
        for text in names:
            found = solver.text(self.program.name(text))
            solver.add(solver.field(made, self.rules.containers.any_key), found)
        solver.add(call.result, made)
        return True
