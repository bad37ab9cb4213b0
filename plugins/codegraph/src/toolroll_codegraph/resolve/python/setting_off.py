"""Methods of the standard library's classes that run a project's own: `thread.start()` its `run`.

The library calls these, so that there is no edge; their references tell who sets them off.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.program import INSTANCE

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_STARTED: Final = {"start": ("run",)}
_SHELL: Final = ("do_*", "default", "emptyline", "precmd", "postcmd", "preloop", "postloop")
_VISITOR: Final = {"visit": ("visit_*",), "generic_visit": ("visit_*",)}
_SET_OFF: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "threading.Thread": _STARTED, "threading.Timer": _STARTED, "multiprocessing.Process": _STARTED,
    "ast.NodeVisitor": _VISITOR, "ast.NodeTransformer": _VISITOR,
    "html.parser.HTMLParser": {"feed": ("handle_*",), "close": ("handle_*",)},
    "cmd.Cmd": {"cmdloop": _SHELL, "onecmd": _SHELL[:3]},
    "code.InteractiveConsole": {"interact": ("raw_input", "runsource", "runcode", "write")},
    "string.Formatter": {
        "format": ("get_value", "get_field", "convert_field", "format_field", "check_unused_args"),
    },
    "logging.Handler": {"handle": ("filter", "format", "emit")},
    "configparser.ConfigParser": {"read": ("optionxform",), "read_string": ("optionxform",)},
}  # fmt: skip
"""Class to derive from → its method → methods that this runs; a star stands for any end."""
SETTING_OFF: Final = frozenset(_SET_OFF)


class PythonSettingOff:
    """Gives such methods their receiver, and keeps who sets them off."""

    def __init__(self, rules: PythonRules) -> None:
        self.rules = rules
        self.program = rules.program
        self._names = frozenset(
            rules.program.name(name) for methods in _SET_OFF.values() for name in methods
        )
        self._bases: dict[int, str] = {}
        """Class → that of the library that it derives from."""
        self._rows = array("i")
        """Flat: scope, line, slot of what is run, -1."""

    def note_base(self, scope: int, name: str) -> None:
        """Remember that a class derives from a class of the library."""
        if name in _SET_OFF:
            self._bases[scope] = name

    def runs(self, scope: int) -> bool:
        """Whether the library runs methods of a class."""
        return bool(self._bases) and not self._bases.keys().isdisjoint(
            self.rules.classes.order(scope)
        )

    def call(self, call: Call, value: int) -> bool:
        """Call a method that a class has from the library; False for others."""
        if not self._bases or call.name not in self._names:
            return False
        rules, scope = self.rules, value - self.program.scopes
        if rules.kind[value] != INSTANCE or scope >= self.program.scopes:
            return False
        found = False
        for base in filter(None, map(self._bases.get, rules.classes.order(scope))):
            for text in _SET_OFF[base].get(self.program.texts[call.name], ()):
                found = True
                for name in self._named(scope, text):
                    slot = rules.classes.find(scope, name)
                    if slot >= 0:
                        self._rows.extend((call.scope, call.line, slot, -1))
                        inner = rules.solver.derived_call(call, -1, (), name)
                        inner.flags |= CallFlag.QUIET
                        rules.invoke_member(inner, value, name)
        return found

    def _named(self, scope: int, text: str) -> list[int]:
        if text.endswith("*"):
            return list(self.rules.classes.named(scope, text[:-1]))
        return [self.program.name(text)]

    def told(self) -> Iterator[tuple[int, int, int, int]]:
        """(scope that sets it off, line, slot of what is run, -1)."""
        rows = iter(self._rows)
        return zip(rows, rows, rows, rows, strict=True)
