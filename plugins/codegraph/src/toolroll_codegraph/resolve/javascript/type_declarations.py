"""What files of TypeScript say of types with arguments, by what their extraction writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolroll_codegraph.facts import ANY_KEY, ObjectKind, TypeHint
from toolroll_codegraph.resolve.javascript.type_table import TermTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

Expression = tuple[Any, ...]

_FILE_BITS: Final = 32


class JavaScriptTypeDeclarations(TermTable):
    """Keeps what slots, members and names of types are declared as."""

    def __init__(self, rules: JavaScriptRules) -> None:
        super().__init__()
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.declared: dict[int, Expression] = {}
        """Slot → what it is declared as."""
        self.given: dict[int, list[Expression]] = {}
        """Result of a call → its type arguments."""
        self.lists: dict[int, int] = {}
        """Class, interface or function → its list of type parameters."""
        self.defaults: dict[int, list[Expression]] = {}
        """List of type parameters → what each is where nothing is given."""
        self.bounds: dict[int, list[Expression]] = {}
        """List of type parameters → what each extends."""
        self.bases: dict[int, list[Expression]] = {}
        """Class or interface → what it derives from or implements, where that has arguments."""
        self.fields: dict[tuple[int, int], Expression] = {}
        """(class, name) → what a member is declared as, where that has arguments or is one; of a
        method of an interface its result, under its name with `RESULT` behind it."""
        self.plain_fields: dict[tuple[int, int], Expression] = {}
        """The same of members that are declared as no more than a class."""
        self.aliases: dict[int, tuple[int, Expression]] = {}
        """Object of a name of types → its list of parameters, and what the name stands for."""
        self.mapped: list[Expression] = []
        """Expressions for the values of mapped types."""
        self.any_key = self.program.name(ANY_KEY)
        self.methods: dict[tuple[int, int], int] = {}
        """(class, name) → a method, whatever its decorators put in its place."""

    def prepare(self) -> None:
        """Take in what all files say, before anything flows."""
        solver = self.solver
        for index, facts in enumerate(self.program.facts):
            slots, scopes = self.program.slot_base[index], self.program.scope_base[index]
            for text, first, second, slot, _ in facts.relations:
                kind = text[0]
                if kind not in ":(@$^":
                    continue
                found = list(self._parsed(text[1:], index))
                if kind == ":":
                    self.declared[slot + slots] = found[0]
                elif kind == "(":
                    self.given[slot + slots] = found
                elif kind == "$":
                    self.lists[first + scopes] = known = _list(index, second)
                    self.defaults[known], self.bounds[known] = found[::2], found[1::2]
                elif kind == "^":
                    self.bases.setdefault(first + scopes, []).append(found[0])
                else:
                    known = _list(index, first)
                    *given, body = found
                    self.defaults[known] = given[::2]
                    made = solver.literal(ObjectKind.ALIAS)
                    self.aliases[made] = known, body
                    solver.add(slot + slots, made)

    def declared_classes(self) -> dict[int, list[int]]:
        """Slot → the slots of the classes that it is declared as, without arguments."""
        found: dict[int, list[int]] = {}
        for index in range(len(self.program.facts)):
            for slot, known, hint in self.program.typed(index):
                if hint == TypeHint.DECLARED and known >= 0:
                    found.setdefault(slot, []).append(known)
        return found

    def note_fields(self, plain: Mapping[int, list[int]]) -> None:
        """Note what members are declared as, once it is known whose they are.

        `plain` are `declared_classes`.
        """
        for owner, name, source in self.solver.own_stores:
            told = self.declared.get(source)
            if told is not None:
                self.fields[owner, name] = told
            elif source in plain:
                self.plain_fields[owner, name] = ("|", *(("n", known) for known in plain[source]))

    def _parsed(self, text: str, index: int) -> Iterator[Expression]:
        tokens = iter(text.split())
        for token in tokens:
            yield self._expression(token, tokens, index)

    def _expression(self, token: str, tokens: Iterator[str], index: int) -> Expression:
        head, rest = token[0], token[1:]
        if head == '"':
            return "t", self.program.name(rest)
        if head in "no":
            return head, int(rest) + self.program.slot_base[index]
        if head == "p":
            start, place = rest.split(",")
            return head, _list(index, int(start)), int(place)
        if head in "_?":
            return (head,)
        if head == "g":
            slot, count = rest.split(",")
            given = [self._expression(next(tokens), tokens, index) for _ in range(int(count))]
            return head, int(slot) + self.program.slot_base[index], *given
        if head == "|":
            parts = [self._expression(next(tokens), tokens, index) for _ in range(int(rest))]
            return head, *parts
        inner = self._expression(next(tokens), tokens, index)
        if head == "k":
            return head, inner, self._expression(next(tokens), tokens, index)
        if head == "m":
            self.mapped.append(inner)
            return head, _list(index, int(rest)), len(self.mapped) - 1
        return head, inner


def _list(index: int, start: int) -> int:
    return index << _FILE_BITS | start
