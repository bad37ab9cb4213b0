"""What Ruby's core classes do with blocks, arrays, hashes and method objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.program import (
    BOUND,
    CLASS,
    CONTAINER,
    FUNCTION,
    INSTANCE,
    TEXT,
)
from toolroll_codegraph.resolve.ruby_core_methods import (
    ADD,
    COMPARABLE,
    ELEMENT,
    ENUMERABLE,
    MAPPED,
    OBJECT,
    PAIRS,
    SAME,
    SELF,
    SEND,
)
from toolroll_codegraph.resolve.solver import Call, Listener

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby_rules import RubyRules


_COPIES: Final = ("dup", "clone")
_MOST_CONSTANTS: Final = 12


class RubyModels:
    """The part of Ruby's core that moves project values around."""

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.any_key = self.program.name("[*")
        self.enumerators: dict[int, tuple[int, int, tuple[int, ...]]] = {}
        """Container → receiver, method's name (a slot or -1) and arguments of `to_enum`."""
        self.set_later = self.program.name("::*")
        """Member of a class for the constants that it is given by `const_set`."""
        self.constants: list[tuple[Call, int]] = []
        """Calls of `const_get`, with their receivers."""

    def is_object_method(self, name: int) -> bool:
        return self.program.texts[name] in OBJECT

    # methods of every object

    def object_method(self, call: Call, value: int) -> bool:
        """Reflection and blocks that any receiver answers; False when the class decides."""
        name = self.program.texts[call.name]
        solver, positional = self.solver, call.positional
        if name in SEND and positional and positional[0] >= 0:
            inner = Call(call.result, call.scope, call.line, call.name, positional[1:],
                         call.keywords, call.flags)  # fmt: skip
            inner.stand_for(call)
            solver.listen(positional[0], (self._on_send, inner, value))
            return True
        if name in ("method", "public_method", "instance_method") and positional:
            if positional[0] >= 0:
                solver.listen(positional[0], (self._on_method, call.result, value))
            return True
        if name == "class" and solver.kind[value] == INSTANCE:
            solver.add(call.result, value - self.program.scopes)
            return True
        if name in ("to_enum", "enum_for"):
            return self._enumerate(call, value)
        if name in ("tap", "then", "yield_self", "instance_eval", "instance_exec", "class_eval"):
            if not call.flags & CallFlag.BLOCK:
                return False
            argument = solver.slot()
            solver.add(argument, value)
            result = -1 if name == "tap" else call.result
            self.run_block(call, (argument,), result)
            if name.endswith(("_eval", "_exec")) and positional and positional[-1] >= 0:
                solver.listen(positional[-1], (self.rules.hooks.evaluate, value))
            if name == "tap":
                solver.add(call.result, value)
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
        elif name == "define_singleton_method" and len(positional) > 1 and positional[0] >= 0:
            solver.listen(positional[0], (self._on_define, value, positional[-1]))
            return True
        elif name == "const_get" and positional:
            self.constants.append((call, value))
            if positional[0] >= 0:
                solver.listen(positional[0], (self._on_constant, call, value))
            return True
        elif name == "const_set" and len(positional) > 1 and solver.kind[value] == CLASS:
            solver.edge(positional[1], self.rules.classes.declare(value, self.set_later))
            solver.edge(positional[1], call.result)
            return True
        return False

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
        self._run_enumerator(call, enumerator, CallFlag.QUIET)
        return True

    def _run_enumerator(
        self, call: Call, enumerator: tuple[int, int, tuple[int, ...]], flags: int
    ) -> None:
        """Call the method that an enumerator stands for, which yields into it."""
        value, key, arguments = enumerator
        inner = Call(-1, call.scope, call.line, self.rules.each, arguments, (),
                     CallFlag.BLOCK | flags)  # fmt: skip
        if key >= 0:
            self.solver.listen(key, (self._on_send, inner, value))
        else:
            self.rules.call_method(inner, value)

    def _on_send(self, key: int, listener: Listener) -> None:
        _, call, value = listener
        if self.solver.kind[key] == TEXT:
            if self.rules.objects.send_named(call, value, self.solver.key_text(key)):
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
        found = (self._bind, result, value)
        if self.solver.kind[value] == INSTANCE:
            rules.classes.lookup(value - rules.scopes, name, found)
        elif self.solver.kind[value] == CLASS:
            missing = not rules.classes.lookup(value, rules.static(name), found)
            if missing:
                rules.classes.lookup(value, name, found)
        for _, slot in rules.top.get(name, ()):
            self.solver.listen(slot, found)

    def _bind(self, value: int, listener: Listener) -> None:
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

    def _on_constant(self, key: int, listener: Listener) -> None:
        _, call, value = listener
        if self.solver.kind[key] == TEXT:
            scope = value if self.solver.kind[value] == CLASS else call.scope
            text = self.solver.key_text(key).replace("::", ".")
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

    def function_method(self, call: Call, value: int) -> None:
        """Calls of procs, lambdas and method objects."""
        name = self.program.texts[call.name]
        if name in ("call", "()", "yield", "[]", "===", "instance_exec"):
            self.rules.call_value(call, value)
        elif name in ("to_proc", "curry", "unbind", "lambda?", "freeze", "dup"):
            self.solver.add(call.result, value)
        elif name in (">>", "<<"):  # calling what is composed calls both
            self.solver.add(call.result, value)
            for item in call.positional:
                if item >= 0:
                    self.solver.edge(item, call.result)
        elif name in ("bind", "bind_call"):
            function = value
            if self.solver.kind[value] == BOUND:
                function = self.solver.detail[value][0]
            if call.positional and call.positional[0] >= 0:
                inner = self.solver.derived_call(call, call.result, call.positional[1:])
                found = (self._on_bind, inner, function, name == "bind_call")
                self.solver.listen(call.positional[0], found)

    def _on_bind(self, receiver: int, listener: Listener) -> None:
        _, call, function, called = listener
        if called:
            self.rules.enter(call, function, receiver)
        else:
            self.solver.add(call.result, self.solver.bound(function, receiver))

    def text_method(self, call: Call, value: int) -> None:
        name = self.program.texts[call.name]
        if name in ("to_sym", "to_s", "to_proc", "freeze", "dup", "itself", "intern"):
            self.solver.add(call.result, value)

    # blocks

    def run_block(self, call: Call, positional: tuple[int, ...], result: int) -> None:
        """Run the block a builtin was given, from the builtin's caller."""
        if call.flags & CallFlag.BLOCK and call.positional:
            inner = self.solver.derived_call(call, result, positional)
            if call.positional[-1] >= 0:
                self.solver.listen(call.positional[-1], (self._on_block, inner))

    def _on_block(self, value: int, listener: Listener) -> None:
        self.rules.call_value(listener[1], value)

    def protocol(self, call: Call, value: int, scope: int, name: int) -> bool:
        """Enumerable methods run `each`, Comparable ones `<=>`, `!=` runs `==`."""
        text = self.program.texts[name]
        classes = self.rules.classes
        if text in ENUMERABLE and classes.find(scope, self.rules.each) >= 0:
            inner = Call(-1, call.scope, call.line, self.rules.each, call.positional[-1:]
                         if call.flags & CallFlag.BLOCK else (), (),
                         call.flags & (CallFlag.BLOCK | CallFlag.IMPLICIT))  # fmt: skip
            self.rules.instance_call(inner, value, self.rules.each)
            return True
        if text in COMPARABLE and classes.find(scope, self.rules.compare) >= 0:
            inner = self.solver.derived_call(call, -1, call.positional)
            self.rules.instance_call(inner, value, self.rules.compare)
            return True
        if text == "respond_to?":
            missing = self.program.name("respond_to_missing?")
            if classes.find(scope, missing) < 0:
                return False
            inner = self.solver.derived_call(call, call.result, call.positional)
            return self.rules.instance_call(inner, value, missing)
        if text == "!=":
            inner = self.solver.derived_call(call, -1, call.positional)
            return classes.find(scope, self.program.name("==")) >= 0 and self.rules.instance_call(
                inner, value, self.program.name("=="))  # fmt: skip
        return False

    # arrays and hashes

    def elements(self, container: int, target: int) -> None:
        if target >= 0:
            self.solver.every_field(container, (self.solver.copy_to, target))

    def load(self, container: int, name: int, target: int) -> None:
        if name == self.any_key or self.program.texts[name].startswith("[-"):
            self.elements(container, target)
            return
        self.solver.edge(self.solver.field(container, name), target)
        self.solver.edge(self.solver.field(container, self.any_key), target)

    def container_method(self, call: Call, value: int) -> None:
        solver = self.solver
        if not call.once(-2 - value):
            return
        name = self.program.texts[call.name]
        kind = solver.detail[value][0]
        first = call.positional[0] if call.positional else -1
        self.rules.conversions.container(call, value, name, kind)
        if value in self.enumerators and (name in ENUMERABLE or name == "each"):
            self._run_enumerator(call, self.enumerators[value], CallFlag.IMPLICIT)
        if name == "[]" or name in ("fetch", "dig"):
            if first >= 0:
                solver.listen(first, (self._on_key, value, call.result))
            if not any(solver.kind[item] == TEXT for item in solver.points[first] or ()) \
                    if first >= 0 else True:  # fmt: skip
                self.elements(value, call.result)
        elif name in ("[]=", "store") and len(call.positional) > 1:
            self._store(value, first, call.positional[-1])
        elif name in ADD:
            for item in call.positional:
                if item >= 0:
                    solver.edge(item, solver.field(value, self.any_key))
            solver.add(call.result, value)
        elif name in ("merge", "merge!", "update", "concat", "+"):
            if first >= 0:
                solver.listen(first, (self._on_merge, value))
            pairs = iter(call.keywords)
            for key, item in zip(pairs, pairs, strict=True):
                if key < 0:
                    solver.listen(item, (self._on_merge, value))
                else:
                    field = self.program.name("[" + self.program.texts[key])
                    solver.edge(item, solver.field(value, field))
            solver.add(call.result, value)
        elif name in ("inject", "reduce"):
            self._reduce(call, value)
            return
        elif name in ELEMENT:
            self.elements(value, call.result)
        elif name in SAME:
            solver.add(call.result, value)
        elif name == "each_with_object" and first >= 0:
            solver.edge(first, call.result)
        if call.flags & CallFlag.ITERATE:
            self.elements(value, call.result)
        self._run_over(call, value, name, kind, first)

    def _run_over(self, call: Call, value: int, name: str, kind: object, first: int) -> None:
        if not call.flags & CallFlag.BLOCK:
            return
        solver = self.solver
        element = solver.slot()
        self.elements(value, element)
        result = -1
        if name in MAPPED and name != "each_with_object":
            made = solver.container(("call", call.result), ObjectKind.SEQUENCE)
            solver.add(call.result, made)
            result = solver.field(made, self.any_key)
        if kind == ObjectKind.HASH and name in PAIRS:
            self.run_block(call, (-1, element), result)
        elif name == "each_with_object":
            self.run_block(call, (element, first), -1)
        elif name not in ("fetch", "dig"):
            self.run_block(call, (element, -1), result)

    def _reduce(self, call: Call, value: int) -> None:
        solver = self.solver
        element, total = solver.slot(), solver.slot()
        self.elements(value, element)
        arguments = call.positional[:-1] if call.flags & CallFlag.BLOCK else call.positional
        for item in arguments:
            solver.edge(item, total)
        if not arguments or not call.flags & CallFlag.BLOCK:
            solver.edge(element, total)
        solver.edge(total, call.result)
        if call.flags & CallFlag.BLOCK:
            self.run_block(call, (total, element), total)
        elif arguments and arguments[-1] >= 0:  # inject(:+)
            inner = solver.derived_call(call, total, (total, element))
            solver.listen(arguments[-1], (self._on_block, inner))

    def _on_key(self, key: int, listener: Listener) -> None:
        _, value, result = listener
        if self.solver.kind[key] == TEXT:
            text = self.solver.key_text(key)
            self.load(value, self.program.name("[" + text), result)

    def _store(self, value: int, key: int, source: int) -> None:
        known = [item for item in self.solver.points[key] or () if self.solver.kind[item] == TEXT] \
            if key >= 0 else []  # fmt: skip
        for item in known:
            name = self.program.name("[" + self.solver.key_text(item))
            self.solver.edge(source, self.solver.field(value, name))
        if not known:
            self.solver.edge(source, self.solver.field(value, self.any_key))

    def _on_merge(self, value: int, listener: Listener) -> None:
        target = listener[1]
        if self.solver.kind[value] == CONTAINER and value != target:

            def receive(name: int, slot: int) -> None:
                self.solver.edge(slot, self.solver.field(target, name))

            self.solver.mirror(value, receive)


__all__ = ["BOUND", "RubyModels"]
