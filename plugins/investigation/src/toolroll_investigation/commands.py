"""`toolroll investigation …`: bring failures in, look at what is known, report and replay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import toolroll
from toolroll.cli.options import json_option
from toolroll.cli.output import print_json, print_table
from toolroll.context import LOCAL
from toolroll_investigation.access import (
    imported_scenarios,
    open_investigations,
    scenario_directories,
    settings_of,
)
from toolroll_investigation.case_state import submissions_of
from toolroll_investigation.errors import tool_errors
from toolroll_investigation.heuristics import Thresholds
from toolroll_investigation.knowledge_store import RCA_STATUSES, open_shared, timestamp
from toolroll_investigation.markdown import cut
from toolroll_investigation.rendering import render_html, render_markdown
from toolroll_investigation.replay import CaseReplay, compare, replay
from toolroll_investigation.scenario import SAFE_ID, Repository
from toolroll_investigation.scenario_files import (
    ScenarioError,
    find_scenarios,
    read_scenario,
    write_scenario,
)
from toolroll_investigation.settings import ThresholdSettings
from toolroll_investigation.suites import cases_of, find_suite, list_suites
from toolroll_investigation.workspace import default_repositories

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

TENANT = LOCAL.tenant


@click.group(name="investigation")
def investigation() -> None:
    """Bring failures in, look at what is known, report and replay.

    Exit codes: 0 done, 1 nothing to do or something wrong, 2 called wrongly.
    """


@investigation.command("from-junit")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--name", help="Name of the scenario; by default that of the first file.")
@click.option("--version-label", default="", help="The product version the tests ran on.")
@click.option("--run-id", default="", help="The launch or build the results come from.")
@click.option("--branch", default="", help="The git branch that was tested.")
@click.option("--commit", default="", help="The git commit that was tested.")
@click.option("--repository", "named", multiple=True, help="A repository at hand. Repeatable; "
              "replaces those of the settings.")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path), help="Write the scenario to this file.")
@json_option
@click.pass_obj
def from_junit(
    context: toolroll.PackContext,
    files: tuple[Path, ...],
    name: str | None,
    version_label: str,
    run_id: str,
    branch: str,
    commit: str,
    named: tuple[str, ...],
    output: Path | None,
    as_json: bool,
) -> None:
    """Make a scenario from the failed tests of JUnit XML FILES (pytest, Go, Maven, Jest).

    It can be started at once by its name. Repositories come from the settings; without any, the
    project itself is the one.
    """
    from toolroll_investigation.junit import JUnitError, RunFacts, import_runs

    scenario_name = name or _safe_name(files[0].stem)
    if SAFE_ID.fullmatch(scenario_name) is None:
        raise click.UsageError(f"{scenario_name!r} is no scenario name; use letters and digits")
    repositories = [Repository(name=entry) for entry in named] or default_repositories(
        settings_of(context).repositories, context.root.path
    )
    try:
        scenario, tally = import_runs(
            files, scenario_name, repositories, RunFacts(version_label, run_id, branch, commit)
        )
    except JUnitError as error:
        raise click.ClickException(str(error)) from error
    target = output or imported_scenarios(context) / f"{scenario_name}.yaml"
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.write_text(write_scenario(scenario), encoding="utf-8")
    target.chmod(0o600)
    facts = {
        "scenario": scenario_name,
        "tests": tally.tests,
        "failed": tally.failed,
        "skipped": tally.skipped,
        "flaky": tally.flaky,
    }
    if as_json:
        print_json(facts)
        return
    click.echo(scenario.description)
    click.echo(f'start_investigation with {{"scenario": "{scenario_name}"}} opens it.')


@investigation.command()
@json_option
@click.pass_obj
def scenarios(context: toolroll.PackContext, as_json: bool) -> None:
    """List the scenarios that can be started."""
    rows: list[dict[str, Any]] = []
    for file in find_scenarios(scenario_directories(context)):
        row: dict[str, Any] = {"name": file.name, "from": "package" if file.packaged else "file"}
        try:
            scenario = read_scenario(file.path)
            row |= {
                "cases": len(scenario.cases),
                "rcas": len(scenario.rcas),
                "truth": scenario.has_truth,
                "description": scenario.description,
            }
        except ScenarioError as error:
            row |= {"cases": 0, "rcas": 0, "truth": False, "description": f"unusable: {error}"}
        rows.append(row)
    _show(rows, as_json)


@investigation.command()
@json_option
@click.pass_obj
def suites(context: toolroll.PackContext, as_json: bool) -> None:
    """List the suites with how far they are; start_investigation resumes one by suite:NUMBER."""
    with context.database.read() as session:
        rows: list[dict[str, Any]] = []
        for suite in list_suites(session, TENANT):
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
    _show(rows, as_json)


@investigation.command()
@click.option("--dormant-after", type=click.IntRange(min=1), metavar="DAYS",
              help="First put symptoms to sleep that were not seen for so long.")  # fmt: skip
@json_option
@click.pass_obj
def symptoms(context: toolroll.PackContext, dormant_after: int | None, as_json: bool) -> None:
    """List the symptoms of all real failures seen so far."""
    from datetime import UTC, datetime

    with context.database.begin(lock=f"investigation:{TENANT}") as session:
        knowledge = open_shared(session, TENANT)
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
    _show(rows, as_json)


@investigation.command()
@click.argument("identifier", type=int, required=False)
@click.option("--status", type=click.Choice(RCA_STATUSES), help="Set the status of IDENTIFIER.")
@click.option("--ticket", help="Set the ticket of IDENTIFIER.")
@click.option("--link", help="Set the link to the ticket of IDENTIFIER.")
@json_option
@click.pass_obj
def rcas(
    context: toolroll.PackContext,
    identifier: int | None,
    status: str | None,
    ticket: str | None,
    link: str | None,
    as_json: bool,
) -> None:
    """List the root causes found so far, or change one of them."""
    with context.database.begin(lock=f"investigation:{TENANT}") as session:
        knowledge = open_shared(session, TENANT)
        if identifier is not None:
            cause = knowledge.root_cause(identifier)
            if cause is None:
                raise click.ClickException(f"there is no root cause #{identifier}")
            if status:
                knowledge.set_status(cause, status, timestamp())
            cause.jira_ticket_id = ticket or cause.jira_ticket_id
            cause.jira_link = link or cause.jira_link
        elif status or ticket or link:
            raise click.UsageError("name the root cause to change by its id")
        known = (
            knowledge.root_causes() if identifier is None else [knowledge.root_cause(identifier)]
        )
        rows = [
            {
                "id": cause.id,
                "title": cause.title,
                "defect": cause.defect_type,
                "component": cause.component,
                "confidence": cause.convergence_score,
                "status": cause.status,
                "ticket": cause.jira_ticket_id,
                "found": cause.created_at,
            }
            for cause in known
            if cause is not None
        ]
    _show(rows, as_json)


@investigation.command()
@click.option("--suite", "numbers", type=int, multiple=True,
              help="By default the current one; several are runs of one scenario.")  # fmt: skip
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path),
              help="Write one self-contained HTML page instead.")  # fmt: skip
@click.pass_obj
def report(context: toolroll.PackContext, numbers: tuple[int, ...], html: Path | None) -> None:
    """Report on a suite, or on several runs of one scenario, as Markdown or HTML."""
    investigations = open_investigations(context, TENANT)
    with tool_errors():
        made = investigations.report_runs(numbers)
    if html is None:
        click.echo(render_markdown(made), nl=False)
    else:
        html.write_text(render_html(made), encoding="utf-8")
        click.echo(f"wrote {html}")


@investigation.command("replay")
@click.argument("number", type=int, required=False)
@click.option("--set", "changes", multiple=True, metavar="THRESHOLD=VALUE",
              help="Another threshold, for instance convergence_sufficient=0.8.")  # fmt: skip
@click.option("--against", type=int, metavar="SUITE",
              help="Compare with another suite of the same scenario instead.")  # fmt: skip
@json_option
@click.pass_obj
def replay_suite(
    context: toolroll.PackContext,
    number: int | None,
    changes: tuple[str, ...],
    against: int | None,
    as_json: bool,
) -> None:
    """Drive suite NUMBER again: where would other thresholds, or another model, have led?"""
    settings = settings_of(context)
    thresholds = _thresholds(settings.thresholds, changes)
    with tool_errors(), context.database.read() as session:
        driven = (
            _replay(session, number, thresholds, settings.max_steps)
            if against is None
            else _compare(session, number, against)
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
        _show(rows, as_json=False)


def _replay(
    session: Session, number: int | None, thresholds: Thresholds, max_steps: int
) -> list[CaseReplay]:
    suite = find_suite(session, TENANT, number)
    return [
        replay(case.label, submissions_of(session, case), thresholds, max_steps)
        for case in cases_of(session, suite)
    ]


def _compare(session: Session, number: int | None, against: int) -> list[CaseReplay]:
    suite, other = find_suite(session, TENANT, number), find_suite(session, TENANT, against)
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


def _safe_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:64] or "junit"


def _show(rows: Sequence[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(rows)
    elif not rows:
        click.echo("There are none.")
    else:
        columns = list(rows[0])
        print_table(columns, [[cut(str(row[name]), 80) for name in columns] for row in rows])
