"""The table `[investigation]` of toolroll.toml."""

from __future__ import annotations

from pydantic import Field

import toolroll
from toolroll_investigation.conditions import Thresholds


class ThresholdSettings(toolroll.Settings):
    """Table `[investigation.thresholds]`: the numbers the heuristics compare with."""

    recall_hit: float = Field(default=0.80, ge=0, le=1)
    recall_uncertain: float = Field(default=0.40, ge=0, le=1)
    convergence_sufficient: float = Field(default=0.70, ge=0, le=1)
    max_investigate_loops: int = Field(default=2, ge=0, le=100)
    correlate_dup: float = Field(default=0.80, ge=0, le=1)

    def as_thresholds(self) -> Thresholds:
        """The same numbers for the engine."""
        return Thresholds(**self.model_dump())


class RepositorySettings(toolroll.Settings):
    """One entry of `[[investigation.repositories]]`: a repository of imported failures."""

    name: str = Field(min_length=1)
    path: str = ""
    purpose: str = ""
    branch: str = ""


class InvestigationSettings(toolroll.Settings):
    """Table `[investigation]`.

    Attributes:
        scenario_dirs: Directories with scenario files, relative to the project; they come before
            the scenarios of the package.
        prompt_dir: A directory whose templates replace those of the package by name.
        repositories: The workspace of scenarios made by `from-junit`.
        max_steps: Steps after which a case stops, whatever it is at.
        measure_tokens: Count the bytes of prompts for metric M18 instead of estimating.
        dormant_after_days: Symptoms not seen for so long are dormant; 0 keeps all of them active.
    """

    scenario_dirs: list[str] = Field(default_factory=list[str])
    prompt_dir: str = ""
    repositories: list[RepositorySettings] = Field(default_factory=list[RepositorySettings])
    thresholds: ThresholdSettings = Field(default_factory=lambda: ThresholdSettings())
    max_steps: int = Field(default=20, ge=1, le=1000)
    measure_tokens: bool = False
    dormant_after_days: int = Field(default=30, ge=0, le=36_500)
