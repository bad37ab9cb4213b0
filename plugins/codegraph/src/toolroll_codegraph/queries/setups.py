"""The tests that `setUp` and its like run around: no call leads to them, yet they depend on these.

unittest and pytest run them for each test of a class or module, also of classes below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from toolroll_codegraph.queries.inheriting import bases_of
from toolroll_codegraph.storage.store import chunks
from toolroll_codegraph.storage.tables import functions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

_OF_CLASSES: Final = frozenset(
    (
        "setUp", "setUpClass", "setUpTestData", "asyncSetUp", "setup_method", "setup_class",
        "tearDown", "tearDownClass", "asyncTearDown", "teardown_method", "teardown_class",
    )
)  # fmt: skip
_OF_MODULES: Final = frozenset(
    (
        "setUpModule", "tearDownModule", "setup_module", "teardown_module", "setup_function",
        "teardown_function",
    )
)  # fmt: skip
_TEST: Final = "test"


def tests_around(
    session: Session, project: int, reached: Iterable[tuple[Any, int]]
) -> list[tuple[Any, int]]:
    """Find the tests that some of these functions are run around, each one call further away.

    Args:
        session: Of the pack's database.
        project: Which the functions are of.
        reached: Functions, and how many calls each is away.

    Returns:
        Tests and how many calls they are away, by file and line.
    """
    classes: dict[tuple[str, str], int] = {}
    modules: dict[str, int] = {}
    for row, depth in reached:
        holder, _, name = row.qualified_name.rpartition(".")
        if name in _OF_CLASSES and holder:
            key = row.path, holder
            classes[key] = min(depth, classes.get(key, depth))
        elif name in _OF_MODULES and not holder:
            modules[row.path] = min(depth, modules.get(row.path, depth))
    if classes:
        classes = _below(session, project, classes)
    paths = sorted({*modules, *(path for path, _ in classes)})
    found: list[tuple[Any, int]] = []
    for chunk in chunks(paths):
        statement = sa.select(functions).where(
            functions.c.project == project,
            functions.c.path.in_(chunk),
            functions.c.name.startswith(_TEST, autoescape=True),
            functions.c.kind.in_(("function", "method")),
        )
        for row in session.execute(
            statement.order_by(functions.c.path, functions.c.start_line, functions.c.id)
        ):
            holder = row.qualified_name.rpartition(".")[0]
            depths = [
                depth
                for depth in (classes.get((row.path, holder)), modules.get(row.path))
                if depth is not None
            ]
            if depths:
                found.append((row, min(depths) + 1))
    return found


def _below(
    session: Session, project: int, classes: dict[tuple[str, str], int]
) -> dict[tuple[str, str], int]:
    """Add the classes that derive from some, as far away as these."""
    rows = session.execute(
        sa.select(functions.c.id, functions.c.path, functions.c.qualified_name, functions.c.bases)
        .where(functions.c.project == project, functions.c.kind == "class")
        .order_by(functions.c.id)
    ).all()
    children: dict[int, list[Any]] = {}
    for row in rows:
        for base in bases_of(row)[0]:
            children.setdefault(base, []).append(row)
    found = classes.copy()
    pending = [row for row in rows if (row.path, row.qualified_name) in classes]
    while pending:
        row = pending.pop()
        depth = found[row.path, row.qualified_name]
        for child in children.get(row.id, ()):
            key = child.path, child.qualified_name
            if depth < found.get(key, depth + 1):
                found[key] = depth
                pending.append(child)
    return found
