"""The migrated database is the one that the models describe, and a changed pack is noticed."""

from __future__ import annotations

from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from toolroll_investigation.tables import Base


def test_migrations_lead_to_the_models(host: Any) -> None:
    with host.runtime.context("investigation").database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = [
            change
            for change in compare_metadata(context, Base.metadata)
            if "alembic_version" not in str(change)
        ]
    assert differences == []


def test_the_pack_loads_without_its_heavy_libraries() -> None:
    import subprocess
    import sys

    code = (
        "import sys, toolroll_investigation;"
        "print(sorted({'sqlalchemy', 'jinja2', 'yaml', 'mcp', 'defusedxml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
