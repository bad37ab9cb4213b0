"""Classes that comments name and their file does not import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.facts import ScopeFlag, ScopeKind, TypeHint

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


def settle_documented(rules: JavaScriptRules) -> None:
    """JSDoc needs no import: a type that the file does not know is the project's only class so
    named. In TypeScript such a type is one of the platform's.
    """
    solver, program = rules.solver, rules.program
    classes: dict[int, list[int]] | None = None
    for index, facts in enumerate(program.facts):
        if facts.language != "javascript" or not facts.types:
            continue
        names = {slot: name for name, slot in program.free(index)}
        for _, known, hint in program.typed(index):
            name = names.get(known)
            if hint != TypeHint.DECLARED or name is None or solver.points[known]:
                continue
            if classes is None:
                classes = _classes(rules)
            if len(classes.get(name, ())) == 1:
                solver.add(known, classes[name][0])


def _classes(rules: JavaScriptRules) -> dict[int, list[int]]:
    """Name → the classes of that name, and the functions with a prototype."""
    program, found = rules.program, dict[int, list[int]]()
    for scope in range(program.scopes):
        constructs = program.kind[scope] == ScopeKind.FUNCTION and bool(program.members[scope])
        is_class = program.kind[scope] == ScopeKind.CLASS
        if constructs or (is_class and not program.flags[scope] & ScopeFlag.INTERFACE):
            found.setdefault(program.scope_name[scope], []).append(scope)
    return found
