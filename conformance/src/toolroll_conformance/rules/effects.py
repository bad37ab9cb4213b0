"""Rules about what calls change: readers and refused calls nothing, repeated ones nothing more.

And no call anything outside of project and data, nor leaves it locked.

A pack is looked at in process, where a call costs least; a stranger's server over stdio, and only
for what its annotations say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from toolroll.errors import ResourceBusy
from toolroll_conformance.legs.base import Connection, Leg
from toolroll_conformance.legs.memory import MemoryConnection
from toolroll_conformance.reply import NoReply, ProtocolError, ServerGone
from toolroll_conformance.rules.background import REST_SECONDS, works_behind
from toolroll_conformance.rules.rule import README, Probe, Rule, brief, call
from toolroll_conformance.seeds import Seed, find_refusals, find_seeds
from toolroll_conformance.session import Session
from toolroll_conformance.snapshot import beside, difference, settled

__all__ = ["RULES"]


def readers(session: Session) -> Sequence[str]:
    """Apply a rule to each read-only tool that a case calls."""
    return _seeded(session, read_only=True)


def writers(session: Session) -> Sequence[str]:
    """Apply a rule to each writing tool that a case calls; `read-only` looks at the others."""
    return _seeded(session, read_only=False)


def idempotent_writers(session: Session) -> Sequence[str]:
    """Apply a rule to each writing tool that is annotated idempotent and that a case calls."""
    contract = session.target.contract
    return [n for n in _seeded(session, read_only=False) if contract.tool(n).annotations.idempotent]


def refusals(session: Session) -> Sequence[str]:
    """Apply a rule to each tool and error code that a case calls for."""
    return list(find_refusals(session.target, _leg(session)))


def _seeded(session: Session, *, read_only: bool) -> list[str]:
    contract = session.target.contract
    seeds = find_seeds(session.target, _leg(session))
    return [name for name in seeds if contract.tool(name).annotations.read_only == read_only]


def _leg(session: Session) -> Leg | None:
    """Return where these rules are applied."""
    names = {"memory"} if session.target.is_pack else STRANGERS
    return next((leg for leg in session.legs if leg.name in names), None)


def read_only(probe: Probe, subject: str) -> None:
    """A read-only call leaves project and data as they were."""
    seed = find_seeds(probe.session.target, probe.leg)[subject]
    # a stranger may make its store when it is first asked for anything
    again = not probe.session.target.is_pack
    if what := _twice(probe, partial(_changed, probe, seed, again=again)):
        raise probe.broken(
            f"{subject} says that it only reads (readOnlyHint); with {brief(seed.step.args)} it "
            f"changed {what}"
        )


def stays_inside(probe: Probe, subject: str) -> None:
    """A writing call leaves alone what is neither the project's nor the data's."""
    seed = find_seeds(probe.session.target, probe.leg)[subject]
    with probe.replayed(seed.case, seed.index) as (run, connection):
        before = beside(run.workspace)
        run.steps((seed.step,), connection)
        if what := difference(before, beside(run.workspace)):
            raise probe.broken(
                f"{subject} with {brief(seed.step.args)} changed {what}; write below ctx.root or "
                "in ctx.data_dir"
            )


def refused(probe: Probe, subject: str) -> None:
    """A call that is refused leaves project and data as they were."""
    seed = find_refusals(probe.session.target, probe.leg)[subject]
    if what := _twice(probe, partial(_changed, probe, seed)):
        name, code = probe.parts(subject)
        raise probe.broken(
            f"{name} with {brief(seed.step.args)} is refused ({code}), and has changed {what}"
        )


def _changed(probe: Probe, seed: Seed, seconds: float, *, again: bool = False) -> str:
    """Make the call of a seed, and return what it changed; or what it changed `again`."""
    with probe.replayed(seed.case, seed.index) as (run, connection):
        if again:
            run.steps((seed.step,), connection)
        rest = _rest(connection, seconds)
        before = settled(run.workspace, rest)
        run.steps((seed.step,), connection)
        return difference(before, settled(run.workspace, rest))


def _rest(connection: Connection, seconds: float) -> Callable[[], None] | None:
    """Return what lets background work come to rest, for so many seconds at a time."""
    if seconds and isinstance(connection, MemoryConnection):
        return partial(connection.rest, seconds)
    return None


def idempotent(probe: Probe, subject: str) -> None:
    """Calling it again with the same arguments changes nothing but when it was called."""
    seed = find_seeds(probe.session.target, probe.leg)[subject]

    def changed(seconds: float) -> str:
        with probe.replayed(seed.case, seed.index + 1) as (run, connection):
            step, _ = run.answered[-1]
            rest = _rest(connection, seconds)
            before = settled(run.workspace, rest, with_times=False)
            try:
                reply = call(connection, step.call, step.args)
            except (NoReply, ServerGone, ProtocolError) as error:
                raise probe.broken(f"{subject} the second time: {error}") from None
            run.inspector.check(subject, reply, step.args)
            after = settled(run.workspace, rest, with_times=False)
            return difference(before, after)

    if what := _twice(probe, changed):
        raise probe.broken(f"{subject} with {brief(seed.step.args)}, called again, changed {what}")


def released(probe: Probe, subject: str) -> None:
    """Called again, a writing tool that has answered is not busy: it gave back what it locked."""
    session = probe.session
    assert session.target.pack is not None
    busy = session.target.pack.code_of(ResourceBusy(""))
    seed = find_seeds(session.target, probe.leg)[subject]
    with probe.replayed(seed.case, seed.index + 1) as (run, connection):
        step, _ = run.answered[-1]
        if rest := _rest(connection, LONG_REST_SECONDS if works_behind(session) else 0.0):
            rest()
        reply = probe.answer(run, connection, subject, step.args)
        if reply.error_code == busy:
            raise probe.broken(
                f"{subject} with {brief(step.args)}, called again, is busy with nothing else under "
                f"way: {reply.brief()}; hold locks in a with statement"
            )


def _twice(probe: Probe, changed: Callable[[float], str]) -> str:
    """Return what changed if it did so twice, on a fresh workspace each time.

    Background work of the steps before may end at the wrong moment on a busy machine, so the second
    time it gets longer.

    Args:
        probe: Of the rule.
        changed: Takes for how long background work is waited for each time.
    """
    if not works_behind(probe.session):
        return changed(0.0) and changed(0.0)
    return changed(REST_SECONDS) and changed(LONG_REST_SECONDS)


LONG_REST_SECONDS: Final = 10.0
HINTS: Final = "MCP, schema reference, ToolAnnotations"
STRANGERS: Final = frozenset({"stdio"})

RULES: Final = (
    Rule(
        "read-only",
        "a read-only tool changes nothing",
        HINTS,
        read_only,
        readers,
        frozenset({"memory"}),
        strangers=STRANGERS,
        every_era=False,
    ),
    Rule(
        "stays-inside",
        "a writing tool changes nothing outside of project and data",
        README,
        stays_inside,
        writers,
        frozenset({"memory"}),
        strangers=STRANGERS,
        every_era=False,
    ),
    Rule(
        "refused-call",
        "a call that is refused changes neither project nor data",
        README,
        refused,
        refusals,
        frozenset({"memory"}),
    ),
    Rule(
        "idempotent",
        "an idempotent tool changes nothing when called again",
        HINTS,
        idempotent,
        idempotent_writers,
        frozenset({"memory"}),
        strangers=STRANGERS,
        every_era=False,
    ),
    Rule(
        "released",
        "a writing tool that has answered keeps nothing locked",
        README,
        released,
        writers,
        frozenset({"memory"}),
    ),
)
