"""`file_list_projects`: a tenant's projects with their totals."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, bindparam, select

from toolroll_fileio.results import Project, Projects, timestamp
from toolroll_fileio.tables import projects

__all__ = ["list_projects"]

_PAGE: Final = (
    select(projects.c.project, projects.c.file_count, projects.c.total_bytes, projects.c.updated_at)
    .where(
        projects.c.apikey_hash == bindparam("tenant"),
        projects.c.project > bindparam("after"),
        projects.c.file_count > 0,
    )
    .order_by(projects.c.project)
    .limit(bindparam("most"))
)


def list_projects(connection: Connection, tenant: str, limit: int, after: str) -> Projects:
    """Return the projects that hold files, in byte order of their names."""
    rows = connection.execute(_PAGE, {"tenant": tenant, "after": after, "most": limit + 1}).all()
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
