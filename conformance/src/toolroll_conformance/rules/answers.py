"""Comparing answers of the same calls, before and after something that must not change them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from attrs import frozen

from toolroll_conformance.case import CallStep
from toolroll_conformance.case_runner import CaseRun, tries
from toolroll_conformance.legs.base import Connection
from toolroll_conformance.reply import (
    NoReply,
    ProtocolError,
    Reply,
    ServerGone,
    as_object,
    same_json,
)
from toolroll_conformance.rules.rule import Probe, brief, call
from toolroll_conformance.snapshot import TIMES

__all__ = ["Answers", "reading_steps", "repeatable_steps"]


def reading_steps(run: CaseRun) -> list[CallStep]:
    """Return the successful read-only calls that a case made, each once, as they were sent."""
    contract = run.contract
    found: dict[str, CallStep] = {}
    for step, _ in run.answered:
        if contract.tool(step.call).annotations.read_only and step.as_ == "first":
            found.setdefault(f"{step.call} {brief(step.args)}", step)
    return list(found.values())


def repeatable_steps(run: CaseRun) -> list[CallStep]:
    """Return the successful calls of idempotent writers that a case made, the last one first."""
    hints = {tool.name: tool.annotations for tool in run.contract.tools}
    return [
        step
        for step, _ in reversed(run.answered)
        if hints[step.call].idempotent and not hints[step.call].read_only and step.as_ == "first"
    ]


@frozen
class Answers:
    """The answers of some calls, taken twice: what differs between the two is left out of account.

    A pack may tell the time, or how long something took; nothing is said about such fields.
    """

    steps: Sequence[CallStep]
    payloads: Sequence[Any]

    @classmethod
    def take(
        cls, probe: Probe, run: CaseRun, connection: Connection, tenant: str = "first"
    ) -> Answers:
        """Make each reading call of a case twice.

        Raises:
            RuleBroken: A call is not answered, or the second time with its items in another order,
                in which nobody can page.
        """
        steps = reading_steps(run)
        once = [_payload(_answer(probe, connection, step, tenant), run) for step in steps]
        twice = [_payload(_answer(probe, connection, step, tenant), run) for step in steps]
        for step, one, two in zip(steps, once, twice, strict=True):
            if _reordered(one, two):
                raise probe.broken(
                    f"{step.call} with {brief(step.args)}, called again with nothing in between, "
                    "has the same items in another order: sort them"
                )
        return cls(steps, [_steady(one, two) for one, two in zip(once, twice, strict=True)])

    def steady(self, run: CaseRun, replies: Sequence[Reply]) -> Answers:
        """Leave out of account what a repeated write changes.

        That is where further answers of the same calls differ from these, and every time: it may be
        told in whole seconds, and be the same by chance.
        """
        later = [_payload(reply, run) for reply in replies]
        pairs = zip(self.payloads, later, strict=True)
        return Answers(self.steps, [_timeless(_steady(one, two)) for one, two in pairs])

    def check(self, probe: Probe, run: CaseRun, replies: Sequence[Reply], when: str) -> None:
        """Hold further answers of the same calls, be it on another workspace, to these.

        Raises:
            RuleBroken: One differs.
        """
        for step, before, reply in zip(self.steps, self.payloads, replies, strict=True):
            if not same_json(before, _masked(_payload(reply, run), before)):
                raise probe.broken(
                    f"{step.call} with {brief(step.args)} answers otherwise {when}: "
                    f"{reply.brief()}; before it was {str(before)[:600]}"
                )

    def again(
        self, probe: Probe, run: CaseRun, connection: Connection, tenant: str = "first"
    ) -> list[Reply]:
        """Make the same calls once more.

        One that the case has wait for background work may have to wait for that again: it is made
        until its answer is as before, or the time that the case gives it is over.
        """

        def answer(step: CallStep, before: Any) -> Reply:
            waiting = tries(step.within)
            while True:
                left = next(waiting)
                reply = _answer(probe, connection, step, tenant)
                if not left or same_json(before, _masked(_payload(reply, run), before)):
                    return reply

        return list(map(answer, self.steps, self.payloads))


def _answer(probe: Probe, connection: Connection, step: CallStep, tenant: str) -> Reply:
    try:
        return call(connection, step.call, step.args, tenant)
    except (NoReply, ServerGone, ProtocolError) as error:
        raise probe.broken(f"{step.call} with {brief(step.args)}: {error}") from None


def _payload(reply: Reply, run: CaseRun) -> Any:
    text = json.dumps({"isError": reply.is_error, "payload": reply.payload})
    return json.loads(text.replace(str(run.workspace.path), "(workspace)"))


VOLATILE = "(differs from call to call)"


def _steady(one: Any, two: Any) -> Any:
    """Return what two values share, with a mark in place of every leaf that differs."""
    first, second = as_object(one), as_object(two)
    if first is not None and second is not None and first.keys() == second.keys():
        return {key: _steady(first[key], second[key]) for key in first}
    if pairs := _pairs(one, two):
        return [_steady(a, b) for a, b in pairs]
    return one if same_json(one, two) else VOLATILE


def _reordered(one: Any, two: Any) -> bool:
    """Say whether a list in a value has the same items in another order in the other one.

    Numbers may be times that were measured, and have changed places by chance.
    """
    first, second = as_object(one), as_object(two)
    if first is not None and second is not None:
        return any(_reordered(first[key], second[key]) for key in first.keys() & second.keys())
    pairs = _pairs(one, two)
    ours = [json.dumps(item, sort_keys=True) for item, _ in pairs]
    theirs = [json.dumps(item, sort_keys=True) for _, item in pairs]
    if ours != theirs and sorted(ours) == sorted(theirs):
        return not all(isinstance(item, int | float) for item, _ in pairs)
    return any(_reordered(a, b) for a, b in pairs)


def _timeless(value: Any) -> Any:
    """Return a value with the mark in place of everything that tells a time."""
    if (items := as_object(value)) is not None:
        return {
            key: VOLATILE if key.endswith(TIMES) else _timeless(item) for key, item in items.items()
        }
    if isinstance(value, list):
        return [_timeless(item) for item in cast("list[Any]", value)]
    return value


def _masked(value: Any, pattern: Any) -> Any:
    """Return a value with the mark wherever the pattern has it."""
    if pattern == VOLATILE:
        return VOLATILE
    items, known = as_object(value), as_object(pattern)
    if items is not None and known is not None:
        return {key: _masked(item, known.get(key)) for key, item in items.items()}
    if pairs := _pairs(value, pattern):
        return [_masked(a, b) for a, b in pairs]
    return value


def _pairs(one: Any, two: Any) -> list[tuple[Any, Any]]:
    """Return the items of two equally long lists side by side; nothing for other values."""
    if not (isinstance(one, list) and isinstance(two, list)):
        return []
    ours, theirs = cast("list[Any]", one), cast("list[Any]", two)
    return list(zip(ours, theirs, strict=True)) if len(ours) == len(theirs) else []
