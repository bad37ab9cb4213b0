"""The demo: a real failing test run goes through every step, twice, so that the second remembers.

The failures are those of attrs 20.3.0 on Python 3.13, which it was not written for. What a model
answered to the prompts is on record, so that the demo needs none.
"""

from __future__ import annotations

from collections import deque
from importlib import resources
from typing import Any, Final, cast

import yaml

import toolroll

EXAMPLE: Final = "attrs-on-python-3.13"

Answers = dict[str, dict[str, list[dict[str, Any]]]]


def read_example_answers() -> Answers:
    """The recorded answers by case and step, in the order they were given."""
    text = (resources.files("toolroll_investigation") / "examples" / f"{EXAMPLE}.yaml").read_text(
        encoding="utf-8"
    )
    return cast("Answers", yaml.safe_load(text))


def show(tour: toolroll.Tour) -> None:
    """Import the run, investigate every failure, show the report, and recall a failure later."""
    examples = resources.files("toolroll_investigation") / "examples"
    with resources.as_file(examples / f"{EXAMPLE}.xml") as results:
        tour.say("A real test run: attrs 20.3.0 on Python 3.13, 10 of 111 tests fail.")
        tour.command(
            "investigation", "from-junit", str(results), "--name", EXAMPLE,
            "--version-label", "20.3.0", "--repository", "attrs", "--repository", "cpython",
        )  # fmt: skip
    started = tour.call("start_investigation", {"scenario": EXAMPLE})
    answers = read_example_answers()
    for case in started["cases"]:
        _drive(tour, case, answers[case["case_id"]])
    progress = tour.call("get_status", {})["cases"]
    tour.say(f"{sum(case['is_done'] for case in progress)} of {len(progress)} cases are done.")
    tour.say("The report:")
    for line in str(tour.call("get_report", {})).splitlines():
        tour.say(line)
    tour.say("The same failure another day: recall shows what is known.")
    tour.call("start_investigation", {"scenario": EXAMPLE})
    prompt = str(tour.call("get_prompt", {"case_id": "C1", "step": "F0_RECALL"}))
    for line in _section(prompt, "## What is known about this symptom"):
        tour.say(line)


def _drive(tour: toolroll.Tour, case: dict[str, Any], answers: dict[str, list[Any]]) -> None:
    waiting = {step: deque(artifacts) for step, artifacts in answers.items()}
    step, way = case["first_step"], list[tuple[str, str, str]]()
    while step:
        call = {"case_id": case["case_id"], "step": step}
        tour.call("get_prompt", call)
        outcome = tour.call("submit_artifact", {**call, "artifact": waiting[step].popleft()})
        way.append((step, outcome["heuristic_id"], outcome["decision"]))
        step = outcome.get("next_step")
    tour.table(f"{case['case_id']} {case['test_name']}", ("Step", "Rule", "Decision"), way)


def _section(prompt: str, title: str) -> list[str]:
    """The lines from a title to the next one of its level."""
    _, _, rest = prompt.partition(title)
    body, _, _ = rest.partition("\n## ")
    return [line for line in body.splitlines() if line.strip()]
