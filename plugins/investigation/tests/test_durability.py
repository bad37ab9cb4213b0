"""Parallel callers and a host that is killed: what was acknowledged is there, once."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from toolroll.context import LOCAL
from toolroll.runtime import Runtime
from toolroll_investigation.case_state import submissions_of
from toolroll_investigation.suites import cases_of, find_suite, knowledge_of

CASES = 100

# A worker is a host process of its own: it submits what it is told and acknowledges each answer.
WORKER = """
import json, sys, anyio
from toolroll.context import LOCAL
from toolroll.runtime import Runtime

root, data = sys.argv[1:]
runtime = Runtime.open(roots=[root], data_dir=__import__("pathlib").Path(data))
for line in sys.stdin:
    answer = anyio.run(runtime.caller.call, "submit_artifact", json.loads(line), LOCAL)
    print(json.dumps({"error": answer.is_error, **json.loads(answer.text)}), flush=True)
"""


def answer_for(number: int, step: str) -> dict[str, Any]:
    """What a model that always answers alike hands in; cases go four different ways."""
    kind = number % 4
    match step:
        case "F1_TRIAGE":
            category = "infra" if kind == 0 else "product"
            repos = ["a"] if kind == 1 else ["a", "b"]
            return {"symptom_category": category, "candidate_repos": repos}
        case "F3_INVESTIGATE":
            score = 0.3 if kind == 3 else 0.9
            return {"convergence_score": score, "rca_message": f"cause of case {number}"}
        case "F5_REVIEW":
            return {"decision": "approve"}
        case _:
            return {}


def write_scenario(root: Path) -> None:
    cases = [{"id": f"C{n}", "test_name": f"test {n}"} for n in range(1, CASES + 1)]
    (root / "many.json").write_text(json.dumps({"name": "many", "cases": cases}))
    (root / "toolroll.toml").write_text(
        '[packs]\nallow = ["investigation"]\n[investigation]\nscenario_dirs = ["."]\n'
        "[audit]\nenabled = false\n[host]\ncalls_per_minute = 0\n"
        "[storage]\nbusy_timeout_ms = 120000\n"
    )


def snapshot(runtime: Runtime) -> dict[str, Any]:
    """Everything that a run leaves behind, free of the ids that depend on the order of cases."""
    with runtime.context("investigation").database.read() as session:
        suite = find_suite(session, LOCAL.tenant)
        knowledge = knowledge_of(session, suite)
        causes = {cause.id: cause.description for cause in knowledge.root_causes()}
        return {
            "cases": {
                case.label: (
                    case.status,
                    case.current_step,
                    case.investigate_loops,
                    causes.get(case.rca_id),
                    [
                        (s.step, s.heuristic_id, s.next_step, s.artifact)
                        for s in submissions_of(session, case)
                    ],
                )
                for case in cases_of(session, suite)
            },
            "symptoms": sorted((s.name, s.occurrence_count) for s in knowledge.symptoms()),
            "causes": sorted(causes.values()),
            "ids": [cause.id for cause in knowledge.root_causes()],
            "links": len(knowledge.links()),
        }


class Worker:
    """A host process that may be killed at any time and is started again."""

    def __init__(self, root: Path, data: Path) -> None:
        self._arguments = [sys.executable, "-c", WORKER, str(root), str(data)]
        self._lock = threading.Lock()
        self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def submit(self, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """The answer to a submit; nothing when the process was killed meanwhile."""
        with self._lock:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            try:
                self._process.stdin.write(json.dumps(arguments) + "\n")
                self._process.stdin.flush()
                line = self._process.stdout.readline()
            except BrokenPipeError:
                line = ""
            if line.endswith("\n"):
                return json.loads(line)
            self.close()
            self._process = self._start()
            return None

    def kill(self) -> None:
        """Kill the process as the kernel would, whatever it is doing."""
        self._process.kill()  # unless it is gone already

    def close(self) -> None:
        """End the process and let go of its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue


@pytest.fixture
def sequential(tmp_path: Path) -> dict[str, Any]:
    """What a run leaves behind that drives case after case in one host."""
    root = tmp_path / "sequential"
    root.mkdir()
    write_scenario(root)
    with Runtime.open(roots=[root], data_dir=root / "data") as runtime:
        call(runtime, "start_investigation", scenario="many")
        for number in range(1, CASES + 1):
            step: str | None = "F0_RECALL"
            while step:
                arguments = {"case_id": f"C{number}", "step": step}
                outcome = call(
                    runtime, "submit_artifact", **arguments, artifact=answer_for(number, step)
                )
                step = outcome.get("next_step")
        return snapshot(runtime)


def call(runtime: Runtime, tool: str, **arguments: Any) -> dict[str, Any]:
    import anyio

    reply = anyio.run(runtime.caller.call, tool, arguments, LOCAL)
    assert not reply.is_error, reply.text
    return json.loads(reply.text)


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[list[Worker]]:
    """Two host processes on one data directory."""
    root = tmp_path / "parallel"
    root.mkdir()
    write_scenario(root)
    with Runtime.open(roots=[root], data_dir=root / "data") as runtime:
        call(runtime, "start_investigation", scenario="many")
    made = [Worker(root, root / "data") for _ in range(2)]
    yield made
    for worker in made:
        worker.close()


@pytest.mark.marathon
def test_parallel_callers_and_killed_hosts_leave_what_one_caller_leaves(
    sequential: dict[str, Any], workers: list[Worker], tmp_path: Path
) -> None:
    chance = random.Random(20260217)
    kills = threading.Semaphore(12)
    acknowledged: dict[tuple[str, int], str] = {}

    def drive(number: int) -> None:
        case, step, position = f"C{number}", "F0_RECALL", 0
        while step != "DONE":
            worker = workers[number % 2]
            if chance.random() < 0.05 and kills.acquire(blocking=False):
                worker.kill()
            answer = worker.submit(
                {"case_id": case, "step": step, "artifact": answer_for(number, step)}
            )
            if answer is None:
                continue  # nobody knows whether it was taken; asking again finds out
            if answer["error"]:
                # It had been taken: the case is ahead of what its caller knows.
                assert answer["code"] in ("wrong_step", "case_done"), answer
                step = answer.get("details", {}).get("current_step", "DONE")
            else:
                acknowledged[case, position] = answer["heuristic_id"]
                step = answer.get("next_step", "DONE")
            position += 1

    with ThreadPoolExecutor(8) as callers:
        list(callers.map(drive, range(1, CASES + 1)))
    root = tmp_path / "parallel"
    with Runtime.open(roots=[root], data_dir=root / "data") as runtime:
        left = snapshot(runtime)
    assert left == sequential
    assert left["ids"] == list(range(1, len(left["ids"]) + 1))
    for (case, position), rule in acknowledged.items():
        assert left["cases"][case][4][position][1] == rule
    files = root / "data" / "investigation" / "suites" / LOCAL.tenant[:16] / "1"
    for number, (label, (_, step, _, _, submissions)) in enumerate(left["cases"].items(), start=1):
        state = json.loads((files / str(number) / "state.json").read_text())
        assert (label, state["current_step"]) == (f"C{number}", step)
        assert len(state["history"]) == len(submissions) + 1


def test_of_two_submits_for_one_step_one_is_taken(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    barrier = threading.Barrier(8)

    def submit(_: int) -> str:
        import anyio

        arguments = {"case_id": "C1", "step": "F0_RECALL", "artifact": {}}
        barrier.wait()
        reply = anyio.run(host.runtime.caller.call, "submit_artifact", arguments, LOCAL)
        return reply.code

    with ThreadPoolExecutor(8) as callers:
        codes = sorted(callers.map(submit, range(8)))
    assert codes == ["", *["wrong_step"] * 7]
    assert host.answer("get_status", case_id="C1")["cases"][0]["steps_completed"] == 1


def test_files_that_cannot_be_written_are_told_and_nothing_is_taken_in(host: Any) -> None:
    host.answer("start_investigation", scenario="ptp-mock")
    directory = host.data / "investigation" / "suites" / LOCAL.tenant[:16] / "1" / "1"
    directory.write_text("in the way")
    case = {"case_id": "C1", "step": "F0_RECALL"}
    for tool, rest in (("get_prompt", {}), ("submit_artifact", {"artifact": {}})):
        refused = host.refusal(tool, **case, **rest)
        assert refused["code"] == "internal_error"
        assert "make room" in refused["message"]
    directory.unlink()
    assert host.answer("submit_artifact", **case, artifact={})["next_step"] == "F1_TRIAGE"
