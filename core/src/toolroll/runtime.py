"""One host's packs with their resources: what the MCP server, the commands and the suite share."""

from __future__ import annotations

import contextlib
import functools
import logging
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolroll.audit import AuditLog, FileAuditLog
from toolroll.backends import Backend, chosen
from toolroll.call import Caller
from toolroll.context import PackContext
from toolroll.data_dir import GONE, default_data_dir, make_data_dir, refuse_link
from toolroll.errors import InternalError, SettingsError
from toolroll.jobs import Supervisor
from toolroll.locks import FileLocks, LockManager
from toolroll.paths import AllowedRoots
from toolroll.registry import LoadedPack, Registry, Source, discover
from toolroll.settings import (
    AuditSettings,
    BackendSelection,
    Configuration,
    HostSettings,
    PackSelection,
    StorageSettings,
    ToolSelection,
    load,
)
from toolroll.storage.database import Database, Dialect
from toolroll.storage.redis import SharedRedis
from toolroll.storage.secrets import MemorySecrets
from toolroll.storage.sqlite import SqliteDialect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolroll.calls.table import CallTable

__all__ = ["Runtime"]

_OWN_CHECKS: Final = ("calls", "redis")
"""What `Runtime.check` calls what belongs to no pack."""


class Runtime:
    """The packs of one host, their settings, databases, locks and workers.

    Args:
        registry: The loaded packs.
        configuration: `toolroll.toml` with the command line's changes applied.
        roots: Directories that calls may name; the first is the project root.
        data_dir: Where packs store their data; made on first use.

    Raises:
        SettingsError: A table of `toolroll.toml` is unknown or wrong, or chooses what is not there.
    """

    def __init__(
        self,
        registry: Registry,
        configuration: Configuration,
        roots: Sequence[Path | str],
        data_dir: Path | None = None,
    ) -> None:
        self.registry = registry
        self.configuration = configuration
        self.roots = AllowedRoots.of(roots)
        self.settings = configuration.table("host", HostSettings)
        self.data_dir = (data_dir or default_data_dir(self.roots.first.path)).absolute()
        self._storage = configuration.table("storage", StorageSettings)
        configuration.refuse_unknown(registry.installed)
        configuration.refuse_uninstalled(registry.installed)
        self._has_data_dir = False
        self._file_locks = FileLocks(self.data_dir / "locks", self.make_data_dir)
        self.redis = SharedRedis(self._storage.redis_url) if self._storage.redis_url else None
        self.backends = self._chosen_backends()
        self._own_locks = self._chosen_locks()
        self._secrets = self.redis.secrets() if self.redis else MemorySecrets()
        self._contexts: dict[str, PackContext] = {}
        self._supervisors: dict[str, Supervisor] = {}
        self._away: set[str] = set()
        """What did not answer the last check."""
        self._idle: dict[str, str] = {}
        self._making = threading.RLock()
        self._tables = {
            name: configuration.table(name, item.pack.settings)
            for name, item in registry.packs.items()
        }
        self.audit = self._audit_log()
        rates = self.redis.rates(self.settings.calls_per_minute) if self.redis else None
        self.caller = Caller(registry.tools, self.context, self.settings, self.audit, rates)
        self.calls = self._call_table()
        if self.calls is not None:
            self.caller.observe(self.calls)

    @classmethod
    def open(
        cls,
        *,
        roots: Sequence[Path | str] = (),
        config: Path | None = None,
        data_dir: Path | None = None,
        overrides: Mapping[str, Mapping[str, object]] | None = None,
        sources: Callable[[], Iterable[Source]] = discover,
        at: Path | None = None,
        only: str = "",
    ) -> Runtime:
        """Read the settings, load the packs and return the host's runtime.

        Args:
            roots: Directories given on the command line; they replace those of the settings.
            config: The settings file; by default `toolroll.toml` in the first root.
            data_dir: Replaces the settings' one.
            overrides: Single keys that the command line sets, by table.
            sources: Where packs come from; by default the installed entry points.
            at: Stands for the current directory.
            only: Loads this pack alone, and those that may bring what `[backends]` chooses.

        Raises:
            SettingsError: A setting is wrong, or a root is no directory.
        """
        first = Path(roots[0]) if roots else at or Path.cwd()
        configuration = load(config, root=first).override(overrides or {})
        host = configuration.table("host", HostSettings)
        base = configuration.path.parent if configuration.path else first
        served = [Path(root) for root in roots] or [base / root for root in host.roots] or [first]
        for root in served:
            if not root.is_dir():
                raise SettingsError(f"root is not a directory: {root}")
        if data_dir is None and host.data_dir:
            data_dir = base / host.data_dir
        if only:
            configuration = configuration.override({"packs": _selecting(only, configuration)})
        registry = Registry.load(
            sources(),
            packs=configuration.table("packs", PackSelection),
            tools=configuration.table("tools", ToolSelection),
            read_only=host.read_only,
        )
        return cls(registry, configuration, served, data_dir)

    def context(self, name: str) -> PackContext:
        """Return the resources of one pack, made at first use.

        Raises:
            KeyError: No loaded pack has this name.
        """
        found = self._contexts.get(name)
        if found is not None:
            return found
        with self._making:
            if name not in self._contexts:
                self._contexts[name] = self._make_context(self.registry.packs[name])
            return self._contexts[name]

    def warm(self) -> None:
        """Open every database, so that the first call doesn't pay for imports and migrations."""
        for name, item in self.registry.packs.items():
            if item.pack.migrations:
                with _logged(name, "its database could not be opened"):
                    self.context(name).database.open()
        if self.calls is not None:
            with _logged("toolroll", "the call table could not be opened"):
                self.calls.database.open()

    def start_workers(self) -> None:
        """Start the background loops of every pack."""
        for name, item in self.registry.packs.items():
            with _logged(name, "its workers could not be started", self._idle):
                workers = item.pack.workers()
                if workers and name not in self._supervisors:
                    supervisor = Supervisor(workers, self.context(name))
                    self._supervisors[name] = supervisor
                    supervisor.start()

    def failing_workers(self) -> dict[str, str]:
        """Return what is wrong with background loops now, by `pack/worker` or `pack`."""
        failing = {
            f"{name}/{worker}": what
            for name, supervisor in self._supervisors.items()
            for worker, what in list(supervisor.failing.items())
        }
        return self._idle | failing

    def rest(self, timeout: float) -> bool:
        """Let background loops do what there is to do now; whether all did it in `timeout` each."""
        return all([supervisor.rest(timeout) for supervisor in self._supervisors.values()])

    def close(self) -> None:
        """Drain the workers and close databases and logs."""
        self.caller.close()
        for supervisor in self._supervisors.values():
            supervisor.stop()
        self._supervisors.clear()
        for context in self._contexts.values():
            context.database.close()
        if isinstance(self.audit, FileAuditLog):
            self.audit.close()
        if self.calls is not None:
            self.calls.close()
        if self.redis is not None:
            self.redis.close()

    def check(self) -> dict[str, str]:
        """Ask every database and Redis for an answer: `ok` or `unavailable` by name.

        A pack is named by its own name; one that is called as something of ours, `pack redis`.
        """
        pings: dict[str, Callable[[], None]] = {}
        for name, item in self.registry.packs.items():
            if item.pack.migrations:
                shown = f"pack {name}" if name in _OWN_CHECKS else name
                pings[shown] = self.context(name).database.ping
        if self.calls is not None:
            pings["calls"] = self.calls.database.ping
        if self.redis is not None:
            pings["redis"] = self.redis.ping
        return {name: self._state(name, ping) for name, ping in pings.items()}

    def _state(self, name: str, ping: Callable[[], None]) -> str:
        """Ask for an answer; what is away is told once, however often it is asked."""
        try:
            ping()
        except Exception as error:  # whatever a driver raises, a load balancer gets one answer
            if name not in self._away:
                self._away.add(name)
                cause = f"{error}".partition("\n")[0] or type(error).__name__
                logging.getLogger("toolroll.runtime").warning(
                    "%s does not answer the readiness check: %s", name, cause
                )
            return "unavailable"
        self._away.discard(name)
        return "ok"

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def make_data_dir(self) -> Path:
        """Make the data directory with a `.gitignore` that ignores all of it, and return it.

        Only the first call does: who removes it while a host runs means to.

        Raises:
            SettingsError: It can't be made or written to, or it is a link of the served repository.
        """
        if not self._has_data_dir:
            if self.data_dir == default_data_dir(self.roots.first.path):
                refuse_link(self.data_dir)
            make_data_dir(self.data_dir)
            self._has_data_dir = True
        return self.data_dir

    def _make_pack_dir(self, name: str) -> Path:
        directory = self.make_data_dir() / name
        try:
            directory.mkdir(mode=0o700, exist_ok=True)
        except FileNotFoundError:
            raise InternalError(GONE) from None
        return directory

    def _audit_log(self) -> AuditLog | None:
        settings = self.configuration.table("audit", AuditSettings)
        if not settings.enabled:
            return None
        self.make_data_dir()
        return FileAuditLog(self.data_dir / "audit", retention_days=settings.retention_days)

    def _call_table(self) -> CallTable | None:
        settings = self.configuration.table("audit", AuditSettings)
        if not settings.table:
            return None
        from toolroll.calls.table import MIGRATIONS, CallTable

        self.make_data_dir()
        database = self._database("toolroll", MIGRATIONS)
        return CallTable(database, retention_days=settings.retention_days)

    def _chosen_backends(self) -> dict[str, Backend]:
        if not self.registry.packs:
            return {}  # there is nobody to use any
        return chosen(
            self.registry.backends, self.configuration.table("backends", BackendSelection)
        )

    def _chosen_locks(self) -> LockManager | None:
        make = self.backends.get("locks")
        if make is None:
            return None
        try:
            return make()
        except Exception as error:  # the boundary to another distribution
            raise SettingsError(
                f"[backends.locks] cannot be used: {type(error).__name__}: {error}"
            ) from error

    def _make_context(self, item: LoadedPack) -> PackContext:
        name = item.pack.name
        database = self._database(name, item.pack.migrations)
        return PackContext(
            settings=self._tables[name],
            database=database,
            locks=self._locks(database),
            roots=self.roots,
            make_data_dir=functools.cache(partial(self._make_pack_dir, name)),
            secrets=self._secrets,
            shared=self.redis.of_pack(name, item.source.version) if self.redis else None,
            backends=self.backends,
            log=logging.getLogger(f"toolroll.pack.{name}"),
            wake=partial(self._wake, name),
        )

    def _database(self, name: str, migrations: str) -> Database:
        busy_timeout = self._storage.busy_timeout_ms / 1000
        dialect: Dialect
        if self._storage.url:
            from toolroll.storage.postgres import PostgresDialect

            dialect = PostgresDialect(self._storage.url, name, pool_size=self._storage.pool_size)
        else:
            dialect = SqliteDialect(
                self.data_dir / f"{name}.db",
                self._file_locks,
                make_parent=self.make_data_dir,
                pool_size=self._storage.pool_size,
                busy_timeout=busy_timeout,
            )
        return Database(dialect, migrations=migrations, busy_timeout=busy_timeout)

    def _locks(self, database: Database) -> LockManager:
        """Return locks that hold as far as the data is shared: here, or on the server."""
        if self._own_locks is not None:
            return self._own_locks
        if not self._storage.url:
            return self._file_locks
        from toolroll.storage.postgres import PostgresLocks

        return PostgresLocks(lambda: database.engine, database.errors)

    def _wake(self, name: str) -> None:
        if supervisor := self._supervisors.get(name):
            supervisor.wake()


def _selecting(name: str, configuration: Configuration) -> dict[str, object]:
    """Return what `[packs]` has to say so that a pack is loaded, and little else."""
    allowed = configuration.table("packs", PackSelection).allow
    if not configuration.tables.get("backends"):
        return {"allow": (name,)}
    return {} if allowed is None else {"allow": (*allowed, name)}


@contextlib.contextmanager
def _logged(name: str, what: str, told: dict[str, str] | None = None) -> Generator[None]:
    """Log what goes wrong in one pack, so that the others go on; its calls will say it again.

    Args:
        name: The pack's.
        what: What could not be done.
        told: Takes it with its cause, by the pack's name.
    """
    try:
        yield
    except (Exception, SystemExit) as error:  # the boundary to a pack that may be broken
        if told is not None:
            told[name] = f"{what}: {type(error).__name__}: {error}"
        logging.getLogger(f"toolroll.pack.{name}").exception("pack %s: %s", name, what)
