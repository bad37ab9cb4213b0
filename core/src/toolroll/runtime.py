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
from toolroll.availability import Availability
from toolroll.backends import Backend, chosen
from toolroll.call import Caller
from toolroll.configuration import Configuration, load
from toolroll.context import PackContext
from toolroll.data_dir import DataDirectory
from toolroll.errors import SettingsError, ToolrollError
from toolroll.jobs import Supervisor
from toolroll.paths import AllowedRoots
from toolroll.registry import LoadedPack, Registry, Source, discover
from toolroll.settings import (
    AuditSettings,
    BackendSelection,
    HostSettings,
    PackSelection,
    StorageSettings,
    ToolSelection,
)
from toolroll.storage.stores import Stores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolroll.calls.table import CallTable
    from toolroll.storage.database import Database

__all__ = ["Runtime"]

_OWN_CHECKS: Final = ("calls", "data_dir", "redis")
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
        self._directory = DataDirectory(data_dir, self.roots.first.path)
        self.data_dir = self._directory.path
        self.make_data_dir = self._directory.make
        storage = configuration.table("storage", StorageSettings)
        configuration.refuse_unknown(registry.installed)
        configuration.refuse_uninstalled(registry.installed)
        self.backends = self._chosen_backends()
        self._stores = Stores(storage, self._directory, self.backends.get("locks"))
        self.redis = self._stores.redis
        self._contexts: dict[str, PackContext] = {}
        self._supervisors: dict[str, Supervisor] = {}
        self._availability = Availability()
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
        """Ask every database and Redis for an answer, and write: what came of it, by name.

        That is `ok`, `unavailable` or, where this host writes, `unwritable`. A pack is named by its
        own name; one that is called as something of ours, `pack redis`.
        """
        databases: dict[str, Database] = {}
        for name, item in self.registry.packs.items():
            if item.pack.migrations:
                shown = f"pack {name}" if name in _OWN_CHECKS else name
                databases[shown] = self.context(name).database
        if self.calls is not None:
            databases["calls"] = self.calls.database
        pings = {name: database.ping for name, database in databases.items()}
        if self.redis is not None:
            pings["redis"] = self.redis.ping
        writes = {name: database.probe for name, database in databases.items()}
        if self.settings.read_only:
            writes = {name: write for name, write in writes.items() if name == "calls"}
        if self._directory.is_made:
            writes["data_dir"] = self._directory.probe
        return self._availability.of(pings, writes)

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

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
        database = self._stores.database("toolroll", MIGRATIONS)
        return CallTable(database, retention_days=settings.retention_days)

    def _chosen_backends(self) -> dict[str, Backend]:
        if not self.registry.packs:
            return {}  # there is nobody to use any
        return chosen(
            self.registry.backends, self.configuration.table("backends", BackendSelection)
        )

    def _make_context(self, item: LoadedPack) -> PackContext:
        name = item.pack.name
        database = self._stores.database(name, item.pack.migrations)
        return PackContext(
            settings=self._tables[name],
            database=database,
            locks=self._stores.locks(database),
            roots=self.roots,
            make_data_dir=functools.cache(partial(self._directory.make_for, name)),
            secrets=self._stores.secrets,
            shared=self.redis.of_pack(name, item.source.version) if self.redis else None,
            backends=self.backends,
            log=logging.getLogger(f"toolroll.pack.{name}"),
            wake=partial(self._wake, name),
        )

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
        logging.getLogger(f"toolroll.pack.{name}").error(
            "pack %s: %s: %s",
            name,
            what,
            error,
            # what we raise says all on its one line
            exc_info=not isinstance(error, ToolrollError),
        )
