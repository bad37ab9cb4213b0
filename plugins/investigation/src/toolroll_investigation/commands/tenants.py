"""Whose investigations a command works on: HTTP hosts keep them apart by key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from sqlalchemy import select

import toolroll
from toolroll import LOCAL
from toolroll_investigation.tables import Knowledge

F = TypeVar("F", bound=Callable[..., Any])


def tenant_option(function: F) -> F:
    """Add `--tenant`."""
    return click.option(
        "--tenant",
        help="Whose investigations, by the beginning of the tenant's id; needed only where several "
        "keys share this data.",
    )(function)


def find_tenant(context: toolroll.PackContext, given: str | None) -> str:
    """The tenant that was named, or the local one, or the only one there is.

    Raises:
        click.UsageError: several or none match; the text lists those there are.
    """
    with context.database.read() as session:
        tenants = sorted(session.scalars(select(Knowledge.tenant).distinct()))
    if given is None:
        if LOCAL.tenant in tenants or not tenants:
            return LOCAL.tenant
        matching = tenants
    else:
        matching = [tenant for tenant in tenants if given and tenant.startswith(given)]
    if len(matching) != 1:
        known = ", ".join(tenant[:12] for tenant in tenants) or "none yet"
        raise click.UsageError(f"name one tenant with --tenant; there are: {known}")
    return matching[0]
