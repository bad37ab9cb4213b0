"""Members of Ruby objects under names that values tell: `define_method`, `const_get`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.accessors import DECLARING, RubyAccessors
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.gaps import gap_of

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_MOST_CONSTANTS: Final = 12


class RubyNamedMembers(RubyFeature):
    """Instance variables, methods and constants that are read, set or defined by calls."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.set_later = self.program.name("::*")
        """Member of a class for the constants that it is given by `const_set`."""
        self._of_modules: dict[int, list[tuple[int, int]]] = {}
        """Class of objects that are modules → (name, method) of what is defined on these."""
        self._mixing: dict[int, list[int]] = {}
        """The same class → the classes that mix its objects in."""
        self._constants: list[tuple[Call, int]] = []
        """Calls of `const_get`, with their receivers."""
        self.accessors = RubyAccessors(rules)
        self.answers: dict[str, Callable[[Call, int], bool]] = {
            "instance_variable_get": self._variable_get,
            "instance_variable_set": self._variable_set,
            "class_variable_get": self._variable_get,
            "class_variable_set": self._variable_set,
            "define_method": self._define_method,
            "define_singleton_method": self._define_singleton,
            "alias_method": self._alias,
            "module_function": self._copy_to_module,
            "const_get": self._constant_get,
            "const_set": self._constant_set,
            **dict.fromkeys(DECLARING, self.accessors.declare),
        }

    # instance variables

    def _variable_get(self, call: Call, value: int) -> bool:
        positional = call.positional
        if not positional or positional[0] < 0:
            return False
        self.solver.listen(positional[0], (self._on_variable, call.result, value))
        return True

    def _on_variable(self, key: int, listener: Listener) -> None:
        _, result, value = listener
        if self.solver.kind[key] == TEXT:
            name = self.solver.key_name(key)
            self.rules.load(value, name, result, 0, 0)

    def _variable_set(self, call: Call, value: int) -> bool:
        positional = call.positional
        if len(positional) < 2 or positional[0] < 0:
            return False
        self.solver.listen(positional[0], (self._on_define, value, positional[1]))
        return True

    def _on_define(self, key: int, listener: Listener) -> None:
        _, value, block = listener
        if self.solver.kind[key] == TEXT:
            self.rules.store(value, self.solver.key_name(key), block, -1, 0)

    # methods

    def _define_singleton(self, call: Call, value: int) -> bool:
        positional = call.positional
        if len(positional) < 2 or positional[0] < 0:
            return False
        self.solver.listen(positional[0], (self._on_define, value, positional[-1]))
        if positional[-1] >= 0:  # where nobody calls it
            self.rules.evaluation.run(positional[-1], value, of_class=False)
        return True

    def _define_method(self, call: Call, value: int) -> bool:
        positional, kind = call.positional, self.solver.kind[value]
        if kind not in (CLASS, INSTANCE) or len(positional) < 2:
            return False
        if positional[0] >= 0 and kind == INSTANCE:  # of a subclass of `Module`
            scope, row = value - self.program.scopes, (positional[0], positional[-1])
            self._of_modules.setdefault(scope, []).append(row)
            for owner in self._mixing.get(scope, ()):
                self._define_mixed(owner, *row)
        elif positional[0] >= 0:
            listener = (self._on_instance_method, value, positional[-1], positional[0], call.scope)
            self.solver.listen(positional[0], listener)
        return True

    def mix_object(self, module: int, owner: int) -> None:
        """A class gets what is defined on an object that is a module."""
        scope = module - self.program.scopes
        owners = self._mixing.setdefault(scope, [])
        if owner not in owners:
            owners.append(owner)
            for row in self._of_modules.get(scope, ()):
                self._define_mixed(owner, *row)

    def _define_mixed(self, owner: int, name: int, source: int) -> None:
        self.solver.listen(name, (self._on_instance_method, owner, source, -1, -1))

    def _on_instance_method(self, key: int, listener: Listener) -> None:
        _, owner, source, told, where = listener
        if self.solver.kind[key] == TEXT:
            name = self.solver.key_name(key)
            if told in self.rules.replaced.certain:
                self.rules.replaced.define(owner, name, where)
            if not self.rules.objects.define_named(owner, self.program.texts[name], source):
                self.solver.edge(source, self.rules.classes.declare(owner, name))

    def _alias(self, call: Call, value: int) -> bool:
        positional = call.positional
        if self.solver.kind[value] != CLASS or len(positional) < 2:
            return False
        if min(positional) >= 0:
            listener = (self._on_old_name, value, positional[0], call.scope)
            self.solver.listen(positional[1], listener)
        return True

    def _on_old_name(self, key: int, listener: Listener) -> None:
        _, owner, new, where = listener
        if self.solver.kind[key] == TEXT:
            old = self.solver.key_name(key)
            self.solver.listen(new, (self._on_new_name, owner, old, where))

    def _on_new_name(self, key: int, listener: Listener) -> None:
        """`alias_method "#{name}_before", name`."""
        _, owner, old, where = listener
        new = self.solver.key_name(key) if self.solver.kind[key] == TEXT else old
        if new != old and not self.program.texts[new].endswith(PREFIX):
            self.rules.replaced.define(owner, new, where)
            copy = (self.solver.copy_to, self.rules.classes.declare(owner, new))
            self.rules.wrapping.lookup(owner, old, copy)

    def _copy_to_module(self, call: Call, value: int) -> bool:
        """`def self.shared(name) = module_function(name)`: methods of a module are its own too."""
        if self.solver.kind[value] != CLASS:
            return False
        for item in call.positional:
            if item >= 0:
                self.solver.listen(item, (self._on_module_function, value))
        return True

    @handler
    def _on_module_function(self, key: int, listener: Listener) -> None:
        owner = listener[1]
        if self.solver.kind[key] == TEXT:
            name = self.solver.key_name(key)
            target = self.rules.classes.declare(owner, self.rules.static(name))
            self.rules.classes.lookup(owner, name, (self.solver.copy_to, target))

    # constants

    def _constant_get(self, call: Call, value: int) -> bool:
        positional = call.positional
        if not positional:
            return False
        self._constants.append((call, value))
        if positional[0] >= 0:
            self.solver.listen(positional[0], (self._on_constant, call, value, positional[0]))
        return True

    def _on_constant(self, key: int, listener: Listener) -> None:
        _, call, value, source = listener
        if self.solver.kind[key] == TEXT:
            scope = value if self.solver.kind[value] == CLASS else call.scope
            text = self.solver.key_text(key).replace("::", ".")
            gap = gap_of(text)
            if gap is not None:  # `const_get("#{kind}Option")`
                self.rules.gaps.later(source, call, value, gap)
                return
            path = self.rules.imports.find(text, scope)
            if path in self.rules.imports.table:
                self.solver.add(call.result, self.rules.imports.table[path])
            for slot in self.rules.imports.values.get(path or "", ()):
                self.solver.edge(slot, call.result)

    def _constant_set(self, call: Call, value: int) -> bool:
        positional = call.positional
        if self.solver.kind[value] != CLASS or len(positional) < 2:
            return False
        self.solver.edge(positional[1], self.rules.classes.declare(value, self.set_later))
        self.solver.edge(positional[1], call.result)
        if positional[0] >= 0:
            self.solver.listen(positional[0], (self._on_constant_set, value, positional[1]))
        return True

    @handler
    def _on_constant_set(self, key: int, listener: Listener) -> None:
        _, owner, source = listener
        if self.solver.kind[key] == TEXT:
            name = self.program.name("::" + self.solver.key_text(key))
            self.solver.edge(source, self.rules.classes.declare(owner, name))

    def constant_set(self, scope: int, name: str) -> int:
        """The slot of a constant that `const_set` has given a class, or -1."""
        return (self.program.members[scope] or {}).get(self.program.name("::" + name), -1)

    def settle(self) -> None:
        """Which constant `const_get` reads may not be known: then any class of the receiver's."""
        solver, program = self.solver, self.program
        for call, value in self._constants:
            known = solver.points[call.positional[0]] if call.positional[0] >= 0 else None
            if solver.kind[value] != CLASS or any(solver.kind[key] == TEXT for key in known or ()):
                continue
            found = self.rules.imports.inside(value)
            for scope in found if len(found) <= _MOST_CONSTANTS else ():
                solver.add(call.result, scope)
            for scope in (value, program.canonical[value]):
                later = (program.members[scope] or {}).get(self.set_later, -1)
                solver.edge(later, call.result)
