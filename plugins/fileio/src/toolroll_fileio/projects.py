"""`file_list_projects`: a tenant's projects with their totals."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select

import toolroll
from toolroll_fileio.results import Project, Projects, timestamp
from toolroll_fileio.tables import projects

__all__ = ["holdings", "list_projects"]


def _page(name: Any) -> Any:
    return (
        select(
            projects.c.project,
            projects.c.file_count,
            projects.c.total_bytes,
            projects.c.updated_at,
        )
        .where(
            projects.c.apikey_hash == bindparam("tenant"),
            name > bindparam("after"),
            projects.c.file_count > 0,
        )
        .order_by(name)
        .limit(bindparam("most"))
    )


# PostgreSQL sorts names as its database's language does; a tenant's are few enough to sort here
_PAGES: Final = {
    "sqlite": _page(projects.c.project),
    "postgresql": _page(projects.c.project.collate("C")),
}


def holdings(context: toolroll.PackContext) -> list[toolroll.Holding]:
    """Return the projects of every tenant that hold files."""
    if not context.database.is_made:
        return []
    columns = (
        projects.c.apikey_hash, projects.c.project, projects.c.total_bytes, projects.c.updated_at
    )  # fmt: skip
    with context.database.reading() as connection:
        rows = connection.execute(select(*columns).where(projects.c.file_count > 0)).all()
    return [
        toolroll.Holding(
            name=project,
            tenant="" if tenant == toolroll.LOCAL.tenant else tenant,
            size=size,
            used=datetime.fromisoformat(timestamp(changed)),
            only_copy=True,
        )
        for tenant, project, size, changed in rows
    ]


def list_projects(connection: Connection, tenant: str, limit: int, after: str) -> Projects:
    """Return the projects that hold files, in byte order of their names."""
    bound = {"tenant": tenant, "after": after, "most": limit + 1}
    rows = connection.execute(_PAGES[connection.dialect.name], bound).all()
    listed = [
        Project(
            project=row.project,
            file_count=row.file_count,
            total_bytes=row.total_bytes,
            updated_at=timestamp(row.updated_at),
        )
        for row in rows[:limit]
    ]
    return Projects(projects=listed, next_cursor=listed[-1].project if len(rows) > limit else "")
