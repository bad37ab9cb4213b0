"""Each rule can fail, and fails alone: the good pack with one flaw breaks that rule only."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping
from typing import Any

import attrs
import pytest

import toolroll
from toolroll.contract import Contract
from toolroll_conformance.case import Case
from toolroll_conformance.inspection import STANDING_RULES
from toolroll_conformance.known_failures import KnownFailures
from toolroll_conformance.legs.starting import PackServer
from toolroll_conformance.plan import RULES, plan
from toolroll_conformance.processes.child import ColdLauncher
from toolroll_conformance.report import Report
from toolroll_conformance.run import run_checks
from toolroll_conformance.session import Session
from toolroll_conformance.stand_in import StandIn
from toolroll_conformance.target import Target
from toolroll_conformance.workspace import Workspace
from toolroll_zoo.broken import (
    BROKEN,
    BROKEN_ON_THE_WIRE,
    FLAWS,
    Narrow,
    Parent,
    Shuffling,
    Tearing,
)
from toolroll_zoo.clumsy import SECRET, Clumsy
from toolroll_zoo.shelf import Shelf
from toolroll_zoo.tardy import Tardy

ERA = "2026-07-28"
TELLTALE = {"shelf-4", "shelf-5", "shelf-6", "shelf-7"}
"""Cases that would tell of the flaw too; without them only the generic rule can."""


def report_of(
    pack: Shelf, leg: str, *, without: Collection[str] = (), only: Collection[str] = ()
) -> Report:
    """Run everything there is for a pack on one leg.

    Args:
        pack: The pack.
        leg: The way in.
        without: Cases that are left out.
        only: Rules; all where none is named.
    """
    target = Target.of(pack)
    cases = [case for case in target.cases if case.id not in without]
    with Session.of_pack(attrs.evolve(target, cases=cases), [leg], [ERA], examples=5) as session:
        checks = [check for check in plan(session) if not only or check.rule in only]
        return run_checks(pack.name, checks)


def details(report: Report) -> str:
    """Say what failed, for the message of an assertion."""
    return "\n".join(f"{item.id}: {item.detail}" for item in report.failed)


@pytest.mark.parametrize(("rule", "kind"), BROKEN.items(), ids=list(BROKEN))
def test_a_flaw_that_shows_in_process_breaks_its_rule_alone(rule: str, kind: type[Shelf]) -> None:
    report = report_of(kind(), "memory")
    assert report.broken_rules() == {rule}, details(report)


@pytest.mark.parametrize(("rule", "kind"), BROKEN_ON_THE_WIRE.items(), ids=list(BROKEN_ON_THE_WIRE))
def test_a_flaw_that_shows_in_a_process_breaks_its_rule_alone(rule: str, kind: type[Shelf]) -> None:
    report = report_of(kind(), "stdio", without=TELLTALE)
    assert report.broken_rules() == {rule}, details(report)


def test_the_longest_text_that_is_allowed_is_tried() -> None:
    report = report_of(Narrow(), "memory")
    assert "get_text.key broke on a text as long as is allowed" in details(report)


def test_an_answer_in_another_form_hides_nothing_worse() -> None:
    class Sloppy(BROKEN["path-escape"]):  # type: ignore[misc]
        def code_of(self, error: toolroll.ToolError) -> str:
            return "undeclared"

    with Session.of_pack(Target.of(Sloppy()), ["memory"], [ERA]) as session:
        report = run_checks("shelf", [c for c in plan(session) if c.rule == "path-escape"])
    assert report.broken_rules() == {"path-escape", "error-envelope"}, details(report)


def test_workers_that_cannot_be_had_break_the_rule_of_background_work() -> None:
    class Choosy(Shelf):
        def workers(self, context: Any) -> Any:  # type: ignore[override]
            return ()

    with Session.of_pack(Target.of(Choosy()), ["memory"], [ERA]) as session:
        report = run_checks("shelf", plan(session))
    assert report.broken_rules() == {"background-work"}, details(report)
    assert "could not be started: TypeError: " in details(report)


def test_a_write_that_is_torn_by_a_kill_breaks_the_rule_of_kills() -> None:
    report = report_of(Tearing(), "stdio", without=TELLTALE, only={"case", "kill-restart"})
    assert report.broken_rules() == {"kill-restart"}, details(report)


def test_what_a_worker_does_anew_after_a_kill_is_waited_for_where_a_case_does() -> None:
    steps = [PUTTING, {"call": "list_texts", "expect": {"const": ["a"]}, "within": 30}]
    case = Case.model_validate({"id": "one", "title": "one", "source": "here", "steps": steps})
    target = attrs.evolve(Target.of(Tardy()), cases=[case])
    with Session.of_pack(target, ["stdio"], [ERA]) as session:
        rules = {"case", "cancel", "kill-restart"}
        report = run_checks("shelf", [c for c in plan(session) if c.rule in rules])
    assert report.ok, details(report)
    assert {item.rule for item in report.results} == rules


def test_a_process_that_outlives_the_server_breaks_its_rule_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("toolroll_conformance.rules.ending.LEFT_SECONDS", 0.0)
    case = Case.model_validate({"id": "one", "title": "one", "source": "here", "steps": [PUTTING]})
    target = attrs.evolve(Target.of(Parent()), cases=[case])
    with Session.of_pack(target, ["stdio"], [ERA]) as session:
        report = run_checks("shelf", [c for c in plan(session) if c.rule in {"ending", "case"}])
    assert report.broken_rules() == {"ending"}, details(report)
    assert "put_text with {'key': 'a', 'text': 'a'} started " in details(report)
    good = Target.of(Shelf())
    with Session.of_pack(attrs.evolve(good, cases=[case]), ["stdio"], [ERA]) as session:
        assert run_checks("shelf", [c for c in plan(session) if c.rule == "ending"]).ok


PUTTING = {"call": "put_text", "args": {"key": "a", "text": "a"}}


def test_items_in_an_order_that_changes_are_told_apart_from_the_time() -> None:
    calls = [{"call": "put_text", "args": {"key": key, "text": key}} for key in "ab"]
    calls.append({"call": "list_texts", "args": {}})
    case = Case.model_validate({"id": "two", "title": "two", "source": "here", "steps": calls})
    target = attrs.evolve(Target.of(Shuffling()), cases=[case])
    with Session.of_pack(target, ["memory"], [ERA]) as session:
        checks = [check for check in plan(session) if check.rule == "concurrency"]
        report = run_checks("shelf", checks)
    assert "list_texts with {}, called again" in details(report)
    assert "another order: sort them" in details(report)


def changed_tool(**changes: Any) -> Callable[[Contract], Contract]:
    """Return a change to the first tool of a contract."""

    def change(contract: Contract) -> Contract:
        first, *others = contract.tools
        return attrs.evolve(contract, tools=(attrs.evolve(first, **changes), *others))

    return change


def without_closing(contract: Contract) -> Contract:
    """Let the first tool take unknown arguments."""
    schema = {**contract.tools[0].input_schema}
    del schema["additionalProperties"]
    return changed_tool(input_schema=schema)(contract)


def reversed_tools(contract: Contract) -> Contract:
    """List the tools in another order."""
    return attrs.evolve(contract, tools=tuple(reversed(contract.tools)))


BROKEN_CONTRACTS: Mapping[str, Callable[[Contract], Contract]] = {
    "tool-names": reversed_tools,
    "tool-description": changed_tool(description="short"),
    "tool-schema": without_closing,
    "path-parameters": changed_tool(project_paths=("nowhere",)),
}


@pytest.mark.parametrize(("rule", "change"), BROKEN_CONTRACTS.items(), ids=list(BROKEN_CONTRACTS))
def test_a_flawed_contract_breaks_its_rule_alone(
    rule: str, change: Callable[[Contract], Contract]
) -> None:
    target = Target.of(Shelf())
    with Session(attrs.evolve(target, contract=change(target.contract)), ()) as session:
        report = run_checks("shelf", plan(session))
    assert report.broken_rules() == {rule}, details(report)


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "array"}, "no object at its root"),
        ({"type": "objekt"}, "not JSON Schema 2020-12"),
        ({"$ref": "#/$defs/nowhere"}, "a $ref that leads nowhere"),
        ({"type": "object", "required": ["ghost"]}, "requires what it does not describe: ghost"),
    ],
)
def test_a_schema_is_refused_with_its_reason(schema: dict[str, Any], problem: str) -> None:
    target = Target.of(Shelf())
    contract = changed_tool(output_schema=schema)(target.contract)
    with Session(attrs.evolve(target, contract=contract), ()) as session:
        report = run_checks("shelf", plan(session))
    assert report.broken_rules() == {"tool-schema"}
    assert problem in details(report)


def test_a_listing_that_differs_from_the_contract_breaks_its_rule_alone() -> None:
    target = Target.of(Shelf())
    contract = changed_tool(description="What the contract says, and the server does not.")
    changed = attrs.evolve(target, contract=contract(target.contract))
    with Session.of_pack(changed, ["memory"], examples=5) as session:
        report = run_checks("shelf", plan(session))
    assert report.broken_rules() == {"listing"}, details(report)


@pytest.mark.parametrize("frozen", [None, "changed"])
def test_a_stale_or_missing_contract_file_breaks_its_rule_alone(frozen: str | None) -> None:
    target = Target.of(Shelf())
    kept = changed_tool(title="Other")(target.contract) if frozen else None
    installed = attrs.evolve(target, is_installed=True, frozen=kept)
    with Session(installed, ()) as session:
        report = run_checks("shelf", plan(session))
    assert report.broken_rules() == {"frozen-contract"}, details(report)


def test_a_known_failure_of_no_check_breaks_its_rule_alone() -> None:
    listed = attrs.evolve(Target.of(Shelf()), known_failures=KnownFailures({"no/such": "gone"}))
    with Session.of_pack(listed) as session:
        static = [check for check in plan(session) if not check.leg]
        report = run_checks("shelf", static, known=listed.known_failures)
    assert report.broken_rules() == {"known-failures"}, details(report)
    with Session.of_pack(listed, ["memory"]) as session:
        assert run_checks("shelf", [c for c in plan(session) if c.rule == "known-failures"]).ok


def test_a_server_that_asks_for_no_key_breaks_its_rule_alone() -> None:
    target = Target.of(Shelf())
    with contextlib.closing(StandIn(Shelf())) as stand_in, Workspace.make("shelf") as workspace:
        launcher = ColdLauncher(environment=stand_in.environment)
        running = PackServer(launcher).http(workspace)
        try:
            url = running.address()
            with Session.of_url(target, url, ["one"], [ERA]) as session:
                checks = [check for check in plan(session) if check.rule in UNGUARDED]
                report = run_checks("shelf", checks)
        finally:
            running.stop()
    assert report.broken_rules() == {"http-keys"}, details(report)
    assert {item.rule for item in report.results} == UNGUARDED


UNGUARDED = {"http-keys", "listing", "unknown-tool", "unknown-cursor"}


def test_a_start_that_clients_do_not_wait_for_breaks_its_rule_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("toolroll_conformance.rules.start_up.PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr("toolroll_conformance.rules.start_up.SLOWER", 100.0)
    with Session.of_pack(Target.of(Shelf()), ["stdio"]) as session:
        checks = [check for check in plan(session) if check.rule == "start-up"]
        assert run_checks("shelf", checks).ok  # a host without packs takes its time, too
        monkeypatch.setattr("toolroll_conformance.rules.start_up.SLOWER", 0.0)
        report = run_checks("shelf", checks)
    assert report.broken_rules() == {"start-up"}, details(report)
    assert [item.era for item in report.results] == [ERA]


def test_every_rule_has_a_member_of_the_zoo() -> None:
    elsewhere = {"listing", "frozen-contract", "known-failures", "http-keys", "start-up", "ending"}
    shown = {*BROKEN, *BROKEN_ON_THE_WIRE, *BROKEN_CONTRACTS, *FLAWS, *elsewhere}
    rules = {rule.name for rule in RULES} | set(STANDING_RULES) | {"case", "serves"}
    assert shown == rules


@pytest.mark.parametrize("leg", ["memory", "stdio"])
def test_printing_and_raising_packs_do_no_harm(leg: str) -> None:
    with Session.of_pack(Target.of(Clumsy()), [leg]) as session:
        for way in session.legs:
            with Workspace.make("shelf") as workspace:
                connection = way.open(workspace)
                try:
                    reply = connection.begin("list_texts", {"limit": 7}).result()
                finally:
                    connection.close()
            assert reply.is_error
            assert reply.error_code == "internal_error"
            assert SECRET not in reply.text
        checks = [check for check in plan(session) if check.rule in {"stray-output", "listing"}]
        assert run_checks("shelf", checks).ok
