"""What is run by a name: tasks and commands that are sent off, command lines, hooks of plugins.

`call_command("load")` runs the command of that file, `app.send_task("shop.tasks.load")` the task,
`runner.invoke(cli, ["users", "add"])` the command of that group, `manager.hook.add(item=item)` all
functions that implement the hook. Only calls of which the whole name is written are led anywhere.
"""

from __future__ import annotations

import posixpath
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ScopeFlag
from toolroll_codegraph.languages.web import (
    BEFORE,
    COMMAND,
    HOOK,
    HOOKED,
    INVOKING,
    SENDING,
    TASK,
)
from toolroll_codegraph.resolve.program import CLASS, FUNCTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolroll_codegraph.resolve.classes import Classes
    from toolroll_codegraph.resolve.solver import Solver
    from toolroll_codegraph.resolve.web.rows import Row, Rows
    from toolroll_codegraph.resolve.web.tokens import Tokens

_MOST: Final = 64
"""Functions that implement one hook, or are called by one name."""
_COMMANDS: Final = "management/commands"
_OF_COMMAND: Final = ("add_arguments", "handle")
"""What Django calls of a command."""
_ENDS: Final = ("_command", "_cmd", "_group", "_grp")
"""What click leaves out of the names that functions give to commands."""


class Sending:
    """Leads names to what they run."""

    def __init__(self, solver: Solver, classes: Classes, rows: Rows, tokens: Tokens) -> None:
        self._solver = solver
        self._classes = classes
        self._program = solver.program
        self._rows = rows
        self._tokens = tokens
        self._below: dict[int, dict[str, list[int]]] = {}
        """Group → name → commands, or groups of such."""
        self._commands: set[int] = set()
        """Functions that are commands or groups."""
        self._before: dict[int, list[int]] = {}
        """Group → what runs before its commands."""

    @cached_property
    def _paths(self) -> dict[str, list[str]]:
        """Name of a file → the paths of the program that end in it."""
        found: dict[str, list[str]] = {}
        for path in self._program.by_path:
            found.setdefault(posixpath.basename(path), []).append(path)
        return found

    def find(self) -> None:
        """Note what is run, as calls that are possible."""
        tasks = self._named(TASK)
        for row in self._rows.of((SENDING,)):
            self._tell(row, [*tasks.get(row.path, ()), *self._of_file(row.path)])
        hooked = self._named(HOOKED)
        for row in self._rows.of((HOOK,)):
            self._tell(row, hooked.get(row.path, []))
        self._collect()
        for row in self._rows.of((INVOKING,)) if self._below or self._commands else ():
            for node in self._nodes(row.given[0]) if row.given else ():
                alone = [node] if node in self._commands and node not in self._below else []
                self._tell(row, alone or list(self._along(node, row.path.split())))

    def _tell(self, row: Row, functions: list[int]) -> None:
        for function in functions if len(functions) <= _MOST else ():
            self._solver.suppose(row.scope, function, row.line)

    # tasks, hooks and files

    def _named(self, word: str) -> dict[str, list[int]]:
        """Name → the functions that a decorator gives it."""
        found: dict[str, list[int]] = {}
        for row in self._rows.of((word,)):
            given = row.given if word == HOOKED else self._rows.applied.get(row.result, ())
            known = found.setdefault(row.name or row.path, [])
            known += (it for slot in given for it in self._rows.functions(slot) if it not in known)
        return found

    def _of_file(self, name: str) -> list[int]:
        """What Django's command of a name runs, or the task that a dotted name leads to."""
        program = self._program
        module, _, last = name.rpartition(".")
        path = f"{module.replace('.', '/')}.py" if module else f"{_COMMANDS}/{name}.py"
        found: list[int] = []
        for known in self._paths.get(posixpath.basename(path), ()):
            if not f"/{known}".endswith(f"/{path}"):
                continue
            index = program.by_path[known]
            members = program.members[program.scope_base[index]] or {}
            slot = members.get(program.names.get(last if module else "Command", -1), -1)
            if module:
                found += (it for it in self._rows.functions(slot) if self._is_decorated(slot))
                continue
            for value in (self._solver.points[slot] or ()) if slot >= 0 else ():
                if self._solver.kind[value] == CLASS:
                    for part in _OF_COMMAND:
                        method = self._classes.find(value, program.names.get(part, -1))
                        found += self._rows.functions(method)
        return found

    def _is_decorated(self, slot: int) -> bool:
        """Whether a function is called by a name as a task is: it is decorated."""
        flags = self._program.flags
        return any(flags[it] & ScopeFlag.DECORATED for it in self._solver.functions(slot))

    # command lines

    def _collect(self) -> None:
        for row in self._rows.of((COMMAND, BEFORE)):
            applied = self._rows.applied.get(row.result)
            given = applied or row.given[:1] if row.word == COMMAND else applied or ()
            if row.word == COMMAND:
                self._commands.update(it for slot in given for it in self._rows.functions(slot))
            for group in self._nodes(row.receiver):
                for slot in given:
                    for node in self._nodes(slot):
                        self._add(row, group, node)

    def _add(self, row: Row, group: int, node: int) -> None:
        if row.word == BEFORE:
            self._before.setdefault(group, []).append(node)
            return
        name = row.name
        if not name and self._solver.kind[node] == FUNCTION:
            name = self._program.texts[self._program.scope_name[node]].rpartition(".")[2]
            for end in _ENDS:
                name = name.removesuffix(end)
            name = name.replace("_", "-").lower()
        known = self._below.setdefault(group, {}).setdefault(name, [])
        if node not in known and node != group:
            known.append(node)

    def _nodes(self, slot: int) -> list[int]:
        """The groups and commands that a slot has: functions, or objects of a library."""
        return [*self._rows.functions(slot), *self._tokens.of(slot)]

    def _along(self, node: int, words: list[str]) -> Iterator[int]:
        """What a command line runs of a group."""
        yield from self._before.get(node, ())
        below = self._below.get(node, {})
        if len(below) == 1 and node not in self._before and self._solver.kind[node] != FUNCTION:
            words = [next(iter(below)), *words]  # Typer's app with one command needs no name of it
        for place, word in enumerate(words):
            if word in below:
                for known in below[word]:
                    if self._solver.kind[known] == FUNCTION:
                        yield known
                    yield from self._along(known, words[place + 1 :])
                return
            if not word.startswith("-"):
                return
