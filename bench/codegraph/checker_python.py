"""Recall and precision on a real Python project, against what a type checker knows of its calls.

    python checker_python.py DIRECTORY [--python PATH] [--seconds 240] [--show 20]

`basedpyright` (from PyPI) is asked for the declaration of what each call, decorator and read of a
property names; PATH is a Python that has what the project imports. What it finds in the project is
a call of that function, or of the `__init__` or `__new__` that a class has or inherits; what stands
under `TYPE_CHECKING` never runs, and is none. Recall counts an override in a subclass, or what has
all methods of a protocol, as right too, and apart. Where the checker knows one function only, the
functions of that name that are told on the line are judged: the share that it is, or overrides it,
is the precision. Calls of functions with a decorator of the project's, which go to a wrapper, are
left out. The checker may be wrong, and knows nothing of what `setattr` puts in: disagreements are
to be read. What inherits from what is asked first, then one file after another in an order by a
fixed seed, until so many seconds are over.
"""

from __future__ import annotations

import argparse
import ast
import random
import time
from collections import Counter, defaultdict
from pathlib import Path

from accuracy import toolroll
from language_server import LanguageServer

_MADE = ("dataclass", "attr", "define", "frozen")
"""Decorators that write an `__init__`."""
_CHECKING = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
Place = tuple[str, int]
Site = tuple[str, int, int, int, str]
"""(kind, first line, line of the name, its column in bytes, name)."""
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def decorators(node: Definition) -> list[str]:
    return [ast.unparse(item) for item in node.decorator_list]


def is_property(node: Definition) -> bool:
    """Whether reading an attribute runs a function; what sets it has its name, too."""
    return any("property" in text for text in decorators(node))


def unreal(tree: ast.AST) -> set[ast.AST]:
    """What only a type checker sees: all that stands under `if TYPE_CHECKING`."""
    return {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) in _CHECKING
        for part in node.body
        for inner in ast.walk(part)
    }


def sites(tree: ast.AST) -> list[Site]:
    """The names of what is called, and of attributes that are read."""
    found: list[Site] = []
    called: set[ast.AST] = set()

    def note(kind: str, node: ast.AST, whole: ast.expr) -> None:
        called.add(node)
        if isinstance(node, ast.Name):
            found.append((kind, whole.lineno, node.lineno, node.col_offset, node.id))
        elif isinstance(node, ast.Attribute):
            column = (node.end_col_offset or 0) - len(node.attr.encode())
            found.append((kind, whole.lineno, node.end_lineno or 0, column, node.attr))

    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            note("call", node.func, node)
        elif isinstance(node, _DEFINITIONS):
            for item in node.decorator_list:
                note("call", item, item)
            for place, base in enumerate(node.bases if isinstance(node, ast.ClassDef) else ()):
                inner = base.value if isinstance(base, ast.Subscript) else base
                note(f"base {node.lineno} {place}", inner, base)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node not in called and type(node.ctx) is ast.Load:
            note("read", node, node)
    return found


class Definitions:
    """The functions and classes of a project, and what inherits from what."""

    def __init__(self, root: Path, files: list[str]) -> None:
        self.root = root
        self.trees = {path: ast.parse((root / path).read_bytes()) for path in files}
        self.at: dict[Place, Definition] = {}
        self.owner: dict[Place, Place] = {}
        self.members: dict[Place, dict[str, Place]] = defaultdict(dict)
        self.implementing: dict[tuple[str, str], Place] = {}
        """The last function of a name in a file that is outside of classes."""
        self.bases: dict[Place, dict[int, Place]] = defaultdict(dict)
        for path, tree in self.trees.items():
            left_out = unreal(tree)
            pending: list[tuple[ast.AST, Place | None]] = [(tree, None)]
            for node, owner in pending:
                for child in ast.iter_child_nodes(node):
                    inside = owner
                    if child in left_out:
                        continue
                    if isinstance(child, _DEFINITIONS):
                        place = path, child.lineno
                        self.at[place] = child
                        if owner is not None:
                            self.owner[place] = owner
                            self.members[owner][child.name] = place  # the last is no overload
                        else:
                            self.implementing[path, child.name] = place
                        inside = place if isinstance(child, ast.ClassDef) else None
                    pending.append((child, inside))

    def order(self, scope: Place, seen: tuple[Place, ...] = ()) -> list[Place]:
        """A class and those that it derives from; the last place of one that comes twice counts."""
        found = [scope]
        for _, base in sorted(self.bases[scope].items()):
            if base not in seen and base != scope:
                for item in self.order(base, (*seen, scope)):
                    if item in found:
                        found.remove(item)
                    found.append(item)
        return found

    def constructors(self, scope: Place) -> list[Place]:
        found: list[Place] = []
        for name in ("__init__", "__new__"):
            for known in self.order(scope):
                if name in self.members[known]:
                    found.append(self.members[known][name])
                if name in self.members[known] or any(
                    made in text for made in _MADE for text in decorators(self.at[known])
                ):
                    break
        return found

    def is_protocol(self, scope: Place) -> bool:
        node = self.at[scope]
        return isinstance(node, ast.ClassDef) and any(
            ast.unparse(base).split("[")[0].split(".")[-1] == "Protocol" for base in node.bases
        )

    def overriders(self) -> dict[Place, set[Place]]:
        """Method → those of its name in classes below; a protocol's, in those that have all of
        its methods."""
        found: dict[Place, set[Place]] = defaultdict(set)
        whole: dict[Place, dict[str, Place]] = {
            scope: dict(item for it in self.order(scope)[::-1] for item in self.members[it].items())
            for scope in list(self.members)
        }
        for scope in filter(self.is_protocol, whole):
            for others in whole.values():
                if whole[scope].keys() <= others.keys():
                    for name, place in whole[scope].items():
                        found[place].add(others[name])
        for scope, members in list(self.members.items()):
            for base in self.order(scope)[1:]:
                for name, place in members.items():
                    if name in self.members[base]:
                        found[self.members[base][name]].add(place)
        return found


def asked(
    known: Definitions, python: str, seconds: float
) -> dict[tuple[str, int, int, str, str], list[Place]]:
    """(file, first line, line, name, kind) → what the checker says that is declared there."""
    names = {node.name for node in known.at.values()}
    names |= {
        item.asname
        for tree in known.trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for item in node.names
        if item.asname
    }
    properties = {node.name for node in known.at.values() if is_property(node)}
    order = sorted(known.trees)
    random.Random(1).shuffle(order)
    server, began = LanguageServer(known.root, python), time.monotonic()
    found: dict[tuple[str, int, int, str, str], list[Place]] = {}
    for path, inheriting in [(path, step) for step in (True, False) for path in order]:
        if not inheriting and time.monotonic() - began > seconds:
            break
        wanted = [
            site for site in sites(known.trees[path])
            if site[4] in (properties if site[0] == "read" else names)
            and site[0].startswith("base") is inheriting
        ]  # fmt: skip
        places = [(line, column) for _, _, line, column, _ in wanted]
        for site, declared in zip(wanted, server.declarations(path, places), strict=True):
            kind, first, line, _, name = site
            if kind.startswith("base"):
                _, scope, place = kind.split()
                for item in declared:
                    if isinstance(known.at.get(item), ast.ClassDef):
                        known.bases[path, int(scope)][int(place)] = item
            else:
                found[path, first, line, name, kind] = declared
    server.stop()
    return found


def targets(known: Definitions, declared: list[Place], name: str, kind: str) -> set[Place]:
    """The functions that a call goes to, or a read runs."""
    found: set[Place] = set()
    for place in declared:
        node = known.at.get(place)
        if node is None or (kind == "read" and not is_property(node)):
            continue
        if kind == "read" and place in known.owner and known.is_protocol(known.owner[place]):
            continue  # what has it may keep a value there
        if isinstance(node, ast.ClassDef):
            found.update(known.constructors(place))
            continue
        arguments = node.args
        if name != node.name and any(
            item.arg == name for item in (*arguments.args, *arguments.kwonlyargs)
        ):
            continue  # a parameter on the line of its function
        owner = None if is_property(node) else known.owner.get(place)
        if owner:
            found.add(known.members[owner][node.name])
        elif any("overload" in text for text in decorators(node)):
            found.add(known.implementing[place[0], node.name])
        else:
            found.add(place)
    if len(found) > 1 and found.isdisjoint(known.owner):
        return set()  # all that a name is ever bound to
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--python", default="")
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    root = options.directory.resolve()
    files = sorted(str(path.relative_to(root)) for path in root.rglob("*.py"))
    known = Definitions(root, files)
    answers = asked(known, options.python, options.seconds)
    own = {node.name for node in known.at.values()}
    told: dict[Place, set[Place]] = defaultdict(set)
    for (caller, callee), lines in toolroll(root, files).items():
        path, _, line = callee.rpartition(":")
        for at in lines if line != "<module>" else ():
            told[caller.rpartition(":")[0], at].add((path, int(line)))
    reads = {(path, callee) for (path, _), callees in told.items() for callee in callees}
    overriders, counts = known.overriders(), Counter[str]()
    rows: dict[str, list[str]] = defaultdict(list)
    for (path, first, line, name, kind), declared in answers.items():
        expected = targets(known, declared, name, kind)
        here = set[Place]().union(*(told[path, at] for at in range(first, line + 1)))
        for place in expected:
            node = known.at[place]
            if any(text.split("(")[0].split(".")[-1] in own for text in decorators(node)):
                continue
            others = overriders[place]
            if is_property(node):  # of one value it is read once in a function
                right = (path, place) in reads
                over = any((path, other) in reads for other in others)
            else:
                right, over = place in here, bool(here & others)
            verdict = "exact" if right else "override" if over else "missing"
            counts[verdict] += 1
            if verdict == "missing":
                rows["missing"].append(f"{path}:{line} {name} -> {place[0]}:{place[1]}")
            if len(expected) == 1 == len(declared) and not is_property(node):
                alike = {
                    other
                    for other in here - others
                    if other in known.at and known.at[other].name == node.name  # no lambda
                }
                counts["judged"] += len(alike)
                counts["wrong"] += len(alike - {place})
                rows["wrong"] += [
                    f"{path}:{line} {name} -> {other[0]}:{other[1]}" for other in alike - {place}
                ]
    total = counts["exact"] + counts["override"] + counts["missing"]
    print(f"  {root.name:<18} known {total}  exact {counts['exact'] / (total or 1):.3f}  "
          f"with overrides {1 - counts['missing'] / (total or 1):.3f}  "
          f"P {1 - counts['wrong'] / (counts['judged'] or 1):.3f}")  # fmt: skip
    random.seed(1)
    for title, found in rows.items():
        for row in sorted(random.sample(found, min(options.show, len(found)))):
            print(f"    {title}: {row}")


if __name__ == "__main__":
    main()
