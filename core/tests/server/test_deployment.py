"""The files in `deploy/` name what there is: series, settings, ports."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import tomllib
from pathlib import Path

import httpx
import pytest

from toolroll.settings import CORE_TABLES

DEPLOY = Path(__file__).parents[3] / "deploy"
FROM_PROMETHEUS = {"up", "process_cpu_seconds_total", "process_resident_memory_bytes"}

pytestmark = pytest.mark.skipif(not DEPLOY.is_dir(), reason="not run from the repository")


def series_in(expression: str) -> set[str]:
    """Return the names of series in a PromQL expression."""
    named = re.sub(r'"[^"]*"|\[[^\]]*\]|\b(?:by|without) \([^)]*\)|\{[^}]*\}', "", expression)
    return set(re.findall(r"\b[a-z_]{2,}\b(?!\s*\()", named)) - {"and", "or", "by", "le"}


def expressions() -> dict[str, str]:
    dashboard = json.loads((DEPLOY / "grafana" / "toolroll.json").read_text("utf-8"))
    found = {
        f"panel {panel['title']} {target['refId']}": target["expr"]
        for panel in dashboard["panels"]
        for target in panel.get("targets", ())
    }
    alerts = (DEPLOY / "prometheus" / "alerts.yml").read_text("utf-8")
    for name, expression in re.findall(r"- alert: (\w+)(?:\n\s+#.*)*\n\s+expr: (.+)", alerts):
        found[f"alert {name}"] = expression
    return found


@pytest.fixture
def served(serve, drawer):
    """The names of all series that a host with fileio shows."""
    if importlib.util.find_spec("toolroll_fileio") is None:
        pytest.skip("the fileio pack is not installed")
    importlib.import_module("toolroll_fileio.metrics")
    text = httpx.get(f"{serve(drawer).url}/metrics", timeout=120).text
    names: set[str] = set()
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE):
        names |= {
            name,
            *(f"{name}_{end}" for end in ("bucket", "sum", "count") if kind == "histogram"),
        }
    return names


def test_dashboard_and_alerts_ask_only_for_series_that_are_served(served):
    missing = {
        name: lost
        for name, expression in expressions().items()
        if (lost := series_in(expression) - served - FROM_PROMETHEUS)
    }
    assert missing == {}


def test_dashboard_shows_every_series_of_the_host_and_fileio(served):
    asked = set().union(*(series_in(expression) for expression in expressions().values()))
    shown = {re.sub(r"_(bucket|sum|count)$", "", name) for name in asked}
    own = {
        re.sub(r"_(bucket|sum|count)$", "", name)
        for name in served
        if name.startswith(("toolroll_", "mcp_files_")) and not name.endswith("_created")
    }
    assert own - shown == {"toolroll_info"}


def test_the_alerts_that_the_document_asks_for_are_there():
    names = {name.removeprefix("alert ") for name in expressions()}
    assert {"FileioIndexingLag", "FileioRerankFails", "FileioLockTimeouts"} <= names


def test_the_settings_are_valid_and_no_host_stops_before_it_was_drained():
    tables = tomllib.loads((DEPLOY / "toolroll.toml").read_text("utf-8"))
    for name, table in tables.items():
        CORE_TABLES[name].model_validate(table)
    compose = (DEPLOY / "docker-compose.yml").read_text("utf-8")
    [grace] = re.findall(r"stop_grace_period: (\d+)s", compose)
    assert int(grace) > tables["http"]["drain_delay_seconds"] + tables["http"]["drain_seconds"]


def test_nginx_spreads_over_every_host_and_passes_no_probe_on():
    compose = (DEPLOY / "docker-compose.yml").read_text("utf-8")
    nginx = (DEPLOY / "nginx" / "toolroll.conf").read_text("utf-8")
    hosts = set(re.findall(r"^  (host-\d+):", compose, re.MULTILINE))
    assert set(re.findall(r"server (host-\d+):8000", nginx)) == hosts
    [passed] = re.findall(r"location ~ (\S+)", nginx)
    assert [bool(re.search(passed, path)) for path in ("/mcp", "/console/main.js")] == [True, True]
    assert [bool(re.search(passed, path)) for path in ("/metrics/", "/readyz")] == [False, False]
