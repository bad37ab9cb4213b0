"""From a pack's context to its investigations: settings read, directories resolved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import toolroll
from toolroll_investigation.investigations import Investigations, Rules
from toolroll_investigation.scenario import Scenario
from toolroll_investigation.scenario_files import load_scenario
from toolroll_investigation.settings import InvestigationSettings


def settings_of(context: toolroll.PackContext) -> InvestigationSettings:
    """The pack's settings with their type."""
    return cast("InvestigationSettings", context.settings)


def open_investigations(context: toolroll.PackContext, tenant: str) -> Investigations:
    """The investigations of a tenant, driven by the settings in force."""
    settings = settings_of(context)
    rules = Rules(
        thresholds=settings.thresholds.as_thresholds(),
        max_steps=settings.max_steps,
        prompt_directory=context.root.path / settings.prompt_dir if settings.prompt_dir else None,
        measure_tokens=settings.measure_tokens,
        dormant_after_days=settings.dormant_after_days,
    )
    return Investigations(context.database, tenant, suite_files(context), rules)


def suite_files(context: toolroll.PackContext) -> Path:
    """Where prompts and artifacts lie, by tenant and suite."""
    return context.data_dir / "suites"


def imported_scenarios(context: toolroll.PackContext) -> Path:
    """Where scenarios made from JUnit results are kept."""
    return context.data_dir / "scenarios"


def scenario_directories(context: toolroll.PackContext) -> list[Path]:
    """Where scenarios are looked for before the package, in order.

    Raises:
        PermissionDenied: The caller's key is limited to directories without the project's, of
            whose test results scenarios are made.
    """
    root = context.root.path
    configured = settings_of(context).scenario_dirs
    return [*(root / entry for entry in configured), imported_scenarios(context)]


def scenario_loader(context: toolroll.PackContext) -> Callable[[str], Scenario]:
    """A function that loads scenarios by name."""
    return lambda name: load_scenario(name, scenario_directories(context))
