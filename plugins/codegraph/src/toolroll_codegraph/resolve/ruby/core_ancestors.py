"""What Ruby's own classes inherit from one another, for those that the project opens again.

Who opens `Numeric`, `Enumerable` or `Date` gives what is below them its methods too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ScopeKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.ruby.uncalled import LARGE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_BELOW: Final = {
    "Comparable": "Date Numeric String Time",
    "Enumerable": "Array Dir Enumerator Hash IO Range Set Struct",
    "Numeric": "BigDecimal Complex Float Integer Rational",
    "Date": "DateTime",
    "IO": "File",
}
_ABOVE: Final = {name: above for above, names in _BELOW.items() for name in names.split()}
"""Class → what it inherits from, of what programs open again."""
_MAKING: Final = {
    "Date": "civil commercial iso8601 jd ordinal parse strptime today",
    "DateTime": "civil commercial iso8601 jd now ordinal parse strptime",
    "Time": "at gm iso8601 local mktime now parse strptime utc",
}
_MAKERS: Final = {name: frozenset(names.split()) for name, names in _MAKING.items()}
"""Class → its methods that make one of it."""
_MADE: Final = frozenset(name for names in _MAKERS.values() for name in names)


def _above(name: str) -> list[str]:
    """What one of Ruby's classes inherits from, nearest first."""
    found: list[str] = []
    while name in _ABOVE:
        name = _ABOVE[name]
        found.append(name)
    return found


class RubyCoreAncestors:
    """Puts what the project adds to a class of Ruby's behind the classes below that.

    Not in large programs, where times and dates then stand in for what is asked of any value.
    """

    def __init__(self, rules: RubyRules) -> None:
        self.rules = rules

    def join(self) -> None:
        """Mix in, so that what the project does not define stays unknown of them all the same."""
        if self.rules.program.size > LARGE:
            return
        table = self.rules.imports.table
        for path in [path for path in _ABOVE if path in table]:
            for name in _above(path):
                if name in table:
                    self.rules.classes.mix_in(table[path], table[name])
                    break

    def _maker(self, scope: int) -> str:
        """The class of Ruby's that a class is, opened again, or derives from."""
        imports, bases = self.rules.imports, self.rules.program.bases
        for known in self.rules.classes.order(scope):
            names = (imports.paths.get(known), *map(imports.further.get, bases[known]))
            for name in names:
                if name in _MAKERS:
                    return name
        return ""

    def make(self, call: Call, value: int) -> bool:
        """Answer `Time.now`, or `at` of a class below `Time`, with what it makes."""
        program = self.rules.program
        if program.size > LARGE:
            return False
        if program.kind[value] != ScopeKind.CLASS or program.texts[call.name] not in _MADE:
            return False
        if program.texts[call.name] not in _MAKERS.get(self._maker(value), ()):
            return False
        self.rules.solver.add(call.result, value + program.scopes)
        return True
