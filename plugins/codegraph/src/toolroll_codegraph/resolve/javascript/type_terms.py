"""What TypeScript's types with their arguments come to, and what members have in objects of them.

`type_table.py` says what types are here, `type_declarations.py` what files say of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import RESULT, ObjectKind, ScopeFlag, ScopeKind
from toolroll_codegraph.resolve.javascript.type_declarations import (
    Expression,
    JavaScriptTypeDeclarations,
)
from toolroll_codegraph.resolve.javascript.type_table import (
    DEEPEST,
    UNKNOWN,
    Environment,
    Type,
    joined,
)
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, INSTANCE, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

_NOBODY: Final[tuple[Expression, Environment]] = ("?",), ()


class JavaScriptTypeTerms(JavaScriptTypeDeclarations):
    """Evaluates types where they are written."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self._objects: dict[int, int] = {}
        """Class → what `object` says of it."""
        self._own: dict[tuple[int, int], Environment] = {}
        """(term, class) → the arguments of that class."""
        self._completed: dict[tuple[int, tuple[Type, ...], int], Environment] = {}
        self._stood_for: dict[tuple[int, tuple[Type, ...], int], Type] = {}
        """(name of types, its arguments, how deep) → what it is: defaults name each other again
        and again."""

    def forget(self) -> None:
        """Ask anew what names stand for, since more has flowed to them."""
        self._completed.clear()
        self._stood_for.clear()

    # evaluating

    def value(self, told: Expression, env: Environment, depth: int = 0) -> Type:
        """What an expression is where these arguments are given."""
        head = told[0]
        if depth > DEEPEST:
            return UNKNOWN
        if head == "p":
            place: int = told[2]
            for known, given in env:
                if known == told[1]:
                    return given[place] if place < len(given) else UNKNOWN
            return (self.term(*told),)
        if head == "|":
            return joined(self.value(part, env, depth) for part in told[1:])
        if head in "ef":
            return self.wrapped(head, self.value(told[1], env, depth + 1))
        if head == "k":
            of, key = (self.value(part, env, depth) for part in told[1:])
            return self._part(of, key, depth)
        if head == "m":
            return (self.term(head, told[1], told[2], env),)
        if head == "t":
            return (self.term(*told),)
        if head == "r":  # what functions of a type return
            return self.inner("f", told[1])
        if head in "ngo":
            return self._named(told, env, depth)
        return UNKNOWN if head == "?" else ()

    def inner(self, head: str, types: Type) -> Type:
        """What is in those terms of a type that are of a kind."""
        return joined(self.terms[it][1] if self.terms[it][0] == head else UNKNOWN for it in types)

    def _named(self, told: Expression, env: Environment, depth: int) -> Type:
        """What a name stands for: a class, or another type."""
        head: str = told[0]
        slot: int = told[1]
        values = self.solver.points[slot] or ()
        given = tuple([self.value(part, env, depth + 1) for part in told[2:]])
        for value in values:
            if value in self.aliases:
                return self._alias(value, given, depth)
        found: list[Type] = []
        kind, scopes = self.solver.kind, self.program.scopes
        for value in values:
            if kind[value] == CLASS:
                if self.program.kind[value] == ScopeKind.NAMESPACE:
                    continue  # of the same name
                known = self.lists.get(value, -1)
                own = env if head == "o" else ()
                if head != "o" and known >= 0 and given:
                    own = self._complete(known, given, depth)
                found.append((self.term("c", value, own),))
            elif kind[value] == INSTANCE and value < 2 * scopes:
                found.append((self.object(value - scopes),))
            elif kind[value] == CONTAINER and self.solver.detail[value][0] == ObjectKind.ALIAS:
                found.append(self.plain(self.solver.fields_of(value).get(self.any_key, -1)))
        return joined(found) or UNKNOWN

    def _alias(self, name: int, given: tuple[Type, ...], depth: int) -> Type:
        key = name, given, depth
        found = self._stood_for.get(key)
        if found is None:
            known, body = self.aliases[name]
            found = self.value(body, self._complete(known, given, depth), depth + 1)
            self._stood_for[key] = found
        return found

    def _complete(self, known: int, given: tuple[Type, ...], depth: int) -> Environment:
        """Arguments, and for those that are not given what the parameters are then."""
        key = known, given, depth
        found = self._completed.get(key)
        if found is None:
            others = self.defaults.get(known, [])[len(given) :]
            env = ((known, given),)
            given += tuple([self.value(told, env, depth + 1) for told in others])
            found = self._completed[key] = self.arguments(known, given)
        return found

    def plain(self, slot: int) -> Type:
        """What the values of a slot are."""
        scopes, kind = self.program.scopes, self.solver.kind
        found: list[Type] = []
        for value in (self.solver.points[slot] or ()) if slot >= 0 else ():
            if kind[value] == INSTANCE and value < 2 * scopes and kind[value - scopes] == CLASS:
                found.append((self.object(value - scopes),))
            elif kind[value] == TEXT:
                found.append((self.term("t", self.solver.key_name(value)),))
            else:
                found.append(UNKNOWN)
        return joined(found)

    def object(self, scope: int) -> int:
        """An object of a class of whose arguments no more is known than what they extend."""
        found = self._objects.get(scope)
        if found is None:
            known, env = self.lists.get(scope, -1), ()
            if known >= 0:
                bounds = [self.closed(self.value(told, ())) for told in self.bounds[known]]
                env = self.arguments(known, tuple(bounds))
            found = self._objects[scope] = self.term("c", scope, env)
        return found

    def _part(self, of: Type, key: Type, depth: int) -> Type:
        """`Type[Key]`: properties, or elements under a key that nothing tells."""
        names = [self.terms[it][1] for it in key if self.terms[it][0] == "t"]
        found: list[Type] = []
        for item in of:
            term = self.terms[item]
            if term[0] == "e":
                found.append(term[1])
            else:
                found += [
                    self.value(*self.member(item, name, whole=True), depth + 1) for name in names
                ]
        return joined(found) or UNKNOWN

    def known(self, types: Type) -> Type:
        """A type with what its parameters are where nothing is given."""
        if not any(self.open[it] for it in types):
            return types
        found: list[Type] = []
        for item in types:
            term = self.terms[item]
            if term[0] == "p":
                others, place = self.defaults.get(term[1], []), int(term[2])
                told = others[place] if place < len(others) else ("?",)
                found.append(self.closed(self.value(told, ())))
            else:
                found.append(self.closed((item,)))
        return joined(found)

    # members

    def member(
        self, item: int, name: int, *, whole: bool = False
    ) -> tuple[Expression, Environment]:
        """What is declared of a property, and the arguments that its object has for that.

        Where it is no more than a class, it is told of a `whole` alone.
        """
        term = self.terms[item]
        if term[0] == "m":
            known: int = term[1]
            place: int = term[2]
            env: Environment = term[3]
            own = tuple(pair for pair in env if pair[0] != known)
            return self.mapped[place], (*own, (known, ((self.term("t", name),),)))
        for scope in self.rules.classes.order(term[1]) if term[0] == "c" else ():
            told = self.fields.get((scope, name))
            if told is None:
                told = self.plain_fields.get((scope, name))
                if told is not None and not whole:
                    return _NOBODY  # it hides what has arguments
            if told is not None:
                return told, self.environment_in(item, scope)
            function = self.methods.get((scope, name))
            if function is not None:
                if not self.program.flags[function] & ScopeFlag.PROPERTY:
                    return _NOBODY
                told = self.declared.get(self.program.ret[function], _NOBODY[0])
                return told, self.environment_in(item, scope)
        return _NOBODY

    def called(self, item: int, name: int) -> tuple[int, Expression, Environment]:
        """The function that a call of a method may run, -1 for one that nobody wrote, what it
        returns, and the arguments that its receiver has for that."""
        if self.terms[item][0] == "c":
            return next(self._methods(item, name), (-1, *_NOBODY))
        return -1, ("r", self.value(*self.member(item, name))), ()

    def _methods(self, item: int, name: int) -> Iterator[tuple[int, Expression, Environment]]:
        result = self.program.names.get(self.program.texts[name] + RESULT, -1)
        for scope in self.rules.classes.order(self.terms[item][1]):
            function = self.methods.get((scope, name))
            if function is not None:
                told = self.declared.get(self.program.ret[function])
                if told is None or self.program.flags[function] & ScopeFlag.PROPERTY:
                    return
                yield function, told, self.environment_in(item, scope)
            told = self.fields.get((scope, result))
            if told is not None:
                yield -1, told, self.environment_in(item, scope)
            told = self.fields.get((scope, name))
            if told is not None:
                yield -1, ("r", self.value(told, self.environment_in(item, scope))), ()

    def environment_in(self, item: int, base: int) -> Environment:
        """The arguments of a class or interface that an object's own derives from."""
        _, scope, env = self.terms[item]
        if scope == base:
            return env
        found = self._own.get((item, base))
        if found is None:
            self._own[item, base] = ()  # of what derives from itself
            found = self._own[item, base] = self._environment_of(scope, env, base)
        return found

    def _environment_of(self, scope: int, env: Environment, base: int) -> Environment:
        classes = self.rules.classes
        for told in self.bases.get(scope, ()):
            for item in self.value(told, env):
                term = self.terms[item]
                if term[0] == "c" and term[1] != scope and base in classes.order(term[1]):
                    return self.environment_in(item, base)
        for inner in classes.found_bases.get(scope, ()):
            if base in classes.order(inner):
                return self.environment_in(self.term("c", inner, ()), base)
        return ()
