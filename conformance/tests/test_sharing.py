"""Servers that checks leave to the next: used again, but never blamed."""

from __future__ import annotations

import pytest

from toolroll_conformance.case_runner import CaseRun
from toolroll_conformance.check import Status, perform
from toolroll_conformance.rules.rule import Probe, Rule, checks_of
from toolroll_conformance.session import Session
from toolroll_conformance.sharing import MOST_IDLE
from toolroll_conformance.target import Target
from toolroll_zoo.shelf import Shelf


@pytest.mark.parametrize(
    ("breaks", "status", "servers"),
    [
        (set[int](), Status.PASSED, [0, 0, 0]),
        ({1}, Status.PASSED, [0, 0, 1, 1]),
        ({1, 2}, Status.FAILED, [0, 0, 1, 2]),
    ],
    ids=["shared", "worn", "broken"],
)
def test_what_fails_on_a_used_server_is_done_again_on_a_fresh_one(
    breaks: set[int], status: Status, servers: list[int]
) -> None:
    runs: list[CaseRun] = []

    def on_shared(probe: Probe, subject: str) -> None:
        with probe.shared() as (run, _):
            runs.append(run)
            if len(runs) - 1 in breaks:
                raise probe.broken("no")

    rule = Rule("shared", "it is shared", "here", on_shared, lambda session: "abc", LEGS)
    with Session.of_pack(Target.of(Shelf()), ["memory"]) as session:
        results = [perform(check) for check in checks_of(rule, session)]
    assert [item.status for item in results] == [Status.PASSED, status, Status.PASSED]
    first_seen = list(dict.fromkeys(map(id, runs)))
    assert [first_seen.index(id(run)) for run in runs] == servers


LEGS = frozenset({"memory"})


def test_only_so_many_servers_wait() -> None:
    with Session.of_pack(Target.of(Shelf()), ["memory"]) as session:
        probe = Probe("shared", session, session.legs[0])
        [case, *_] = session.target.cases

        def leave(number: int) -> None:
            with probe.shared():
                if number:
                    leave(number - 1)

        leave(MOST_IDLE)
        taken = [session.idle.take((probe.leg, "", 0)) for _ in range(MOST_IDLE + 1)]
        assert taken[-1] is None
        assert session.idle.take((probe.leg, case.id, 0)) is None
        for lease in taken[:-1]:
            assert lease is not None
            lease.stack.close()
