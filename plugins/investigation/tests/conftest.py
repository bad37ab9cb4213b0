"""What every test of the pack may ask for: a host in process, and a suite driven by the stub."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from attrs import frozen

from toolroll.context import LOCAL, Principal
from toolroll.runtime import Runtime
from toolroll_investigation.scenario import Scenario, ScenarioCase
from toolroll_investigation.scenario_files import load_scenario
from toolroll_investigation.steps import Step
from toolroll_investigation.stub import StubAdapter
from toolroll_investigation.suites import find_case

Call = dict[str, Any]


@frozen
class Host:
    """The pack in a real host without a transport: every call goes the way of the call pipeline."""

    runtime: Runtime
    root: Path
    data: Path

    def answer(self, tool: str, principal: Principal = LOCAL, **arguments: Any) -> Any:
        """The payload of a call that must succeed."""
        reply = anyio.run(self.runtime.caller.call, tool, arguments, principal)
        assert not reply.is_error, reply.text
        return reply.text if tool in ("get_prompt", "get_report") else json.loads(reply.text)

    def refusal(self, tool: str, principal: Principal = LOCAL, **arguments: Any) -> Call:
        """The envelope of a call that must fail."""
        reply = anyio.run(self.runtime.caller.call, tool, arguments, principal)
        assert reply.is_error, reply.text
        return json.loads(reply.text)

    def submit(self, case: str, step: str, artifact: Any) -> Call:
        """Hand in an artifact that must be accepted."""
        return self.answer("submit_artifact", case_id=case, step=step, artifact=artifact)

    def drive(self, scenario: Scenario, suite: int | None = None) -> None:
        """Drive every case of the current suite, or of `suite`, with the stub adapter."""
        adapter = StubAdapter(scenario)
        prefix = "" if suite is None else f"{suite}:"
        for case in scenario.cases:
            self.drive_case(adapter, case, prefix)

    def drive_case(self, adapter: StubAdapter, case: ScenarioCase, prefix: str = "") -> None:
        """Drive one case to its end and let the adapter learn from it."""
        address, step = f"{prefix}{case.id}", "F0_RECALL"
        while step is not None:
            step = self.submit(address, step, adapter.answer(case, Step(step))).get("next_step")
        context = self.runtime.context("investigation")
        with context.database.read() as session:
            _, row = find_case(session, LOCAL.tenant, address)
            adapter.learn(case, rca_id=row.rca_id, symptom_id=row.symptom_id)

    @property
    def case_files(self) -> Path:
        """The directory of all suites of the local tenant."""
        return self.data / "investigation" / "suites" / LOCAL.tenant[:16]


@pytest.fixture
def make_host(tmp_path: Path) -> Iterator[Callable[..., Host]]:
    """Makes hosts on one data directory, as restarts do; keywords are settings of the pack."""
    opened: list[Runtime] = []
    root, data = tmp_path / "project", tmp_path / "data"
    root.mkdir()

    def make(**settings: Any) -> Host:
        runtime = Runtime.open(
            roots=[root],
            data_dir=data,
            overrides={"packs": {"allow": ("investigation",)}, "investigation": settings},
        )
        opened.append(runtime)
        return Host(runtime, root, data)

    yield make
    for runtime in opened:
        runtime.close()


@pytest.fixture
def host(make_host: Callable[..., Host]) -> Host:
    """A host with the settings as they come."""
    return make_host()


@pytest.fixture
def ptp_mock() -> Scenario:
    """The scenario that the reference figures are about."""
    return load_scenario("ptp-mock", [])
