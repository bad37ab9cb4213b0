"""The pytest plugin: one test for each check of a module's `pack`, and servers for tests.

It does nothing, and imports nothing of the suite, unless a module asks for `conformance_check` or
one of the servers.
"""

from __future__ import annotations

import inspect
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pytest

if TYPE_CHECKING:
    from toolroll_conformance.servers import OwnPostgres
    from toolroll_conformance.session import Session

__all__ = ["postgres_url", "pytest_addoption", "pytest_generate_tests", "redis_url"]

T = TypeVar("T")


@pytest.fixture(scope="session")
def own_postgres() -> Generator[OwnPostgres]:
    """Start a PostgreSQL server for the run; skips where there is none to be had."""
    from toolroll_conformance.servers import own_postgres as start

    with _or_skip(start()) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_url(own_postgres: OwnPostgres) -> str:
    """The URL of a PostgreSQL server of our own, with one database for the run."""
    return own_postgres.url


@pytest.fixture
def postgres_database(own_postgres: OwnPostgres) -> Generator[str]:
    """The URL of an empty PostgreSQL database."""
    with own_postgres.database() as url:
        yield url


@pytest.fixture(scope="session")
def redis_url() -> Generator[str]:
    """The URL of a Redis server of our own; skips where there is none to be had."""
    from toolroll_conformance.servers import own_redis as start

    with _or_skip(start()) as url:
        yield url


@contextmanager
def _or_skip(server: AbstractContextManager[T]) -> Generator[T]:
    """Skip the test if a server's wheel is not installed."""
    from contextlib import ExitStack

    from toolroll_conformance.servers import ServerMissing

    with ExitStack() as stack:
        try:
            started = stack.enter_context(server)
        except ServerMissing as error:
            pytest.skip(f"capability: {error}")
        yield started


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that choose ways in, protocol revisions and how much is generated."""
    group = parser.getgroup("toolroll", "Toolroll conformance")
    group.addoption(
        "--conform-leg",
        action="append",
        default=[],
        choices=("memory", "stdio", "http"),
        help="way in; by default each, repeatable",
    )
    group.addoption(
        "--conform-era",
        action="append",
        default=[],
        choices=("2025-11-25", "2026-07-28"),
        help="protocol revision; by default each, repeatable",
    )
    group.addoption(
        "--conform-examples",
        type=_positive,
        default=None,
        help="generated calls for each tool and rule in process; a fifth of it on the wire",
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test for each check of the module's pack."""
    if "conformance_check" not in metafunc.fixturenames:
        return
    from toolroll_conformance.plan import plan

    session = _session(metafunc)
    known = session.target.known_failures
    checks = plan(session)
    metafunc.parametrize(
        ("conformance_check", "conformance_known"),
        [(check, known.reason(check.id)) for check in checks],
        ids=[check.id for check in checks],
    )


def _session(metafunc: pytest.Metafunc) -> Session:
    from toolroll_conformance.case_files import CaseFileError
    from toolroll_conformance.known_failures import KnownFailuresError
    from toolroll_conformance.legs.dialect import ERAS
    from toolroll_conformance.session import EXAMPLES, LEGS, Session
    from toolroll_conformance.target import Target, TargetError

    config = metafunc.config
    module = cast("Any", metafunc.module)  # pyright: ignore[reportUnknownMemberType]
    try:
        pack = _pack_of(module)
        target = Target.installed(pack) if isinstance(pack, str) else Target.of(pack)
    except (TargetError, CaseFileError, KnownFailuresError) as error:
        raise pytest.Collector.CollectError(str(error)) from None
    session = Session.of_pack(
        target,
        config.getoption("--conform-leg") or LEGS,
        config.getoption("--conform-era") or ERAS,
        examples=config.getoption("--conform-examples") or EXAMPLES,
    )
    config.add_cleanup(session.close)
    return session


def _pack_of(module: Any) -> Any:
    """Return what the module's `pack` fixture returns; it is needed before any test runs."""
    found: Any = getattr(module, "pack", None)
    if callable(found):
        found = inspect.unwrap(found)
        if inspect.signature(found).parameters or inspect.isgeneratorfunction(found):
            raise pytest.Collector.CollectError(
                f"{module.__name__}: the fixture 'pack' must take no arguments and return the "
                "pack or its name: the checks are made from it before any test runs"
            )
        found = found()
    if found is None:
        raise pytest.Collector.CollectError(
            f"{module.__name__}: define a fixture 'pack' in this module that returns the name of "
            "an installed pack, or a Pack object"
        )
    return found
