"""Scenarios: made from JUnit results, and listed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

import toolroll
from toolroll import json_option, print_json
from toolroll_investigation.access import imported_scenarios, scenario_directories, settings_of
from toolroll_investigation.commands.rows import show_rows
from toolroll_investigation.junit import RunFacts, import_runs
from toolroll_investigation.junit_xml import JUnitError
from toolroll_investigation.private_files import write_private
from toolroll_investigation.scenario import SAFE_ID, Repository
from toolroll_investigation.scenario_files import (
    ScenarioError,
    find_scenarios,
    read_scenario,
    write_scenario,
)
from toolroll_investigation.workspace import default_repositories


@click.command("from-junit")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--name", help="Name of the scenario; by default that of the file written or read.")
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
    """Make a scenario from the failed tests of JUnit XML FILES; most test runners write them.

    A directory stands for the reports in it.

    It can be started at once by its name. Repositories come from the settings; without any, the
    project itself is the one.
    """
    scenario_name = name or _safe_name((output or files[0]).stem)
    if SAFE_ID.fullmatch(scenario_name) is None:
        raise click.UsageError(f"{scenario_name!r} is no scenario name; use letters and digits")
    if any(file.packaged and file.name == scenario_name for file in find_scenarios([])):
        raise click.UsageError(f"{scenario_name} ships with the pack; choose another --name")
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
    write_private(target, write_scenario(scenario))
    facts = {
        "scenario": scenario_name,
        "tests": tally.tests,
        "failed": tally.failed,
        "skipped": tally.skipped,
        "flaky": tally.flaky,
        "unnamed": tally.unnamed,
    }
    if as_json:
        print_json(facts)
        return
    click.echo(scenario.description)
    click.echo(f'start_investigation with {{"scenario": "{scenario_name}"}} opens it.')


@click.command()
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
    show_rows(rows, as_json=as_json)


def _safe_name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:64] or "junit"
