"""Rendering the prompt of a step from its template: sandboxed, and overridable by directory."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, FileSystemLoader, PackageLoader, StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from toolroll_investigation.defects import describe
from toolroll_investigation.markdown import cell, code, fenced, number, tidy
from toolroll_investigation.prompt_parameters import PromptParameters
from toolroll_investigation.steps import WORKING_STEPS


class PromptError(Exception):
    """A prompt template can't be used; the text names it and says why."""


def render_prompt(parameters: PromptParameters, directory: Path | None = None) -> str:
    """The prompt of a step as Markdown.

    A template in `directory` replaces the one of the same name that ships with the package.

    Raises:
        PromptError: a replaced template is wrong.
    """
    working = WORKING_STEPS[parameters.step]
    try:
        template = _environment(directory).get_template(working.template)
        text = template.render(p=parameters, step=parameters.step, working=working)
    except TemplateError as error:
        raise PromptError(
            f"prompt template {working.template}: {error.message or type(error).__name__}"
        ) from error
    return tidy(text)


@lru_cache(maxsize=4)
def _environment(directory: Path | None) -> ImmutableSandboxedEnvironment:
    packaged = PackageLoader("toolroll_investigation", "prompt_templates")
    environment = ImmutableSandboxedEnvironment(
        loader=ChoiceLoader([FileSystemLoader(directory), packaged]) if directory else packaged,
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "cell": cell,
        "code": code,
        "fenced": fenced,
        "number": number,
        "defect": describe,
    }
    environment.filters.update(filters)
    return environment
