"""Every pack on PostgreSQL and Redis: its cases on one host, and what is hard on three of them.

`tox -e server` holds every pack to its whole suite on three hosts.
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
def conform(postgres_url, redis_url):
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
def test_a_pack_keeps_its_contract_on_one_host(pack, conform):
    assert (
        conform(pack, "memory", ["case", "concurrency", "hostile-text", "tenant-isolation"]) == []
    )


@pytest.mark.parametrize("pack", PACKS)
def test_three_hosts_are_as_good_as_one_while_they_are_killed(pack, conform):
    assert conform(pack, "http", HARD, hosts=3, unrest=True) == []
