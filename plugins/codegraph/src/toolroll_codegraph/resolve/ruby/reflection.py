"""What any Ruby object answers about itself: `send`, `method`, `const_get`, `to_enum`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX, CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, FUNCTION, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.core_methods import OBJECT, SELF, SEND

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_LISTS: Final = ("instance_methods", "public_instance_methods", "singleton_methods")
_ANSWERED: Final = (
    *SEND, *SELF, "method", "public_method", "instance_method", "superclass", "class", "to_enum",
    "enum_for", "tap", "then", "yield_self", "instance_eval", "instance_exec", "class_eval",
    "class_exec", "module_eval", "module_exec", "include", "extend", "prepend",
    "instance_variable_set", "instance_variable_get", "define_method", "define_singleton_method",
    "const_get", "const_set", "alias_method", "cause", *_LISTS,
)  # fmt: skip
_EVALUATING: Final = frozenset((
    "tap", "then", "yield_self", "instance_eval", "instance_exec", "class_eval", "class_exec",
    "module_eval", "module_exec",
))  # fmt: skip
_REACH: Final = {"send": CallFlag.SAFE_NAME, "__send__": CallFlag.SAFE_NAME}
"""Private methods are reached by these."""
_COPIES: Final = ("dup", "clone")
_MOST_CONSTANTS: Final = 12
_MOST_LISTED: Final = 12
"""So many methods of a class are called one by one, by their names."""


class RubyReflection:
    """Methods of `Object`, `Kernel` and `Module` that lead to others by name."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.enumerators: dict[int, tuple[int, int, tuple[int, ...]]] = {}
        """Container → receiver, method's name (a slot or -1) and arguments of `to_enum`."""
        self.set_later = self.program.name("::*")
        """Member of a class for the constants that it is given by `const_set`."""
        name = rules.program.name
        self.answered = {*map(name, _ANSWERED), *rules.conversions.printing}
        """Names that are looked at here at all."""
        self.of_rails = frozenset((name("try"), name("try!")))
        """Names that Ruby itself has for no object: what a project adds to all is meant."""
        self.constants: list[tuple[Call, int]] = []
        """Calls of `const_get`, with their receivers."""

    def is_object_method(self, name: int) -> bool:
        return self.program.texts[name] in OBJECT

    def object_method(self, call: Call, value: int) -> bool:
        """Reflection and blocks that any receiver answers; False when the class decides."""
        if call.name not in self.answered or self._is_own(call.name, value):
            return False
        name = self.program.texts[call.name]
        solver, positional = self.solver, call.positional
        if name in SEND:
            if not positional or positional[0] < 0:
                return True
            inner = Call(call.result, call.scope, call.line, call.name, positional[1:],
                         call.keywords, call.flags | _REACH.get(name, 0))  # fmt: skip
            inner.stand_for(call)
            solver.listen(positional[0], (self._on_send, inner, value, positional[0]))
            return True
        if name in ("method", "public_method", "instance_method") and positional:
            if positional[0] >= 0:
                handler = self._on_unbound if name == "instance_method" else self._on_method
                solver.listen(positional[0], (handler, call.result, value))
            return True
        if name == "superclass" and solver.kind[value] == CLASS:
            for slot in self.program.bases[value][:1]:
                solver.edge(slot, call.result)
            return True
        if name == "class" and solver.kind[value] == INSTANCE:
            solver.add(call.result, value - self.program.scopes)
            return True
        if name in ("to_enum", "enum_for"):
            return self._enumerate(call, value)
        if name in _EVALUATING:
            if not call.flags & CallFlag.BLOCK:
                return False
            argument = solver.slot()
            solver.add(argument, value)
            result = -1 if name == "tap" else call.result
            self.rules.procedures.run_block(call, (argument,), result)
            if name.endswith(("_eval", "_exec")) and positional and positional[-1] >= 0:
                solver.listen(positional[-1], (self.rules.hooks.evaluate, value))
            if name == "tap":
                solver.add(call.result, value)
            return True
        if name in _LISTS:
            return self._list(call, value, "." if name == "singleton_methods" else "")
        if name == "cause" and solver.kind[value] == INSTANCE:
            solver.listen(self.rules.raising.raised, (self._on_raised, call.result, value))
            return True
        if self.rules.objects.mix(call, value, name):
            solver.add(call.result, value)
            return True
        if call.name in self.rules.conversions.printing:
            self.rules.conversions.kernel(call)
        if name in SELF:
            solver.add(call.result, value)
            if name in _COPIES and solver.kind[value] == INSTANCE:
                self.rules.conversions.copied(call, value, name)
        elif name == "instance_variable_set" and len(positional) > 1 and positional[0] >= 0:
            solver.listen(positional[0], (self._on_define, value, positional[1]))
            return True
        elif name == "instance_variable_get" and positional and positional[0] >= 0:
            solver.listen(positional[0], (self._on_variable, call.result, value))
            return True
        elif name == "define_method" and solver.kind[value] == CLASS and len(positional) > 1:
            if positional[0] >= 0:
                solver.listen(positional[0], (self._on_instance_method, value, positional[-1]))
            return True
        elif name == "alias_method" and solver.kind[value] == CLASS and len(positional) > 1:
            if min(positional) >= 0:
                solver.listen(positional[1], (self._on_old_name, value, positional[0]))
            return True
        elif name == "define_singleton_method" and len(positional) > 1 and positional[0] >= 0:
            solver.listen(positional[0], (self._on_define, value, positional[-1]))
            return True
        elif name == "const_get" and positional:
            self.constants.append((call, value))
            if positional[0] >= 0:
                solver.listen(positional[0], (self._on_constant, call, value, positional[0]))
            return True
        elif name == "const_set" and len(positional) > 1 and solver.kind[value] == CLASS:
            solver.edge(positional[1], self.rules.classes.declare(value, self.set_later))
            solver.edge(positional[1], call.result)
            return True
        return False

    def _list(self, call: Call, value: int, prefix: str) -> bool:
        """The names of a class's own methods, in an array."""
        solver, texts = self.solver, self.program.texts
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

    @handler
    def _on_raised(self, value: int, listener: Listener) -> None:
        """What is raised while another exception is rescued has that as its cause, not itself."""
        if value != listener[2]:
            self.solver.add(listener[1], value)

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

    def _enumerate(self, call: Call, value: int) -> bool:
        """`to_enum(:each)`: an array of what the method yields, which is called later."""
        solver = self.solver
        positional = call.positional
        if call.flags & CallFlag.BLOCK:
            return False
        made = solver.container(("enumerator", call.scope, call.line), ObjectKind.SEQUENCE)
        solver.add(call.result, made)
        block = solver.slot()
        solver.add(block, made)
        key = positional[0] if positional else -1
        enumerator = self.enumerators[made] = (value, key, (*positional[1:], block))
        self.run_enumerator(call, enumerator, CallFlag.QUIET)
        return True

    def run_enumerator(
        self, call: Call, enumerator: tuple[int, int, tuple[int, ...]], flags: int
    ) -> None:
        """Call the method that an enumerator stands for, which yields into it."""
        value, key, arguments = enumerator
        inner = Call(-1, call.scope, call.line, self.rules.each, arguments, (),
                     CallFlag.BLOCK | flags)  # fmt: skip
        if key >= 0:
            self.solver.listen(key, (self._on_send, inner, value, key))
        else:
            self.rules.call_method(inner, value)

    def _on_send(self, key: int, listener: Listener) -> None:
        _, call, value, source = listener
        if self.solver.kind[key] == TEXT:
            gap = self.rules.names.gap(self.solver.key_text(key))
            if gap is not None:
                self.rules.names.later(source, call, value, gap)
                return
            inner = Call(call.result, call.scope, call.line, self.solver.key_name(key),
                         call.positional, call.keywords, call.flags)  # fmt: skip
            inner.stand_for(call)
            self.rules.call_method(inner, value)

    def _on_method(self, key: int, listener: Listener) -> None:
        _, result, value = listener
        if self.solver.kind[key] != TEXT:
            return
        name = self.solver.key_name(key)
        rules = self.rules
        found = (self.bind, result, value)
        if self.solver.kind[value] == INSTANCE:
            rules.classes.lookup(value - rules.scopes, name, found)
        elif self.solver.kind[value] == CLASS:
            missing = not rules.classes.lookup(value, rules.static(name), found)
            if missing:
                rules.classes.lookup(value, name, found)
        for _, slot in rules.top.get(name, ()):
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

    def _on_variable(self, key: int, listener: Listener) -> None:
        _, result, value = listener
        if self.solver.kind[key] == TEXT:
            name = self.solver.key_name(key)
            self.rules.load(value, name, result, 0, 0)

    def _on_define(self, key: int, listener: Listener) -> None:
        _, value, block = listener
        if self.solver.kind[key] == TEXT:
            self.rules.store(value, self.solver.key_name(key), block, -1, 0)

    def _on_instance_method(self, key: int, listener: Listener) -> None:
        _, owner, source = listener
        if self.solver.kind[key] == TEXT:
            name = self.solver.key_name(key)
            if not self.rules.objects.define_named(owner, self.program.texts[name], source):
                self.solver.edge(source, self.rules.classes.declare(owner, name))

    def _on_old_name(self, key: int, listener: Listener) -> None:
        _, owner, new = listener
        if self.solver.kind[key] == TEXT:
            self.solver.listen(new, (self._on_new_name, owner, self.solver.key_name(key)))

    def _on_new_name(self, key: int, listener: Listener) -> None:
        """`alias_method "#{name}_before", name`."""
        _, owner, old = listener
        new = self.solver.key_name(key) if self.solver.kind[key] == TEXT else old
        if new != old and not self.program.texts[new].endswith(PREFIX):
            copy = (self.solver.copy_to, self.rules.classes.declare(owner, new))
            self.rules.wrapping.lookup(owner, old, copy)

    def _on_constant(self, key: int, listener: Listener) -> None:
        _, call, value, source = listener
        if self.solver.kind[key] == TEXT:
            scope = value if self.solver.kind[value] == CLASS else call.scope
            text = self.solver.key_text(key).replace("::", ".")
            gap = self.rules.names.gap(text)
            if gap is not None:  # `const_get("#{kind}Option")`
                self.rules.names.later(source, call, value, gap)
                return
            path = self.rules.imports.find(text, scope)
            if path in self.rules.imports.table:
                self.solver.add(call.result, self.rules.imports.table[path])
            for slot in self.rules.imports.values.get(path or "", ()):
                self.solver.edge(slot, call.result)

    def settle(self) -> None:
        """Which constant `const_get` reads may not be known: then any class of the receiver's."""
        solver, program = self.solver, self.program
        for call, value in self.constants:
            known = solver.points[call.positional[0]] if call.positional[0] >= 0 else None
            if solver.kind[value] != CLASS or any(solver.kind[key] == TEXT for key in known or ()):
                continue
            found = self.rules.imports.inside(value)
            for scope in found if len(found) <= _MOST_CONSTANTS else ():
                solver.add(call.result, scope)
            for scope in (value, program.canonical[value]):
                later = (program.members[scope] or {}).get(self.set_later, -1)
                solver.edge(later, call.result)
