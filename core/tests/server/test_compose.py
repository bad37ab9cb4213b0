"""`deploy/docker-compose.yml` is what the Compose specification allows, and names what there is."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

DEPLOY = Path(__file__).parents[3] / "deploy"

pytestmark = pytest.mark.skipif(not DEPLOY.is_dir(), reason="not run from the repository")

DURATION = r"^(\d+(us|ms|s|m|h))+$"
NAME = r"^[a-zA-Z0-9._-]+$"
WORDS = {"type": "array", "items": {"type": "string"}}
TEXT = {"type": "string", "minLength": 1}
LONG_DEPENDENCY = {
    "type": "object",
    "additionalProperties": False,
    "required": ["condition"],
    "properties": {
        "condition": {
            "enum": ["service_started", "service_healthy", "service_completed_successfully"]
        },
        "restart": {"type": "boolean"},
        "required": {"type": "boolean"},
    },
}
SERVICE = {
    "type": "object",
    "additionalProperties": False,
    "anyOf": [{"required": ["image"]}, {"required": ["build"]}],
    "properties": {
        "image": TEXT,
        "build": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"context": TEXT, "dockerfile": TEXT, "target": TEXT},
        },
        "command": {"oneOf": [TEXT, WORDS]},
        "depends_on": {
            "oneOf": [
                {**WORDS, "uniqueItems": True},
                {"type": "object", "patternProperties": {NAME: LONG_DEPENDENCY}},
            ]
        },
        "environment": {
            "type": "object",
            "patternProperties": {".+": {"type": ["string", "number", "boolean", "null"]}},
        },
        "healthcheck": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "test": {
                    "type": "array",
                    "minItems": 2,
                    "prefixItems": [{"enum": ["CMD", "CMD-SHELL"]}],
                    "items": {"type": "string"},
                },
                "interval": {"type": "string", "pattern": DURATION},
                "timeout": {"type": "string", "pattern": DURATION},
                "start_period": {"type": "string", "pattern": DURATION},
                "start_interval": {"type": "string", "pattern": DURATION},
                "retries": {"type": "integer", "minimum": 1},
            },
        },
        "ports": {
            "type": "array",
            "uniqueItems": True,
            "items": {
                "type": "string",
                "pattern": r"^(\d{1,3}(\.\d{1,3}){3}:)?\d{1,5}:\d{1,5}(/(tcp|udp))?$",
            },
        },
        "restart": {
            "type": "string",
            "pattern": "^(no|always|unless-stopped|on-failure(:[0-9]+)?)$",
        },
        "stop_grace_period": {"type": "string", "pattern": DURATION},
        "volumes": {
            "type": "array",
            "uniqueItems": True,
            "items": {"type": "string", "pattern": r"^[^:]+:/[^:]*(:(ro|rw|z|Z)(,(ro|rw|z|Z))*)?$"},
        },
    },
}
COMPOSE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["services"],
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]*$"},
        "services": {
            "type": "object",
            "additionalProperties": False,
            "patternProperties": {NAME: SERVICE},
        },
        "volumes": {
            "type": "object",
            "additionalProperties": False,
            "patternProperties": {NAME: {"type": ["object", "null"]}},
        },
    },
    "patternProperties": {"^x-": {}},
}
"""What the specification says of the elements that the file uses; any other is refused here."""


class StrictLoader(yaml.SafeLoader):
    """YAML in which a key that stands twice is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        if twice := {str(key) for key in keys if keys.count(key) > 1}:
            raise yaml.constructor.ConstructorError(None, None, f"twice: {twice}", node.start_mark)
        return super().construct_mapping(node, deep)


def read(path: Path) -> Any:
    return yaml.load(path.read_text("utf-8"), StrictLoader)


def problems(compose: Any) -> list[str]:
    """Return what the specification forbids, and what refers to nothing."""
    found = [
        f"{error.json_path}: {error.message}"
        for error in Draft202012Validator(COMPOSE).iter_errors(compose)
    ]
    if found:
        return found
    services, volumes = compose["services"], compose.get("volumes") or {}
    published: list[str] = []
    for name, service in services.items():
        needed = service.get("depends_on", [])
        for other in needed:
            if other not in services:
                found.append(f"{name} depends on {other}, which is no service")
            elif (
                isinstance(needed, dict)
                and needed[other]["condition"] == "service_healthy"
                and "healthcheck" not in services[other]
            ):
                found.append(f"{name} waits for the health of {other}, which is never checked")
        for mount in service.get("volumes", []):
            source = mount.split(":")[0]
            if source.startswith((".", "/")):
                if not (DEPLOY / source).exists():
                    found.append(f"{name} mounts {source}, which does not exist")
            elif source not in volumes:
                found.append(f"{name} mounts the volume {source}, which is not declared")
        if build := service.get("build"):
            context = DEPLOY / build.get("context", ".")
            if not (context / build.get("dockerfile", "Dockerfile")).is_file():
                found.append(f"{name} is built from a Dockerfile that does not exist")
        published += [port.rsplit(":", 1)[0] for port in service.get("ports", [])]
    mounted = {m.split(":")[0] for s in services.values() for m in s.get("volumes", [])}
    found += [f"nothing mounts the volume {name}" for name in volumes if name not in mounted]
    found += [f"{port} is published twice" for port in published if published.count(port) > 1]
    return found


def test_the_file_is_valid_and_refers_to_what_there_is():
    assert problems(read(DEPLOY / "docker-compose.yml")) == []


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda c: c["services"]["redis"].update(comand=[]), "comand"),
        (lambda c: c["services"]["redis"].update(restart="sometimes"), "sometimes"),
        (lambda c: c["services"]["redis"]["healthcheck"].update(interval=2), "interval"),
        (lambda c: c["services"]["redis"].pop("healthcheck"), "never checked"),
        (lambda c: c["services"].pop("host-2"), "no service"),
        (lambda c: c["services"]["nginx"]["volumes"].append("./none:/none"), "does not exist"),
        (lambda c: c["services"]["nginx"]["volumes"].append("none:/none"), "not declared"),
        (lambda c: c["services"]["nginx"].update(ports=[8080]), "8080"),
        (lambda c: c["services"]["nginx"].pop("image"), "nginx"),
        (lambda c: c["volumes"].update(spare=None), "nothing mounts"),
        (lambda c: c.update(service={}), "service"),
    ],
)
def test_what_is_wrong_is_found(harm, told):
    compose = read(DEPLOY / "docker-compose.yml")
    harm(compose)
    found = problems(compose)
    assert found
    assert told in found[0]


def test_a_key_that_stands_twice_is_found(tmp_path):
    (tmp_path / "twice.yml").write_text("a: 1\na: 2\n", "utf-8")
    with pytest.raises(yaml.constructor.ConstructorError, match="twice"):
        read(tmp_path / "twice.yml")


def test_every_image_has_a_version_and_no_port_is_open_to_the_world():
    services = read(DEPLOY / "docker-compose.yml")["services"]
    foreign = [s["image"] for s in services.values() if "build" not in s]
    assert [image for image in foreign if not re.search(r":[\w.-]*\d", image)] == []
    ports = [port for service in services.values() for port in service.get("ports", [])]
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


def test_prometheus_asks_every_host_and_grafana_finds_it():
    services = read(DEPLOY / "docker-compose.yml")["services"]
    prometheus = read(DEPLOY / "prometheus" / "prometheus.yml")
    [job] = prometheus["scrape_configs"]
    targets = {
        target.split(":")[0] for group in job["static_configs"] for target in group["targets"]
    }
    assert targets == {name for name in services if name.startswith("host-")}
    assert all((DEPLOY / "prometheus" / name).is_file() for name in prometheus["rule_files"])
    folder = DEPLOY / "grafana" / "provisioning"
    [source] = read(folder / "datasources" / "prometheus.yml")["datasources"]
    assert re.match(r"http://(\w+):9090$", source["url"])[1] in services
    [provider] = read(folder / "dashboards" / "toolroll.yml")["providers"]
    mounts = [mount.split(":")[1] for mount in services["grafana"]["volumes"]]
    assert any(mount.startswith(provider["options"]["path"]) for mount in mounts)


@pytest.mark.skipif(shutil.which("docker") is None, reason="docker is not installed")
def test_docker_compose_reads_it():
    asked = ["docker", "compose", "-f", str(DEPLOY / "docker-compose.yml"), "config", "--quiet"]
    if subprocess.run([*asked[:2], "version"], capture_output=True, check=False).returncode:
        pytest.skip("docker has no compose")
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
