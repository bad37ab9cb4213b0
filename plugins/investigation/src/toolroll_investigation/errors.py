"""Every way a call can fail, with its code, and how failures of the engine become tool errors."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import toolroll

ERRORS: Final = {
    "invalid_arguments": "an argument is missing, unknown or of the wrong type",
    "no_investigation": "nothing has been started yet; call start_investigation",
    "unknown_scenario": "no scenario has that name; the message lists those there are",
    "invalid_scenario": "the scenario's file has mistakes; the message names them",
    "unknown_suite": "no suite has that number",
    "invalid_case_id": "case_id is not the id of a case, or holds what a path could",
    "unknown_case": "the suite has no such case; get_status lists its cases",
    "unknown_step": "step is none of F0_RECALL … F6_REPORT",
    "wrong_step": "the case is at another step, named in details.current_step; nothing was written",
    "case_done": "the case is done and takes no more artifacts",
    "step_limit": "the case has used up its steps and stopped",
    "artifact_too_large": "the artifact is larger than 1 MiB",
    "invalid_artifact": "the artifact does not fit its step; details.schema says what does",
    "unknown_link": "the artifact links to a symptom or root cause that does not exist",
    "prompt_template": "a prompt template in prompt_dir can't be used",
}


@contextmanager
def tool_errors() -> Generator[None]:
    """Raise the failures of the engine as errors of the tool call.

    Raises:
        toolroll.ToolError: with a code of `ERRORS`.
    """
    # Imported here: the pack must load without the database layer and the template engine.
    from toolroll_investigation.effects import UnknownLink
    from toolroll_investigation.intake import ArtifactTooLarge, InvalidArtifact
    from toolroll_investigation.prompts import PromptError
    from toolroll_investigation.scenario_files import ScenarioError, UnknownScenario
    from toolroll_investigation.suites import SuiteError

    try:
        yield
    except SuiteError as error:
        raise toolroll.ToolError(str(error), code=error.code, details=error.details) from error
    except UnknownScenario as error:
        raise toolroll.ToolError(str(error), code="unknown_scenario") from error
    except ScenarioError as error:
        raise toolroll.ToolError(str(error), code="invalid_scenario") from error
    except ArtifactTooLarge as error:
        raise toolroll.ToolError(str(error), code="artifact_too_large") from error
    except InvalidArtifact as error:
        raise toolroll.ToolError(
            f"{error}; correct it by details.schema and submit it again",
            code="invalid_artifact",
            details={"problems": error.problems, "schema": error.schema},
        ) from error
    except UnknownLink as error:
        raise toolroll.ToolError(
            f"{error}; link to an id that the prompt shows, or leave it out",
            code="unknown_link",
            details={"field": error.field},
        ) from error
    except PromptError as error:
        raise toolroll.ToolError(str(error), code="prompt_template") from error
    except OSError as error:  # of the files beside the database: whoever reads others names them
        raise toolroll.InternalError(
            f"the suite's files cannot be written: {error.strerror or error}; make room on the "
            "disk, and the data directory and what is in it writable; nothing was stored"
        ) from error
