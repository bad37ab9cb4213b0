"""Alembic's environment for every pack: the connection comes from `toolroll.storage.migrations`."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=None,
    render_as_batch=True,
)
context.run_migrations()
