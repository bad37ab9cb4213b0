"""The pack: five tools, their parameters and results, and what belongs to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NotRequired, cast

from pydantic import BaseModel, WithJsonSchema
from typing_extensions import TypedDict

import toolroll
from toolroll_investigation.errors import ERRORS, tool_errors
from toolroll_investigation.settings import InvestigationSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import click

    from toolroll_investigation.investigations import Investigations

# A suite may have thousands of cases, and the document wants them all in one answer.
MAX_OUTPUT = 4_000_000


class StartInvestigation(toolroll.Params):
    scenario: str


class GetPrompt(toolroll.Params):
    case_id: str
    step: str


class SubmitArtifact(toolroll.Params):
    case_id: str
    step: str
    # Text is taken as well, as models like to put their JSON into a code block.
    artifact: Annotated[dict[str, Any] | str, WithJsonSchema({"type": "object"}), toolroll.Private]


class GetStatus(toolroll.Params):
    case_id: str | None = None


class GetReport(toolroll.Params):
    pass


class StartedCase(BaseModel):
    case_id: str
    test_name: str
    first_step: str


class Started(BaseModel):
    suite_id: int
    cases: list[StartedCase]


class Decision(TypedDict):
    next_step: NotRequired[str]
    heuristic_id: str
    decision: str
    is_done: bool


class CaseProgress(BaseModel):
    case_id: str
    current_step: str
    steps_completed: int
    is_done: bool


class Status(BaseModel):
    cases: list[CaseProgress]


class InvestigationPack(toolroll.Pack):
    """Failure investigation: the model reasons, the pipeline decides and remembers."""

    name = "investigation"
    title = "Failure investigation"
    instructions = (
        "Investigate failed tests case by case. start_investigation opens a scenario; then, for "
        "each case, take the prompt of its step with get_prompt, answer it with submit_artifact, "
        "and go on with the next_step it returns until is_done. get_report tells what came out."
    )
    envelope = toolroll.Envelope.CODED
    errors: ClassVar[Mapping[str, str]] = ERRORS
    settings = InvestigationSettings
    migrations = "toolroll_investigation.migrations"
    capabilities = frozenset({"database", "tenants"})

    def holdings(self, context: toolroll.PackContext) -> Sequence[toolroll.Holding]:
        """Return the suites, with the prompts and artifacts that lie in files."""
        from toolroll_investigation.removing import holdings

        return holdings(context)

    def release(self, context: toolroll.PackContext, holding: toolroll.Holding) -> None:
        """Remove a suite and its files; symptoms and root causes of real failures stay."""
        from toolroll_investigation.removing import remove

        remove(context, holding)

    @toolroll.tool(writes=True, max_output=MAX_OUTPUT)
    def start_investigation(self, ctx: toolroll.ToolContext, args: StartInvestigation) -> Started:
        """Start an investigation of a scenario's failures and list its cases.

        `scenario` is the name of a scenario: one that ships with the pack (ptp-mock, daemon-mock,
        ptp-real, ptp-real-ingest), a file of the configured directories, or one made from JUnit
        results with `toolroll investigation from-junit`. An unknown name is answered with the
        names there are. `suite:3` resumes suite 3 where it stood instead. The suite started or
        resumed last is the one that the other tools work on; each case begins at `first_step`.
        """
        from toolroll_investigation.access import open_investigations, scenario_loader

        with tool_errors():
            opened = open_investigations(ctx, ctx.principal.tenant).start(
                args.scenario, scenario_loader(ctx)
            )
        return Started(
            suite_id=opened.suite_id,
            cases=[
                StartedCase(
                    case_id=case.case_id, test_name=case.test_name, first_step=case.current_step
                )
                for case in opened.cases
            ],
        )

    @toolroll.tool(writes=True, idempotent=True, max_output=MAX_OUTPUT)
    def get_prompt(self, ctx: toolroll.ToolContext, args: GetPrompt) -> toolroll.Markdown:
        """Return the prompt for the step a case is at: data, guards, instructions, answer format.

        `case_id` is an id from start_investigation, such as C1; 3:C1 is case C1 of suite 3. `step`
        must be the step the case is at, as returned by start_investigation, submit_artifact or
        get_status. Think about the prompt, then call submit_artifact.
        """
        with tool_errors():
            return toolroll.Markdown(_open(ctx).prompt(args.case_id, args.step))

    @toolroll.tool(writes=True)
    def submit_artifact(self, ctx: toolroll.ToolContext, args: SubmitArtifact) -> Decision:
        """Hand in the artifact for the step a case is at; returns where the case goes next.

        `artifact` is the JSON object that the step's prompt asks for, 1 MiB at most. `decision`
        says which rule applied and why. Go on with `next_step`; when `is_done` is true there is
        none. An artifact for another step, or one that does not fit, changes nothing; the error
        then carries the step's JSON Schema. Different cases may be worked on in parallel.
        """
        from toolroll_investigation.intake import ignored_keys, parse_document
        from toolroll_investigation.steps import Step

        document: object = args.artifact
        if isinstance(document, str):
            try:
                document = parse_document(document)
            except ValueError as error:
                raise toolroll.InvalidArguments(f"artifact {error}") from None
        if document is not None and not isinstance(document, dict):
            raise toolroll.InvalidArguments("artifact must be an object")
        fields = cast("dict[str, Any] | None", document)
        with tool_errors():
            verdict = _open(ctx).submit(args.case_id, args.step, fields)
        outcome = Decision(
            heuristic_id=verdict.heuristic_id,
            decision=verdict.decision + ignored_keys(Step(args.step), fields),
            is_done=verdict.next_step is Step.DONE,
        )
        if not outcome["is_done"]:
            outcome["next_step"] = verdict.next_step.value
        return outcome

    @toolroll.tool(max_output=MAX_OUTPUT)
    def get_status(self, ctx: toolroll.ToolContext, args: GetStatus) -> Status:
        """Tell where one case stands, or every case of the current investigation.

        Leave `case_id` out for all cases, in the order of the scenario. Use it to find the step a
        case is at after a break; it changes nothing.
        """
        with tool_errors():
            cases = _open(ctx).status(args.case_id)
        return Status(
            cases=[
                CaseProgress(
                    case_id=case.case_id,
                    current_step=case.current_step,
                    steps_completed=case.steps_completed,
                    is_done=case.is_done,
                )
                for case in cases
            ]
        )

    @toolroll.tool(max_output=MAX_OUTPUT)
    def get_report(self, ctx: toolroll.ToolContext, args: GetReport) -> toolroll.Markdown:
        """Report on the current investigation: metrics, findings, open questions, every case.

        With ground truth it scores the answers by 20 metrics; without, it leaves those out and
        tells which root causes explain which failures. Asked early, it counts finished cases only,
        says how many are missing, and is never a pass.
        """
        from toolroll_investigation.rendering import render_markdown

        with tool_errors():
            return toolroll.Markdown(render_markdown(_open(ctx).report()))

    def commands(self) -> click.Group:
        """`toolroll investigation …`."""
        from toolroll_investigation.commands import investigation

        return investigation

    def demo(self, tour: toolroll.Tour) -> None:
        """Investigate a real failing test run from its JUnit results to the report."""
        from toolroll_investigation.demo import show

        show(tour)


def _open(ctx: toolroll.ToolContext) -> Investigations:
    from toolroll_investigation.access import open_investigations

    return open_investigations(ctx, ctx.principal.tenant)
