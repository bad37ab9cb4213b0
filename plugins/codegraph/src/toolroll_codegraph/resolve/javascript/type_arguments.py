"""The type arguments of calls: those that they name, and those that their arguments tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ANY_KEY, ScopeFlag
from toolroll_codegraph.resolve.javascript.feature import JavaScriptFeature
from toolroll_codegraph.resolve.javascript.type_declarations import Expression
from toolroll_codegraph.resolve.javascript.type_table import Environment, Type, joined
from toolroll_codegraph.resolve.javascript.type_terms import JavaScriptTypeTerms
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


class JavaScriptTypeArguments(JavaScriptFeature):
    """Finds what the type parameters of a generic function are in a call of it."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__(rules)
        self.terms = JavaScriptTypeTerms(rules)
        self.types: dict[int, Type] = {}
        """Slot → what it holds."""
        self.of_functions: dict[int, int] = {}
        """Function → its own list of type parameters, of those whose results depend on it."""
        self.any_key = self.program.name(ANY_KEY)

    def note_functions(self) -> None:
        """Find the functions whose declared result is made of types."""
        program, terms = self.program, self.terms
        for scope in range(program.scopes):
            if self.solver.kind[scope] == FUNCTION:
                flags = program.flags[scope]
                if flags & ScopeFlag.METHOD and not flags & (ScopeFlag.STATIC | ScopeFlag.SETTER):
                    terms.methods[program.parent[scope], program.scope_name[scope]] = scope
                told = terms.declared.get(program.ret[scope])
                known = terms.lists.get(scope, -1)
                if told is not None and known >= 0 and _mentions(told, known):
                    self.of_functions[scope] = known

    def own_arguments(self, function: int, call: int, result: int) -> Environment:
        """The type arguments of a call for a function's own parameters: those that it names, or
        those that its arguments tell, or what the parameters are else.
        """
        known, terms = self.of_functions.get(function, -1), self.terms
        if known < 0:
            return ()
        named = terms.given.get(result, ())
        found = [terms.value(told, ()) for told in named] or self._told(function, known, call)
        others = terms.defaults[known]
        return ((known, tuple(
            held or terms.value(told, ()) for held, told in zip(found, others, strict=False)
        )),)  # fmt: skip

    def _told(self, function: int, known: int, call: int) -> list[Type]:
        """The type arguments that the arguments of a call tell."""
        terms = self.terms
        found: list[Type] = [()] * len(terms.defaults[known])
        operations = self.solver.operations
        positional, _ = operations.arguments_of(call)
        base = self.program.slot_base[operations.call_file[call]]
        for item, (_, slot, _) in zip(positional, self.program.params[function], strict=False):
            told = terms.declared.get(slot)
            if item < 0:
                break
            if told is not None:
                self._match(told, self._held(item + base), known, found)
        return found

    def _held(self, slot: int) -> Type:
        """What a slot holds, as its values or their types tell."""
        types = self.types.get(slot)
        if types is not None:
            return types
        found = [self.terms.plain(slot)]
        for value in self.solver.points[slot] or ():
            inner, head = -1, "e"
            if self.solver.kind[value] == CONTAINER:
                inner = self.solver.fields_of(value).get(self.any_key, -1)
            elif self.solver.kind[value] == FUNCTION:
                inner, head = self.program.ret[value], "f"
            held = self.types.get(inner) or self.terms.plain(inner)
            if held:
                found.append(self.terms.wrapped(head, held))
        return joined(found)

    def _match(self, told: Expression, types: Type, known: int, found: list[Type]) -> None:
        """Find the arguments for which what is declared of a parameter is what it is given."""
        head = told[0]
        if head == "p" and told[1] == known and told[2] < len(found):
            place: int = told[2]
            found[place] = joined([found[place], types])
        elif head == "|":
            for part in told[1:]:
                self._match(part, types, known, found)
        elif head in "ef":
            parts = (self.terms.terms[item] for item in types)
            inner = joined(term[1] for term in parts if term[0] == head)
            if inner:
                self._match(told[1], inner, known, found)
        elif head == "g":
            slot: int = told[1]
            for value in self.solver.points[slot] or ():
                own = self.terms.lists.get(value, -1)
                for item in types:
                    if own < 0 or self.terms.terms[item][0] != "c":
                        continue
                    for other, given in self.terms.environment_in(item, value):
                        if other == own:
                            for part, held in zip(told[2:], given, strict=False):
                                if held:
                                    self._match(part, held, known, found)


def _mentions(told: Expression, known: int) -> bool:
    """Whether an expression has a parameter of a list."""
    if told[0] == "p":
        return told[1] == known
    parts: list[Expression] = [part for part in told if isinstance(part, tuple)]
    return any(_mentions(part, known) for part in parts)
