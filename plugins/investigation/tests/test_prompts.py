"""Prompts: they carry what the step needs, and templates can be replaced."""

from __future__ import annotations

import stat
from collections.abc import Callable
from typing import Any

import pytest

from toolroll_investigation.markdown import cell, code, fenced, quoted, tidy
from toolroll_investigation.prompt_parameters import (
    Failure,
    Git,
    Prior,
    PromptParameters,
)
from toolroll_investigation.prompts import PromptError, render_prompt
from toolroll_investigation.steps import WORKING_STEPS, Step

GUARDS = {
    Step.RECALL: {"G5"},
    Step.TRIAGE: {"G6", "G7", "G8", "G9", "G11", "G13", "G26"},
    Step.RESOLVE: {"G4", "G18", "G28"},
    Step.INVESTIGATE: {
        "G1", "G2", "G3", "G10", "G11", "G12", "G13", "G14", "G15", "G16", "G17", "G19", "G21",
        "G22", "G27", "G29", "G30", "G31", "G32", "G33", "G34",
    },
    Step.CORRELATE: {"G23", "G24", "G25"},
}  # fmt: skip


def parameters(step: Step, **changes: Any) -> PromptParameters:
    fields: dict[str, Any] = {
        "step": step,
        "case_id": 3,
        "launch_id": "",
        "run_summary": "",
        "envelope_name": "t",
        "failure": Failure("test", "error", "log", log_truncated=False, status="open"),
        "siblings": ["test"],
        "repositories": [],
        "prior": Prior(),
        "history": None,
        "settled": [],
        "cause": None,
        "overturned": False,
        "override": None,
        "reassessed": False,
        "known_causes": [],
        "defect_types": {"pb001": "wrong"},
        "categories": {"product": "wrong"},
        "clock_note": "clocks differ",
        "git": None,
    }
    return PromptParameters(**{**fields, **changes})


@pytest.mark.parametrize("step", list(WORKING_STEPS))
def test_every_step_has_a_prompt_with_its_frame(step: Step) -> None:
    prompt = render_prompt(parameters(step))
    assert prompt.startswith(f"# {step.code} ")
    assert "Case 3 · step" in prompt
    assert f"`{step}.json`" in prompt
    assert "```json" in prompt
    words = prompt.replace(",", " ").replace("(", " ").replace(")", " ").replace(":", " ").split()
    assert GUARDS.get(step, set()) <= set(words)


@pytest.mark.parametrize("step", [Step.RECALL, Step.TRIAGE, Step.INVESTIGATE])
def test_what_is_missing_is_said(step: Step) -> None:
    bare = Failure("test", "", "", log_truncated=False, status="open")
    prompt = render_prompt(parameters(step, failure=bare))
    assert "There is no error message. Don't invent one." in prompt
    assert "There is no log (G2)" in prompt


def test_a_cut_log_is_named() -> None:
    failure = Failure("test", "error", "log", log_truncated=True, status="open")
    assert "The log was cut (G1)" in render_prompt(parameters(Step.RECALL, failure=failure))


def test_a_retry_quotes_what_was_not_sure_enough(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C1", "F0_RECALL", {})
    host.submit("C1", "F1_TRIAGE", {"symptom_category": "product", "candidate_repos": ["a", "b"]})
    host.submit("C1", "F2_RESOLVE", {"selected_repos": [{"name": "a", "reason": "r"}]})
    host.submit("C1", "F3_INVESTIGATE", {"convergence_score": 0.35, "rca_message": "A guess."})
    prompt = host.answer("get_prompt", case_id="C1", step="F2_RESOLVE")
    assert "0.35" in prompt
    assert "A guess." in prompt
    assert "It had read: a." in prompt


def test_a_reviewer_who_asks_for_another_look_is_heard_at_every_step(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    for case, target in (("C1", "F1_TRIAGE"), ("C2", "F2_RESOLVE"), ("C3", "F3_INVESTIGATE")):
        _investigated(host, case, "The daemon is slow.", ends=False)
        first = host.answer("get_prompt", case_id=case, step="F5_REVIEW")
        assert "another look" not in first
        host.submit(case, "F5_REVIEW", {"decision": "reassess", "loop_target": target})
        prompt = host.answer("get_prompt", case_id=case, step=target)
        assert "asked for another look" in prompt.replace("\n", " ")
        assert "not sure enough" not in prompt
        assert "The daemon is slow." in prompt
    # What was found since is judged by itself.
    host.submit("C3", "F3_INVESTIGATE", {"convergence_score": 0.2, "rca_message": "A guess."})
    prompt = host.answer("get_prompt", case_id="C3", step="F2_RESOLVE")
    assert "was not sure enough" in prompt
    host.submit("C3", "F2_RESOLVE", {})
    prompt = host.answer("get_prompt", case_id="C3", step="F3_INVESTIGATE")
    assert "not sure enough" in prompt
    assert "another look" not in prompt
    assert "| Root cause | A guess. |" in prompt


def test_root_causes_that_were_given_up_are_told_from_those_in_use(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C1", "F0_RECALL", {})
    host.submit("C1", "F1_TRIAGE", {"candidate_repos": ["a"]})
    for number in range(3):
        host.submit("C1", "F3_INVESTIGATE", {"convergence_score": 0.9, "rca_message": f"{number}."})
        if number < 2:
            host.submit("C1", "F4_CORRELATE", {})
            again = {"decision": "reassess", "loop_target": "F3_INVESTIGATE"}
            host.submit("C1", "F5_REVIEW", again)
    prompt = host.answer("get_prompt", case_id="C2", step="F0_RECALL")
    assert "| #2 | 1. | – | open | – | – | – | none |" in prompt
    assert "| #3 | 2. | – | open | – | – | – | 1 |" in prompt
    assert "was given up for another" in prompt


def test_a_match_that_names_nothing_is_shown_without_numbers(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C1", "F0_RECALL", {"match": True, "confidence": 0.5})
    prompt = host.answer("get_prompt", case_id="C1", step="F1_TRIAGE")
    assert "A known failure matched with confidence 0.5 only. Treat it as a lead." in prompt
    assert "#0" not in prompt
    assert "```text\n\n```" not in prompt


def test_an_overturned_finding_is_not_called_approved(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    _investigated(host, "C1", "The daemon is slow.", ends=False)
    said = host.submit("C1", "F5_REVIEW", {"decision": "overturn"})["decision"]
    assert "gave no other" in said
    prompt = host.answer("get_prompt", case_id="C1", step="F6_REPORT")
    assert "approved" not in prompt
    assert "the cause is still to be found" in prompt
    host.submit("C1", "F6_REPORT", {})
    assert "C1: the reviewer overturned the finding; what is right?" in host.answer("get_report")


def test_the_name_of_a_test_is_no_markup(host: Any) -> None:
    failure = Failure("t`# x\n## y <b>", "", "", log_truncated=False, status="open")
    prompt = render_prompt(parameters(Step.RECALL, failure=failure))
    assert "- Test: ``t`# x ## y <b>``\n" in prompt


def test_what_names_the_run_is_no_markup() -> None:
    git = Git("fix/`x`\n# y", "")
    prompt = render_prompt(parameters(Step.INVESTIGATE, launch_id="7\n# z", git=git))
    assert "Case 3 of run `7 # z` · step" in prompt
    assert "- Branch: ``fix/`x` # y``\n- Commit: unknown\n" in prompt


def test_correlation_shows_what_a_case_may_be_a_duplicate_of(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    for case, component in (("C1", "daemon"), ("C4", "tests")):
        host.submit(case, "F0_RECALL", {})
        host.submit(case, "F1_TRIAGE", {"candidate_repos": ["a"]})
        found = {"convergence_score": 0.9, "component": component, "rca_message": f"of {case}"}
        host.submit(case, "F3_INVESTIGATE", found)
    first = host.answer("get_prompt", case_id="C1", step="F4_CORRELATE")
    assert "| #2 | of C4 | – | tests | open | 1 |" in first
    assert "| #1 | of C1 | – | daemon | open | 1 |" not in first
    host.submit("C4", "F4_CORRELATE", {"is_duplicate": True, "confidence": 1, "linked_rca_id": 1})
    alone = host.answer("get_prompt", case_id="C1", step="F4_CORRELATE")
    assert "| #1 | of C1 | – | daemon | open | 1 |" in alone  # another case has it now
    assert "| #2 |" not in alone


def test_a_case_that_is_alone_is_no_duplicate(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C1", "F0_RECALL", {})
    host.submit("C1", "F1_TRIAGE", {"candidate_repos": ["a"]})
    host.submit("C1", "F3_INVESTIGATE", {"convergence_score": 0.9})
    prompt = host.answer("get_prompt", case_id="C1", step="F4_CORRELATE")
    assert "there is nothing to be a duplicate of" in prompt
    assert "#1 is the finding of this very case" in prompt
    assert "given up" not in prompt


def test_triage_knows_how_the_run_went() -> None:
    prompt = render_prompt(parameters(Step.TRIAGE, run_summary="60 of 100 tests were skipped."))
    assert "The run: 60 of 100 tests were skipped." in prompt


def test_review_shows_the_suspicions_of_triage(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C1", "F0_RECALL", {})
    triage = {"skip_investigation": True, "clock_skew_suspected": True, "cascade_suspected": True}
    host.submit("C1", "F1_TRIAGE", triage)
    prompt = host.answer("get_prompt", case_id="C1", step="F5_REVIEW")
    assert "Clock skew is suspected" in prompt
    assert "A cascade is suspected" in prompt


def _investigated(host: Any, case: str, message: str, *, ends: bool) -> None:
    """Take a case to its review, or to its end."""
    host.submit(case, "F0_RECALL", {})
    host.submit(case, "F1_TRIAGE", {"candidate_repos": ["a"]})
    found = {"convergence_score": 0.9, "rca_message": message, "defect_type": "pb001"}
    host.submit(case, "F3_INVESTIGATE", found)
    host.submit(case, "F4_CORRELATE", {})
    if ends:
        host.submit(case, "F5_REVIEW", {"decision": "approve"})
        host.submit(case, "F6_REPORT", {})


def test_a_recalled_root_cause_is_shown_whole_to_reviewer_and_reporter(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    message = f"The daemon forgets its limit {'over and over ' * 10}at midnight."
    _investigated(host, "C1", message, ends=True)
    recall = {"match": True, "prior_rca_id": 1, "confidence": 0.9, "is_regression": True}
    host.submit("C4", "F0_RECALL", recall)
    for step in ("F5_REVIEW", "F6_REPORT"):
        prompt = host.answer("get_prompt", case_id="C4", step=step)
        assert f"#1 {message}" in prompt
        assert "it is a regression" in prompt.lower()
        if step == "F5_REVIEW":
            host.submit("C4", step, {"decision": "approve"})


def test_the_ticket_is_about_what_the_reviewer_said(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    override = {"defect_type": "si001", "rca_message": "The switch lost power."}
    _investigated(host, "C1", "The daemon is slow.", ends=False)
    host.submit("C8", "F0_RECALL", {})
    host.submit("C8", "F1_TRIAGE", {"symptom_category": "infra"})
    for case in ("C1", "C8"):
        host.submit(case, "F5_REVIEW", {"decision": "overturn", "human_override": override})
        prompt = host.answer("get_prompt", case_id=case, step="F6_REPORT")
        assert "corrected by the reviewer" in prompt
        assert "| Root cause | The switch lost power. |" in prompt
        assert "| Root cause | The daemon is slow. |" not in prompt


def test_a_root_cause_is_known_by_what_the_reviewer_said(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    _investigated(host, "C1", "The daemon is slow.", ends=False)
    override = {"defect_type": "si001", "rca_message": "The switch lost power."}
    host.submit("C1", "F5_REVIEW", {"decision": "overturn", "human_override": override})
    prompt = host.answer("get_prompt", case_id="C2", step="F0_RECALL")
    assert "The switch lost power." in prompt
    assert "The daemon is slow." not in prompt


def test_a_ticket_without_a_root_cause_has_the_triage(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C8", "F0_RECALL", {})
    triage = {"symptom_category": "infra", "defect_type_hypothesis": "si001"}
    host.submit("C8", "F1_TRIAGE", triage)
    host.submit("C8", "F5_REVIEW", {"decision": "approve"})
    prompt = host.answer("get_prompt", case_id="C8", step="F6_REPORT")
    assert "Hypothesis: System Issue (si001)" in prompt


def test_the_prompt_is_kept_for_its_owner(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    prompt = host.answer("get_prompt", case_id="C1", step="F0_RECALL")
    path = host.case_files / "1" / "1" / "prompt-F0_RECALL.md"
    assert path.read_text(encoding="utf-8") == prompt
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_a_killed_host_left_of_a_prompt_is_removed(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    directory = host.case_files / "1" / "1"
    directory.mkdir(exist_ok=True)
    (directory / ".prompt-F0_RECALL.md.k3_x9qaz").write_text("# F0 Rec")
    prompt = host.answer("get_prompt", case_id="C1", step="F0_RECALL")
    assert [file.name for file in directory.iterdir()] == ["prompt-F0_RECALL.md"]
    assert (directory / "prompt-F0_RECALL.md").read_text(encoding="utf-8") == prompt


def test_an_exam_gives_no_answer_away(host: Any, ptp_mock: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    prompt = host.answer("get_prompt", case_id="C1", step="F0_RECALL")
    host.submit("C1", "F0_RECALL", {})
    prompt += host.answer("get_prompt", case_id="C1", step="F1_TRIAGE")
    for cause in ptp_mock.rcas:
        assert cause.description not in prompt
        assert cause.jira_id not in prompt or not cause.jira_id
    assert "red_herring" not in prompt
    assert "calibration" not in prompt.lower()


def test_the_vocabulary_is_that_of_the_truth(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-real-ingest")
    host.submit("C01", "F0_RECALL", {})
    prompt = host.answer("get_prompt", case_id="C01", step="F1_TRIAGE")
    assert "`au001`" in prompt
    assert "`ab001`" not in prompt
    assert "`environment`" in prompt


def test_a_template_of_the_settings_replaces_the_packaged_one(
    make_host: Callable[..., Any],
) -> None:
    host = make_host(prompt_dir="prompts")
    own = host.root / "prompts" / "recall"
    own.mkdir(parents=True)
    (own / "judge-similarity.md").write_text("{{ p.failure.test_name }}: {{ step }}\n\n\n\nend")
    host.answer("start_investigation", scenario="ptp-mock")
    prompt = host.answer("get_prompt", case_id="C1", step="F0_RECALL")
    assert prompt == "OCP-83297 PTP sync stability: F0_RECALL\n\nend\n"


@pytest.mark.parametrize("template", ["{{ p.nothing }}", "{% if %}", "{{ ''.__class__ }}"])
def test_a_template_that_is_wrong_or_reaches_out_is_named(tmp_path: Any, template: str) -> None:
    (tmp_path / "recall").mkdir()
    (tmp_path / "recall" / "judge-similarity.md").write_text(template)
    with pytest.raises(PromptError, match=r"recall/judge-similarity.md"):
        render_prompt(parameters(Step.RECALL), tmp_path)


def test_fences_are_longer_than_what_they_hold() -> None:
    assert fenced("a\n````\nb").startswith("`````text\n")


def test_cells_keep_to_their_line() -> None:
    assert cell("a | b\n<i>\u2028c\\") == "a \\| b &lt;i> c\\\\"
    assert cell("![x](y)") == "!\\[x](y)"


def test_inline_code_holds_backticks() -> None:
    assert code("`a``b") == "``` `a``b ```"


def test_quotes_start_every_line() -> None:
    assert quoted("a\n# b") == "> a\n> # b"


def test_tidying_leaves_code_alone() -> None:
    assert tidy("a\n\n\nb\n\n```text\nx\n\n\ny\n```\n\n\n\nc") == (
        "a\n\nb\n\n```text\nx\n\n\ny\n```\n\nc\n"
    )
