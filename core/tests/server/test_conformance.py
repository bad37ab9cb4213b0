"""Every pack on PostgreSQL and Redis: its whole suite on one host, and on three that are killed.

The same is a command: `toolroll conform PACK --server --leg http`, and with `--hosts 3 --unrest`.
"""

from __future__ import annotations

import pytest

from toolroll_conformance.check import Status
from toolroll_conformance.plan import plan
from toolroll_conformance.run import run_checks
from toolroll_conformance.session import ServerOptions, Session
from toolroll_conformance.target import Target, TargetError

PACKS = ["codegraph", "file_assoc", "file_ops", "fileio", "investigation"]
EXAMPLES = 5
"""Generated calls: they try one pack's arguments, whatever it stores on and however many serve."""


@pytest.fixture
def conform(postgres_url, redis_url):
    """Make every check of a pack over HTTP, and return what failed."""

    def run(pack: str, era: str, **options: object) -> list[str]:
        try:
            target = Target.installed(pack)
        except TargetError as error:
            pytest.skip(str(error))
        server = ServerOptions(database_url=postgres_url, redis_url=redis_url, **options)
        with Session.of_pack(target, ["http"], [era], examples=EXAMPLES, server=server) as session:
            checks = [check for check in plan(session) if check.leg]
            report = run_checks(pack, checks, known=target.known_failures, jobs=2)
        counts = report.counts()
        assert counts["passed"] > 9 * counts["skipped"]
        return [f"{r.id}: {r.detail}" for r in report.results if r.status is Status.FAILED]

    return run


@pytest.mark.parametrize("pack", PACKS)
def test_a_pack_keeps_its_contract_on_one_host(pack, conform):
    assert conform(pack, "2025-11-25") == []


@pytest.mark.parametrize("pack", PACKS)
def test_a_pack_keeps_its_contract_on_three_hosts_while_they_are_killed(pack, conform):
    assert conform(pack, "2026-07-28", hosts=3, unrest=True) == []
