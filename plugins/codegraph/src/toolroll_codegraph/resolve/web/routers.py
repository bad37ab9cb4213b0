"""What stands before the paths of an app, router, blueprint, list of routes or module of such.

What is mounted where is told by calls: `app.include_router(users.router, prefix="/users")`. A path
is whole where all that stands before it is known, up to an app that is mounted nowhere.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts.model import STORE_WIDTH
from toolroll_codegraph.languages.web import (
    CLIENT,
    ENTRY,
    FURTHER,
    INCLUDE,
    INSTEAD,
    LISTED,
    MAKING,
    MOUNTING,
    OWN,
    PLUGIN,
    ROOT,
    STANDING,
    VERBS,
)
from toolroll_codegraph.resolve.program import BOUND, CLASS, CONTAINER, FUNCTION, MODULE
from toolroll_codegraph.resolve.web.paths import UNKNOWN, Path, segments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolroll_codegraph.resolve.solver import Solver
    from toolroll_codegraph.resolve.web.rows import Row, Rows
    from toolroll_codegraph.resolve.web.tokens import Tokens

_MOST: Final = 8
"""Paths that one thing may have: of more the first are enough."""
_DEEPEST: Final = 2
"""Literals in one another: `include(([path(…)], "shop"))`."""
_HERE: Final = Path((), whole=False)
_ROOT_OF_DJANGO: Final = "ROOT_URLCONF"


class Routers:
    """The paths of all that has routes; a file is a negative number, all others are values."""

    def __init__(self, solver: Solver, rows: Rows, tokens: Tokens) -> None:
        self._solver = solver
        self._program = solver.program
        self._rows = rows
        self.tokens = tokens
        self._own: dict[int, Path] = {}
        """What something was made with."""
        self._roots: set[int] = set()
        self._asked: set[int] = set()
        """What may be asked alone, wherever it is mounted."""
        self._apps: dict[int, list[int]] = {}
        """Client → the apps that it asks, or other clients."""
        self._names: dict[int, str] = {}
        self._made_in: dict[int, int] = {}
        """What was made, or a list of routes → the file of it."""
        self._mounts: dict[int, dict[tuple[int | None, Path, bool], None]] = {}
        """What is mounted → (where, behind what path, whether in place of its own), in order."""
        self._spaces: dict[int, set[str]] = {}
        self._held: dict[int, list[int]] = {}
        """What a call returns → the lists that it is put into."""
        self._known: dict[int, tuple[Path, ...]] = {}
        self._collect()

    # what is mounted

    def _collect(self) -> None:
        rows, tokens = self._rows, self.tokens
        self._hold()
        for row in rows.of((MAKING, ROOT, STANDING, CLIENT, FURTHER)):
            for token in tokens.of(row.result):
                if self._solver.detail[token][1] == row.result:
                    self._note(row, token)
        for row in rows.of((OWN,)):
            for token in tokens.of(row.receiver):
                self._own[token] = self.path(row)
        for row in rows.of((MOUNTING, PLUGIN, INSTEAD)):
            parents = tokens.of(row.receiver) or [None]
            children = self._children(row, (*row.given, *row.named.values()))
            path = self._through(row, children)
            for child, parent in product(children, parents):
                self._mount(child, parent, path, instead=row.word == INSTEAD)
        self._include()

    def _note(self, row: Row, token: int) -> None:
        self._own[token] = self.path(row)
        self._names[token] = row.name
        self._made_in[token] = row.file
        if row.word == ROOT:
            self._roots.add(token)
            self._asked.add(token)
        given = (*row.given, *row.named.values())
        for parent in self.tokens.of(row.receiver) if row.word == FURTHER else ():
            self._mount(token, parent, Path((), whole=True))
        if row.word == STANDING:
            for parent in (parent for slot in given for parent in self.tokens.of(slot)):
                self._mount(token, parent, Path((), whole=True))
        elif row.word == CLIENT:
            apps = [it for it in self._children(row, given) if self.tokens.is_one(it)]
            self._apps[token] = apps
            self._asked.update(apps)
        elif row.word in (MAKING, ROOT):
            for child in self._children(row, given):
                self._mount(child, token, Path((), whole=True))
        for holder in self.holders(row.result):
            self._mount(token, holder, Path((), whole=True))

    def _mount(self, child: int, parent: int | None, path: Path, *, instead: bool = False) -> None:
        mounts = self._mounts.setdefault(child, {})
        if child != parent:
            mounts[parent, path, instead] = None

    def _through(self, row: Row, children: list[int]) -> Path:
        """The path of what is mounted, with the functions that stand between: `use("/", check,
        router)`."""
        passed: tuple[int, ...] = ()
        if any(map(self.tokens.is_one, children)):
            functions = self._program.object_kind
            passed = tuple(
                it for it in children
                if 0 <= it < self._program.scopes and functions[it] == FUNCTION
                and (row.result, it) not in self.tokens.handed
            )  # fmt: skip
        return self.path(row)._replace(passed=passed)

    def _hold(self) -> None:
        """Find the lists that routes are put into."""
        wanted = {row.result for row in self._rows.of((LISTED, ENTRY, MAKING))}
        if self._program.family == "python":
            wanted |= {row.result for row in self._rows.of(VERBS) if row.given}
        operations, program, solver = self._solver.operations, self._program, self._solver
        stores = operations.stores
        for place in range(0, len(stores) if wanted else 0, STORE_WIDTH):
            index = operations.store_file[place // STORE_WIDTH]
            base = program.slot_base[index]
            if stores[place + 2] + base in wanted and stores[place + 2] >= 0:
                for value in solver.points[stores[place] + base] or ():
                    if solver.kind[value] == CONTAINER:
                        self._held.setdefault(stores[place + 2] + base, []).append(value)
                        self._made_in[value] = index

    def holders(self, result: int) -> list[int]:
        """The lists that what a call returns is put into."""
        return self._held.get(result, [])

    def _children(self, row: Row, slots: Iterable[int]) -> list[int]:
        """What is mounted by a call that is given these, each once."""
        points, found = self._solver.points, dict[int, None]()
        for slot in slots:
            for value in (points[slot] or ()) if slot >= 0 else ():
                self._find_mounted(row, value, 0, found)
        return list(found)

    def _find_mounted(self, row: Row, value: int, depth: int, found: dict[int, None]) -> None:
        solver, program = self._solver, self._program
        kind = solver.kind[value]
        if kind in (FUNCTION, BOUND):
            function = program.original(solver.detail[value][0] if kind == BOUND else value)
            found[function] = None
            if (handed := self.tokens.handed.get((row.result, function))) is not None:
                found[handed] = None
        elif kind == MODULE:
            found[-1 - program.file_of[value]] = None
        elif kind == CLASS or self.tokens.is_one(value):
            found[value] = None
        elif kind == CONTAINER and depth < _DEEPEST and value not in found:
            found[value] = None
            for slot in solver.fields_of(value).values():
                for inner in solver.points[slot] or ():
                    self._find_mounted(row, inner, depth + 1, found)

    def _include(self) -> None:
        """Mount what Django's `path("shop/", include("shop.urls"))` names, and routers' `urls`."""
        included = {row.result: row for row in self._rows.of((INCLUDE,))}
        including = set[int]()
        for row in self._rows.of((LISTED,)):
            children = [
                child for child in self._children(row, row.given) if self.tokens.is_one(child)
            ]
            for slot in row.given:
                if (named := included.get(slot)) is not None:
                    modules = self._modules(named.path)
                    children += [*modules, *self._children(named, named.given)]
                    for text in self._rows.texts(named.named.get("namespace", -1)):
                        for module in modules:
                            self._spaces.setdefault(module, set()).add(text)
            if children:
                including.add(-1 - row.file)
            for parent in self.holders(row.result) or [-1 - row.file]:
                for child in children:
                    self._mount(child, parent, self.path(row))
        self._roots |= including
        name = self._program.names.get(_ROOT_OF_DJANGO, -1)
        for members in self._program.members if name >= 0 else ():
            for text in self._rows.texts((members or {}).get(name, -1)):
                self._roots.update(self._modules(text))

    def _modules(self, name: str) -> list[int]:
        """The files that the name of a module may mean."""
        if not name:
            return []
        end = f"/{name.replace('.', '/')}"
        return [
            -1 - index
            for path, index in self._program.by_path.items()
            if f"/{path}".endswith((f"{end}.py", f"{end}/__init__.py"))
        ]

    # paths

    def path(self, row: Row) -> Path:
        """The path of a call, with what it begins with where that is known."""
        text = row.path
        if text.startswith(UNKNOWN):
            known = self._rows.texts(row.unwritten)
            if len(known) != 1:
                return Path(segments(text.removeprefix(UNKNOWN)), whole=False)
            text = known[0] + text.removeprefix(UNKNOWN)
        elif not text and row.word in (MOUNTING, PLUGIN) and row.given:
            text = next(iter(self._rows.texts(row.given[0])), "")
        return Path(segments(text), whole=True)

    def is_mounted(self, node: int) -> bool:
        """Whether it is known where something is mounted."""
        return node in self._mounts

    def spaces(self, file: int) -> set[str]:
        """What stands before the names of a file's routes where others ask for them."""
        name = self._program.names.get("app_name", -1)
        members = self._program.members[self._program.scope_base[file]] or {}
        return self._spaces.get(-1 - file, set()) | {*self._rows.texts(members.get(name, -1))}

    def name(self, token: int) -> str:
        """The name of a blueprint or the like."""
        return self._names.get(token, "")

    def before(self, node: int) -> tuple[Path, ...]:
        """The paths that stand before those of the routes of something, its own included."""
        known = self._known.get(node)
        if known is None:
            self._known[node] = ()  # what is mounted in itself
            known = self._known[node] = tuple(dict.fromkeys(self._find(node)))[:_MOST]
        return known

    def _find(self, node: int) -> list[Path]:
        own = self._own.get(node, Path((), whole=True))
        alone = own._replace(root=node) if own.whole else own
        mounts = self._mounts.get(node)
        if not mounts:
            home = self._made_in.get(node)
            if node in self._roots:
                return [alone]
            if home is None or self._is_alone(node):
                return [alone._replace(whole=False)]
            return [joined(path, own) for path in self.before(-1 - home)]
        found: list[Path] = []
        for parent, path, instead in mounts:
            here = path if instead else joined(path, own)
            before = (_HERE,) if parent is None else self.before(parent)
            found += [joined(known, here) for known in before]
        if node in self._asked:
            found.append(alone._replace(inner=True))
        return found

    def apps(self, token: int) -> set[int]:
        """The apps that are asked by a client, or by what has routes itself."""
        found, waiting = {token}, [token]
        while waiting:
            further = [it for it in self._apps.get(waiting.pop(), ()) if it not in found]
            found.update(further)
            waiting += further
        return found

    def of_client(self, token: int) -> tuple[Path, ...]:
        """What stands before all that a client asks for, where it is one."""
        return (self._own[token],) if token in self._apps else ()

    def _is_alone(self, node: int) -> bool:
        """Whether what is mounted nowhere has nothing to do with its file, as all but Django's."""
        if node < 0 or not self.tokens.is_one(node):
            return node < 0
        file = -1 - self._made_in[node]
        return file not in self._roots and file not in self._mounts


def joined(before: Path, path: Path) -> Path:
    """A path behind another; one whose beginning is not known has anything before it."""
    if not path.whole:
        return path
    passed = before.passed + path.passed
    return before._replace(segments=before.segments + path.segments, passed=passed)
