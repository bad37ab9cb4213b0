"""What lasts between suites: symptoms and root causes."""

from __future__ import annotations

from datetime import UTC, datetime

import click

import toolroll
from toolroll import json_option
from toolroll_investigation.commands.rows import show_rows
from toolroll_investigation.commands.tenants import find_tenant, tenant_option
from toolroll_investigation.knowledge_store import (
    RCA_STATUSES,
    headline,
    open_shared,
    timestamp,
)


@click.command()
@click.option("--dormant-after", type=click.IntRange(min=1), metavar="DAYS",
              help="First put symptoms to sleep that were not seen for so long.")  # fmt: skip
@tenant_option
@json_option
@click.pass_obj
def symptoms(
    context: toolroll.PackContext, dormant_after: int | None, tenant: str | None, as_json: bool
) -> None:
    """List the symptoms of all real failures seen so far."""
    owner = find_tenant(context, tenant)
    with context.database.begin(lock=f"investigation:{owner}") as session:
        knowledge = open_shared(session, owner)
        if dormant_after:
            knowledge.mark_dormant(dormant_after, datetime.now(UTC))
        rows = [
            {
                "id": symptom.id,
                "test": symptom.name,
                "category": symptom.component,
                "seen": symptom.occurrence_count,
                "first": symptom.first_seen_at,
                "last": symptom.last_seen_at,
                "status": symptom.status,
                "fingerprint": symptom.fingerprint,
            }
            for symptom in knowledge.symptoms()
        ]
    show_rows(rows, as_json=as_json)


@click.command()
@click.argument("identifier", type=int, required=False)
@click.option("--status", type=click.Choice(RCA_STATUSES), help="Set the status of IDENTIFIER.")
@click.option("--ticket", help="Set the ticket of IDENTIFIER.")
@click.option("--link", help="Set the link to the ticket of IDENTIFIER.")
@tenant_option
@json_option
@click.pass_obj
def rcas(
    context: toolroll.PackContext,
    identifier: int | None,
    status: str | None,
    ticket: str | None,
    link: str | None,
    tenant: str | None,
    as_json: bool,
) -> None:
    """List the root causes found so far, or change one of them."""
    owner = find_tenant(context, tenant)
    with context.database.begin(lock=f"investigation:{owner}") as session:
        knowledge = open_shared(session, owner)
        if identifier is not None:
            cause = knowledge.root_cause(identifier)
            if cause is None:
                raise click.ClickException(
                    f"there is no root cause #{identifier}; without an ID they are listed"
                )
            if status:
                knowledge.set_status(cause, status, timestamp())
            cause.jira_ticket_id = ticket or cause.jira_ticket_id
            cause.jira_link = link or cause.jira_link
        elif status or ticket or link:
            raise click.UsageError("name the root cause to change by its ID")
        known = (
            knowledge.root_causes() if identifier is None else [knowledge.root_cause(identifier)]
        )
        rows = [
            {
                "id": cause.id,
                "title": headline(cause),
                "defect": cause.defect_type,
                "component": cause.component,
                "confidence": cause.convergence_score,
                "cases": knowledge.count_cases(cause.id),
                "status": cause.status,
                "ticket": cause.jira_ticket_id,
                "found": cause.created_at,
            }
            for cause in known
            if cause is not None
        ]
    show_rows(rows, as_json=as_json)
