"""Knowledge that lasts: what was found yesterday is recalled today, dormant symptoms come back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from toolroll.context import LOCAL
from toolroll_investigation.knowledge_store import KnowledgeStore, open_shared, timestamp
from toolroll_investigation.tables import Symptom

REAL = {
    "name": "nightly",
    "cases": [
        {"id": "C1", "test_name": "upload retries", "error_message": "lost packet"},
        {"id": "C2", "test_name": "download retries", "error_message": "lost packet"},
    ],
}


@pytest.fixture
def nightly(make_host: Any) -> Any:
    """A host that knows a scenario of real failures, without ground truth."""
    host = make_host(scenario_dirs=["scenarios"])
    (host.root / "scenarios").mkdir()
    (host.root / "scenarios" / "nightly.json").write_text(json.dumps(REAL))
    return host


def investigate(host: Any, case: str = "C1") -> None:
    """Find a root cause for a case of the current suite."""
    host.submit(case, "F0_RECALL", {})
    host.submit(case, "F1_TRIAGE", {"symptom_category": "product", "candidate_repos": ["client"]})
    found = {
        "rca_message": "One retry only.",
        "defect_type": "pb001",
        "component": "client",
        "convergence_score": 0.9,
        "evidence_refs": ["client:retry.py:limit"],
    }
    host.submit(case, "F3_INVESTIGATE", found)
    host.submit(case, "F4_CORRELATE", {})
    host.submit(case, "F5_REVIEW", {"decision": "approve"})
    host.submit(case, "F6_REPORT", {})


@pytest.fixture
def knowledge(host: Any) -> Iterator[KnowledgeStore]:
    """The shared knowledge inside a unit of work."""
    with host.runtime.context("investigation").database.begin() as session:
        yield open_shared(session, LOCAL.tenant)


def recognise(
    knowledge: KnowledgeStore, name: str, print_: str, now: str = "2026-01-01"
) -> Symptom:
    return knowledge.recognise(print_, name=name, error="e", component="c", now=now)


def test_yesterdays_failure_is_recalled(nightly: Any) -> None:
    nightly.answer("start_investigation", scenario="nightly")
    investigate(nightly)
    nightly.answer("start_investigation", scenario="nightly")
    prompt = nightly.answer("get_prompt", case_id="C1", step="F0_RECALL")
    assert "| #1 upload retries | 1 time |" in prompt
    assert "| #1 | One retry only. | Product Bug (pb001) | open |" in prompt
    other = nightly.answer("get_prompt", case_id="C2", step="F0_RECALL")
    assert "no failure of this test is on record" in other
    hit = {"match": True, "confidence": 0.9, "symptom_id": 1, "prior_rca_id": 1}
    assert nightly.submit("C1", "F0_RECALL", hit)["heuristic_id"] == "H1"
    nightly.submit("C1", "F5_REVIEW", {"decision": "approve"})
    nightly.submit("C1", "F6_REPORT", {})
    report = nightly.answer("get_report")
    assert "Explains | C1 (1 of 1, and 1 seen earlier)" in report
    assert "client:retry.py:limit" in report


def settle(host: Any, category: str, decision: dict[str, Any]) -> None:
    """Let case C1 of the current suite end without a root cause."""
    host.submit("C1", "F0_RECALL", {})
    triage = {"symptom_category": category, "defect_type_hypothesis": "nd001"}
    host.submit("C1", "F1_TRIAGE", triage)
    host.submit("C1", "F5_REVIEW", decision)
    host.submit("C1", "F6_REPORT", {})


def test_what_a_test_was_taken_for_before_is_told_without_a_root_cause(nightly: Any) -> None:
    nightly.answer("start_investigation", scenario="nightly")
    settle(nightly, "flake", {"decision": "approve"})
    nightly.answer("start_investigation", scenario="nightly")
    right = {"defect_type": "si001", "rca_message": "The switch drops packets."}
    settle(nightly, "infra", {"decision": "overturn", "human_override": right})
    nightly.answer("start_investigation", scenario="nightly")
    told = (
        "| 2 | lost packet | infra | System Issue (si001) | The switch drops packets. |\n"
        "| 1 | lost packet | flake | No Defect (nd001) | – |"
    )
    assert told in nightly.answer("get_prompt", case_id="C1", step="F0_RECALL")
    nightly.submit("C1", "F0_RECALL", {})
    assert told in nightly.answer("get_prompt", case_id="C1", step="F1_TRIAGE")
    assert "lost packet |" not in nightly.answer("get_prompt", case_id="C2", step="F0_RECALL")


def test_a_failure_with_a_root_cause_is_not_told_as_settled(nightly: Any) -> None:
    for _ in range(2):
        nightly.answer("start_investigation", scenario="nightly")
        prompt = nightly.answer("get_prompt", case_id="C1", step="F0_RECALL")
        assert "Settled without a root cause" not in prompt
        investigate(nightly)


def test_an_exam_leaves_lasting_knowledge_alone(nightly: Any, ptp_mock: Any) -> None:
    nightly.answer("start_investigation", scenario="ptp-mock")
    nightly.drive(ptp_mock)
    with nightly.runtime.context("investigation").database.begin() as session:
        assert open_shared(session, LOCAL.tenant).symptoms() == []


def test_the_same_failure_again_is_the_same_symptom(nightly: Any) -> None:
    for _ in range(2):
        nightly.answer("start_investigation", scenario="nightly")
        investigate(nightly)
    with nightly.runtime.context("investigation").database.begin() as session:
        (symptom,) = open_shared(session, LOCAL.tenant).symptoms()
        assert (symptom.id, symptom.occurrence_count) == (1, 2)


def test_an_unseen_symptom_goes_dormant_and_is_announced_when_it_is_back(nightly: Any) -> None:
    nightly.answer("start_investigation", scenario="nightly")
    investigate(nightly)
    long_ago = timestamp(datetime.now(UTC) - timedelta(days=31))
    with nightly.runtime.context("investigation").database.begin() as session:
        open_shared(session, LOCAL.tenant).symptoms()[0].last_seen_at = long_ago
    nightly.answer("start_investigation", scenario="nightly")
    prompt = nightly.answer("get_prompt", case_id="C1", step="F0_RECALL")
    assert "This symptom was dormant and is back" in prompt
    nightly.submit("C1", "F0_RECALL", {"match": True, "confidence": 0.9, "symptom_id": 1})
    with nightly.runtime.context("investigation").database.begin() as session:
        (symptom,) = open_shared(session, LOCAL.tenant).symptoms()
        assert (symptom.status, symptom.occurrence_count) == ("active", 2)


def test_the_likeliest_candidate_is_the_one_seen_most_then_last(nightly: Any) -> None:
    with nightly.runtime.context("investigation").database.begin() as session:
        knowledge = open_shared(session, LOCAL.tenant)
        for print_, last in (("1", "2026-01-01"), ("2", "2026-01-03"), ("3", "2026-01-02")):
            recognise(knowledge, "upload retries", print_, last)
    nightly.answer("start_investigation", scenario="nightly")
    assert "| #2 " in nightly.answer("get_prompt", case_id="C1", step="F0_RECALL")
    with nightly.runtime.context("investigation").database.begin() as session:
        open_shared(session, LOCAL.tenant).symptoms()[0].occurrence_count = 5
    assert "| #1 " in nightly.answer("get_prompt", case_id="C1", step="F0_RECALL")


def test_a_test_without_a_name_recalls_nothing(knowledge: KnowledgeStore) -> None:
    recognise(knowledge, "", "1")
    assert knowledge.candidates("") == []


def test_dormancy_leaves_what_was_seen_lately(knowledge: KnowledgeStore) -> None:
    recognise(knowledge, "a", "1", "2026-01-01T00:00:00Z")
    recognise(knowledge, "b", "2", "2026-01-20T00:00:00Z")
    assert knowledge.mark_dormant(7, datetime(2026, 1, 22, tzinfo=UTC)) == 1
    knowledge.session.expire_all()
    assert [symptom.status for symptom in knowledge.symptoms()] == ["dormant", "active"]


def test_a_link_that_exists_stays_as_it_was(knowledge: KnowledgeStore) -> None:
    knowledge.link(1, 1, confidence=0.5, notes="first", now="now")
    knowledge.link(1, 1, confidence=0.9, notes="second", now="later")
    assert [(link.confidence, link.notes) for link in knowledge.links()] == [(0.5, "first")]


def test_statuses_are_stamped_and_reopening_clears_them(knowledge: KnowledgeStore) -> None:
    cause = knowledge.add_root_cause(
        title="t", description="d", defect_type="pb001", component="c", score=0.9, now="now"
    )
    for status in ("resolved", "verified", "archived"):
        knowledge.set_status(cause, status, status)
    assert (cause.resolved_at, cause.verified_at, cause.archived_at) == (
        "resolved", "verified", "archived",
    )  # fmt: skip
    knowledge.set_status(cause, "open", "later")
    assert (cause.status, cause.resolved_at, cause.verified_at) == ("open", "", "")
    with pytest.raises(ValueError, match="use one of open, resolved, verified, archived"):
        knowledge.set_status(cause, "recurring", "now")
