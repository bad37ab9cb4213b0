"""Several investigations: the latest is the default, others are addressed or resumed by number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import func, select

import toolroll
from toolroll.context import LOCAL, Principal, tenant_of
from toolroll_investigation.tables import Knowledge, Symptom

OTHER = Principal(tenant_of("other"), "other", frozenset({"read", "write"}))


def test_nothing_can_be_asked_before_a_start(host: Any) -> None:
    for tool, arguments in (
        ("get_prompt", {"case_id": "C1", "step": "F0_RECALL"}),
        ("submit_artifact", {"case_id": "C1", "step": "F0_RECALL", "artifact": {}}),
        ("get_status", {}),
        ("get_report", {}),
    ):
        refused = host.refusal(tool, **arguments)
        assert refused["code"] == "no_investigation"
        assert "start_investigation" in refused["message"]


def test_a_key_that_leaves_the_project_out_gets_no_scenario_of_its_tests(host: Any) -> None:
    inside = host.root / "inside"
    inside.mkdir()
    limited = Principal(tenant_of("limited"), "limited", roots=(str(inside),))
    refused = host.refusal("start_investigation", limited, scenario="ptp-mock")
    assert refused["code"] == "permission_denied"


def test_the_latest_suite_is_the_default_and_others_keep_their_state(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    host.submit("C1", "F0_RECALL", {})
    second = host.answer("start_investigation", scenario="daemon-mock")
    assert second["suite_id"] == 2
    assert host.answer("get_status", case_id="C1")["cases"][0]["steps_completed"] == 0
    assert host.answer("get_status", case_id="1:C1")["cases"][0]["steps_completed"] == 1
    host.submit("1:C1", "F1_TRIAGE", {})
    assert host.answer("get_status", case_id="1:C1")["cases"][0]["current_step"] == "F2_RESOLVE"


def test_a_suite_is_resumed_by_its_number_after_a_restart(make_host: Callable[..., Any]) -> None:
    first = make_host()
    first.answer("start_investigation", scenario="ptp-mock")
    first.submit("C1", "F0_RECALL", {})
    first.answer("start_investigation", scenario="daemon-mock")
    first.runtime.close()
    again = make_host()
    resumed = again.answer("start_investigation", scenario="suite:1")
    assert resumed["suite_id"] == 1
    assert resumed["cases"][0] == {
        "case_id": "C1",
        "test_name": "OCP-83297 PTP sync stability",
        "first_step": "F1_TRIAGE",
    }
    assert len(again.answer("get_status")["cases"]) == 12


def test_a_suite_that_does_not_exist_is_not_resumed(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    refused = host.refusal("start_investigation", scenario="suite:9")
    assert refused["code"] == "unknown_suite"
    assert "the only one is 1" in refused["message"]


def test_two_runs_of_an_exam_know_nothing_of_each_other(host: Any) -> None:
    for _ in range(2):
        host.answer("start_investigation", scenario="ptp-mock")
        host.submit("C1", "F0_RECALL", {})
        host.submit("C1", "F1_TRIAGE", {"candidate_repos": ["a"]})
        host.submit("C1", "F3_INVESTIGATE", {"convergence_score": 0.9})
        prompt = host.answer("get_prompt", case_id="C1", step="F4_CORRELATE")
        assert "| #1 |" in prompt
        assert "| #2 |" not in prompt


def test_tenants_do_not_see_each_other(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    assert host.refusal("get_status", OTHER)["code"] == "no_investigation"
    assert host.answer("start_investigation", OTHER, scenario="daemon-mock")["suite_id"] == 1
    assert host.refusal("start_investigation", OTHER, scenario="suite:2")["code"] == "unknown_suite"
    assert len(host.answer("get_status", LOCAL)["cases"]) == 12
    assert len(host.answer("get_status", OTHER)["cases"]) == 8


@pytest.mark.parametrize("name", ["", "X", "../ptp-mock", "/etc/passwd", "ptp-mock.yaml", "a\x00b"])
def test_an_unknown_scenario_is_answered_with_the_names(host: Any, name: str) -> None:
    refused = host.refusal("start_investigation", scenario=name)
    assert refused["code"] == "unknown_scenario"
    assert "ptp-mock" in refused["message"]
    assert refused["retryable"] is False


def test_a_suite_is_removed_with_its_files_and_what_its_exam_learned(
    host: Any, ptp_mock: Any
) -> None:
    context = host.runtime.context("investigation")
    pack = host.runtime.registry.packs["investigation"].pack
    assert pack.holdings(context) == []
    for scenario in ("ptp-mock", "daemon-mock"):
        host.answer("start_investigation", scenario=scenario)
    host.answer("start_investigation", OTHER, scenario="ptp-mock")
    host.drive(ptp_mock, 1)
    host.answer("get_prompt", OTHER, case_id="C1", step="F0_RECALL")
    held = {(one.name, one.tenant): one for one in pack.holdings(context)}
    assert sorted(held) == [("1", ""), ("1", OTHER.tenant), ("2", "")]
    assert held["1", ""].size > held["1", OTHER.tenant].size > 5_000
    pack.release(context, held["1", ""])
    assert [file.name for file in host.case_files.iterdir()] == ["2"]
    assert host.refusal("get_status", case_id="1:C1")["code"] == "unknown_suite"
    assert host.answer("get_status", OTHER)["cases"]
    with context.database.read() as session:
        assert session.scalar(select(func.count()).select_from(Knowledge)) == 2
        assert session.scalar(select(func.count()).select_from(Symptom)) == 0
    with pytest.raises(toolroll.NotFound, match="no suite 1 any more"):
        pack.release(context, held["1", ""])
