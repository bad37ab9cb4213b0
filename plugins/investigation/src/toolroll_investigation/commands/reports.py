"""Suites: listed, reported on, and driven again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from sqlalchemy.orm import Session

import toolroll
from toolroll import json_option, print_json
from toolroll_investigation.access import open_investigations, settings_of
from toolroll_investigation.case_state import submissions_of
from toolroll_investigation.commands.rows import show_rows
from toolroll_investigation.commands.tenants import find_tenant, tenant_option
from toolroll_investigation.conditions import Thresholds
from toolroll_investigation.errors import tool_errors
from toolroll_investigation.rendering import render_html, render_markdown
from toolroll_investigation.replay import CaseReplay, compare, replay
from toolroll_investigation.settings import ThresholdSettings
from toolroll_investigation.suites import cases_of, find_suite, list_suites


@click.command()
@tenant_option
@json_option
@click.pass_obj
def suites(context: toolroll.PackContext, tenant: str | None, as_json: bool) -> None:
    """List the suites with how far they are; start_investigation resumes one by suite:NUMBER."""
    owner = find_tenant(context, tenant)
    with context.database.read() as session:
        rows: list[dict[str, Any]] = []
        for suite in list_suites(session, owner):
            cases = cases_of(session, suite)
            rows.append(
                {
                    "suite": suite.number,
                    "scenario": suite.name,
                    "started": suite.created_at,
                    "cases": len(cases),
                    "finished": sum(bool(case.result) for case in cases),
                }
            )
    show_rows(rows, as_json=as_json)


@click.command()
@click.option("--suite", "numbers", type=int, multiple=True,
              help="By default the current one; several are runs of one scenario.")  # fmt: skip
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path),
              help="Write one self-contained HTML page instead.")  # fmt: skip
@tenant_option
@click.pass_obj
def report(
    context: toolroll.PackContext, numbers: tuple[int, ...], html: Path | None, tenant: str | None
) -> None:
    """Report on a suite, or on several runs of one scenario, as Markdown or HTML."""
    investigations = open_investigations(context, find_tenant(context, tenant))
    with tool_errors():
        made = investigations.report_runs(numbers)
    if html is None:
        click.echo(render_markdown(made), nl=False)
    else:
        html.write_text(render_html(made), encoding="utf-8")
        click.echo(f"wrote {html}")


@click.command("replay")
@click.argument("number", type=int, required=False)
@click.option("--set", "changes", multiple=True, metavar="THRESHOLD=VALUE",
              help="Another threshold, for instance convergence_sufficient=0.8.")  # fmt: skip
@click.option("--against", type=int, metavar="SUITE",
              help="Compare with another suite of the same scenario instead.")  # fmt: skip
@tenant_option
@json_option
@click.pass_obj
def replay_suite(
    context: toolroll.PackContext,
    number: int | None,
    changes: tuple[str, ...],
    against: int | None,
    tenant: str | None,
    as_json: bool,
) -> None:
    """Drive suite NUMBER again: where would other thresholds, or another model, have led?"""
    settings = settings_of(context)
    thresholds = _thresholds(settings.thresholds, changes)
    owner = find_tenant(context, tenant)
    with tool_errors(), context.database.read() as session:
        driven = (
            _replay(session, owner, number, thresholds, settings.max_steps)
            if against is None
            else _compare(session, owner, number, against)
        )
    rows = [
        {
            "case": case.case_id,
            "parts_at": case.parts_at,
            "recorded": case.recorded_turn,
            "other": case.other_turn,
            "recorded_path": " ".join(turn.step.code for turn in case.recorded),
            "other_path": " ".join(turn.step.code for turn in case.other)
            + ("" if case.complete else " …"),
        }
        for case in driven
        if case.parts_at
    ]
    if as_json:
        print_json({"cases": len(driven), "elsewhere": rows})
        return
    click.echo(f"{len(rows)} of {len(driven)} cases go elsewhere.")
    if rows:
        show_rows(rows, as_json=False)


def _replay(
    session: Session, owner: str, number: int | None, thresholds: Thresholds, max_steps: int
) -> list[CaseReplay]:
    suite = find_suite(session, owner, number)
    return [
        replay(case.label, submissions_of(session, case), thresholds, max_steps)
        for case in cases_of(session, suite)
    ]


def _compare(session: Session, owner: str, number: int | None, against: int) -> list[CaseReplay]:
    suite, other = find_suite(session, owner, number), find_suite(session, owner, against)
    if suite.name != other.name:
        raise click.ClickException(
            f"suite {suite.number} is of {suite.name} and suite {other.number} of {other.name}; "
            "compare suites of one scenario"
        )
    others = {case.label: case for case in cases_of(session, other)}
    return [
        compare(
            case.label,
            submissions_of(session, case),
            submissions_of(session, others[case.label]) if case.label in others else (),
        )
        for case in cases_of(session, suite)
    ]


def _thresholds(settings: ThresholdSettings, changes: Iterable[str]) -> Thresholds:
    values: dict[str, Any] = settings.model_dump()
    for change in changes:
        name, _, value = change.partition("=")
        if name not in values:
            raise click.UsageError(f"{name} is no threshold; there are {', '.join(values)}")
        values[name] = value
    try:
        return ThresholdSettings.model_validate(values).as_thresholds()
    except ValueError as error:
        raise click.UsageError(f"thresholds: {error}") from error
