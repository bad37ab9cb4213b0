"""What the features have in common that a language's rules are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.rules import Rules


class Feature:
    """Answers for one feature of a language; the rules make it, and have all others beside it."""

    rules: Any

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.solver = rules.solver
        self.program = rules.program
        self.classes = rules.classes
