"""Every pack on PostgreSQL and Redis: its cases on one host, and what is hard on three of them.

The whole suite is a command: `toolroll conform PACK --server`, and with `--hosts 3 --unrest`.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from toolroll_conformance.check import Status
from toolroll_conformance.plan import plan
from toolroll_conformance.run import run_checks
from toolroll_conformance.session import ServerOptions, Session
from toolroll_conformance.target import Target, TargetError

PACKS = ["codegraph", "file_assoc", "file_ops", "fileio", "investigation"]
HARD = ("concurrency", "cancel", "kill-restart", "tenant-isolation")


@pytest.fixture
def conform(request, postgres_url, redis_url):
    """Make the checks of some rules on one leg, and return what failed."""

    def run(pack: str, leg: str, rules: Sequence[str], **options: object) -> list[str]:
        try:
            target = Target.installed(pack)
        except TargetError as error:
            pytest.skip(str(error))
        server = ServerOptions(database_url=postgres_url, redis_url=redis_url, **options)
        with Session.of_pack(target, [leg], ["2026-07-28"], server=server) as session:
            checks = [check for check in plan(session) if check.leg and check.rule in rules]
            report = run_checks(pack, checks, known=target.known_failures, jobs=2)
        assert report.counts()["passed"] > 0
        return [f"{r.id}: {r.detail}" for r in report.results if r.status is Status.FAILED]

    return run


@pytest.mark.parametrize("pack", PACKS)
def test_a_pack_does_the_same_on_postgresql(pack, conform):
    assert (
        conform(pack, "memory", ["case", "concurrency", "hostile-text", "tenant-isolation"]) == []
    )


@pytest.mark.parametrize("pack", PACKS)
def test_three_hosts_are_as_good_as_one_while_they_are_killed(pack, conform):
    rules = set(HARD)
    if pack == "file_ops":
        # its answers say what the host that answers has in its cache
        rules -= {"concurrency", "kill-restart"}
    assert conform(pack, "http", rules, hosts=3, unrest=True) == []
