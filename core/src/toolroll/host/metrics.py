"""The host's own Prometheus series, shown at `/metrics` beside those of the packs.

A pack adds series by making them at module level with prometheus_client: they land in its default
registry, which `exposition` shows as well (seed 002 18.1). The host's own live in a registry of
their own, one for each runtime, so that two hosts in one process don't share counters.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from toolroll.errors import MissingDependency

if TYPE_CHECKING:
    from toolroll.audit import CallRecord
    from toolroll.runtime import Runtime

__all__ = ["HostMetrics"]

_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class HostMetrics:
    """Counts the calls of one runtime.

    It is fed with the same records as the audit log, and shows none of their arguments or tenants.

    Raises:
        MissingDependency: prometheus_client is not installed.
    """

    def __init__(self, runtime: Runtime) -> None:
        try:
            from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
        except ModuleNotFoundError:
            raise MissingDependency(
                "/metrics needs prometheus-client: pip install 'toolroll[server]'"
            ) from None
        self._registry = CollectorRegistry()
        self._calls = Counter(
            "toolroll_calls",
            "Calls that have ended, by outcome (ok, error, cancelled) and error code",
            ["pack", "tool", "outcome", "code"],
            registry=self._registry,
        )
        self._duration = Histogram(
            "toolroll_call_duration_seconds",
            "From the arrival of a call to its answer, in seconds, the wait for a thread included",
            ["pack", "tool"],
            buckets=_SECONDS,
            registry=self._registry,
        )
        caller = runtime.caller
        running = Gauge("toolroll_calls_in_flight", "Calls that run", registry=self._registry)
        running.set_function(lambda: caller.load.running)
        waiting = Gauge(
            "toolroll_calls_waiting", "Calls that wait for a thread", registry=self._registry
        )
        waiting.set_function(lambda: caller.load.waiting)
        packs = Gauge(
            "toolroll_packs", "Installed packs by state", ["state"], registry=self._registry
        )
        packs.labels("loaded").set(len(runtime.registry.packs))
        packs.labels("quarantined").set(len(runtime.registry.quarantined))
        failing = Gauge(
            "toolroll_workers_failing",
            "Background loops of packs whose last step failed, or that could not be started",
            registry=self._registry,
        )
        failing.set_function(lambda: len(runtime.failing_workers()))
        info = Gauge("toolroll_info", "1, with the version", ["version"], registry=self._registry)
        info.labels(version("toolroll")).set(1)

    def write(self, record: CallRecord) -> None:
        """Count one call."""
        self._calls.labels(record.pack, record.tool, record.outcome, record.code).inc()
        self._duration.labels(record.pack, record.tool).observe(record.duration_ms / 1000)

    def exposition(self) -> tuple[bytes, str]:
        """Return every series in Prometheus' text format, and its media type."""
        from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, generate_latest

        return generate_latest(self._registry) + generate_latest(REGISTRY), CONTENT_TYPE_LATEST
