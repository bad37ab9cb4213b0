"""Calls for rules that need one: taken from the pack's cases, never invented.

A seed is a step of a case that succeeds, or is refused, with the steps that lead to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import frozen

from toolroll_conformance.case import CallStep, Case, CommandStep, RestartStep, Step
from toolroll_conformance.case_runner import missing_capabilities
from toolroll_conformance.legs.base import Leg
from toolroll_conformance.target import Target

__all__ = ["Seed", "find_refusals", "find_seeds", "richest_case", "usable"]


@frozen
class Seed:
    """One call of a case.

    Attributes:
        case: The case that makes it.
        index: Which of the case's steps it is; those before it come first.
        step: The call, captured values not yet filled in.
    """

    case: Case
    index: int
    step: CallStep


def find_seeds(target: Target, leg: Leg | None = None) -> Mapping[str, Seed]:
    """Return the best seed of each tool that has one: the fewest commands and steps before it.

    Args:
        target: Its cases are searched.
        leg: Only seeds that this leg can replay.
    """
    return _shortest(target, leg, lambda step: step.call if step.must_succeed else None)


def find_refusals(target: Target, leg: Leg | None = None) -> Mapping[str, Seed]:
    """Return calls that a case expects to be refused, by `tool.code`, the shortest way to each.

    Args:
        target: Its cases are searched.
        leg: Only calls that this leg can make.
    """

    def name(step: CallStep) -> str | None:
        refused = step.expected_error
        return f"{step.call}.{refused.code}" if refused and refused.code is not None else None

    return _shortest(target, leg, name)


def _shortest(
    target: Target, leg: Leg | None, name: Callable[[CallStep], str | None]
) -> Mapping[str, Seed]:
    """Return the first caller's calls that have a name, the shortest way to each name, by name."""
    known = {tool.name for tool in target.contract.tools}
    best: dict[str, tuple[tuple[int, int], Seed]] = {}
    for case in target.cases:
        for index, step in enumerate(case.steps):
            if not _replayable(step):
                break
            if not isinstance(step, CallStep) or step.as_ != "first" or step.call not in known:
                continue
            if (named := name(step)) is None:
                continue
            if leg is not None and not usable(case, index + 1, target, leg):
                break
            cost = _cost(case, index)
            if named not in best or cost < best[named][0]:
                best[named] = (cost, Seed(case, index, step))
    return {named: seed for named, (_, seed) in sorted(best.items())}


def richest_case(target: Target, leg: Leg) -> tuple[Case, int] | None:
    """Return the case that calls the most tools with success, with how many steps to replay.

    Calls that change something count most: a rule wants data to be there.
    """
    writers = {tool.name for tool in target.contract.tools if not tool.annotations.read_only}
    best: tuple[tuple[int, int, int], Case, int] | None = None
    for case in target.cases:
        steps = _prefix(case.steps)
        if not steps or not usable(case, steps, target, leg):
            continue
        called = {
            step.call
            for step in case.steps[:steps]
            if isinstance(step, CallStep) and step.must_succeed
        }
        worth = (len(called & writers), len(called), -steps)
        if called and (best is None or worth > best[0]):
            best = (worth, case, steps)
    return best[1:] if best else None


def usable(case: Case, steps: int, target: Target, leg: Leg) -> bool:
    """Say whether a leg can replay the first steps of a case."""
    part = case.model_copy(update={"steps": case.steps[:steps]})
    return not missing_capabilities(part, target.contract, leg)


def _prefix(steps: Sequence[Step]) -> int:
    for index, step in enumerate(steps):
        if not _replayable(step):
            return index
    return len(steps)


def _replayable(step: Step) -> bool:
    """Say whether a step does the same whenever it is done: a restart is a test of its own."""
    return not isinstance(step, RestartStep)


def _cost(case: Case, index: int) -> tuple[int, int]:
    commands = len(case.given.commands)
    commands += sum(isinstance(step, CommandStep) for step in case.steps[:index])
    return (commands, index)
