"""What other distributions bring in place of core's engines: chosen in `toolroll.toml`."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

import toolroll
from toolroll.answers import Answer
from toolroll.registry import Registry, Source, load_unchecked
from toolroll.runtime import Runtime

MakeSource = Callable[..., Source]
Open = Callable[..., Runtime]
Call = Callable[..., Answer]


class Nothing(toolroll.Params):
    pass


class Told(BaseModel):
    text: str


class Asks(toolroll.Pack):
    """A pack that uses what is chosen."""

    name = "asks"
    errors: ClassVar = {}

    @toolroll.tool()
    def ask(self, ctx: toolroll.ToolContext, args: Nothing) -> Told:
        """Ask the embedder, under the lock."""
        with ctx.locks.project("one"):
            return Told(text=ctx.backends["embedder"]())


class Doors:
    """Locks that write down who holds them."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.held: list[str] = settings["held"]

    @contextmanager
    def project(self, key: str, timeout: float = 5.0) -> Iterator[None]:
        self.held.append(key)
        yield


def embedder(settings: Mapping[str, Any]) -> str:
    return f"embeds by {settings['model']}"


BROUGHT: dict[str, dict[str, Any]] = {"embedder": {"acme": embedder}, "locks": {"doors": Doors}}


def brings(backends: Any, name: str = "acme") -> Source:
    """Return a distribution that brings backends and no pack."""
    module = types.ModuleType(f"plugin_{name}")

    @toolroll.hookimpl
    def toolroll_backends() -> Any:
        return backends

    module.toolroll_backends = toolroll_backends  # type: ignore[attr-defined]
    return Source(name, f"toolroll-{name}", "1.0", lambda: module)


@pytest.fixture
def open_with(tmp_path: Path, make_source: MakeSource) -> Iterator[Open]:
    opened: list[Runtime] = []

    def open_one(**tables: Any) -> Runtime:
        sources = [make_source(Asks()), brings(BROUGHT)]
        runtime = Runtime.open(roots=[tmp_path], sources=lambda: sources, overrides=tables)
        opened.append(runtime)
        return runtime

    yield open_one
    for runtime in opened:
        runtime.close()


def test_a_pack_gets_what_is_chosen_with_its_settings(open_with: Open, call: Call) -> None:
    held: list[str] = []
    runtime = open_with(
        backends={
            "embedder": {"name": "acme", "model": "large"},
            "locks": {"name": "doors", "held": held},
        }
    )
    assert call(runtime, "ask").structured == {"text": "embeds by large"}
    assert runtime.backends.keys() == {"embedder", "locks"}


def test_what_is_not_chosen_is_not_used(open_with: Open) -> None:
    runtime = open_with()
    assert runtime.context("asks").backends == {}
    assert list(runtime.registry.brought) == ["acme"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"embedder": {"name": "acmee"}}, r"\[backends.embedder\] is 'acmee'.*did you mean 'acme'"),
        ({"lexical": {"name": "acme"}}, r"'acme', which no loaded distribution brings$"),
        ({"embeder": {"name": "acme"}}, r"'embeder' is unknown.*did you mean 'embedder'"),
        ({"embedder": {"model": "large"}}, r"'name' in \[backends.embedder\]"),
        ({"embedder": "acme"}, r"'embedder' in \[backends\].* must be a table"),
        ({"locks": {"name": "doors"}}, r"\[backends.locks\] cannot be used: KeyError: 'held'"),
    ],
)
def test_a_choice_that_cannot_be_is_no_start(
    open_with: Open, table: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(toolroll.SettingsError, match=message):
        open_with(backends=table)


def test_a_host_without_packs_has_nothing_to_choose_for(open_with: Open) -> None:
    runtime = open_with(packs={"allow": ()}, backends={"embedder": {"name": "gone"}})
    assert runtime.backends == {}


@pytest.mark.parametrize(
    ("backends", "cause"),
    [
        (["acme"], "toolroll_backends returned list, not a mapping"),
        (
            {"embeder": {}},
            "toolroll_backends returned the kind 'embeder'; did you mean 'embedder'?",
        ),
        ({"embedder": ["acme"]}, "toolroll_backends returned for 'embedder' no mapping by name"),
        ({"embedder": {"acme": "acme"}}, "'acme' of kind 'embedder' is no name with a factory"),
    ],
)
def test_what_is_no_factory_is_the_stage_register(backends: Any, cause: str) -> None:
    [found] = Registry.load([brings(backends)]).quarantined
    assert (found.stage, found.cause) == ("register", cause)


def test_a_name_that_two_bring_is_refused_naming_both() -> None:
    sources = [brings(BROUGHT), brings({"embedder": {"acme": embedder}}, "other")]
    registry = Registry.load(sources)
    assert list(registry.brought) == ["acme"]
    [found] = registry.quarantined
    assert found.cause == "embedder 'acme' of toolroll-other is already brought by toolroll-acme"


def test_backends_alone_are_no_pack() -> None:
    with pytest.raises(toolroll.ToolrollError, match="it brings backends, and no pack"):
        load_unchecked(brings(BROUGHT))


def test_a_command_of_one_pack_has_the_chosen_backends(
    tmp_path: Path, make_source: MakeSource
) -> None:
    class Other(Asks):
        name = "other"

    sources = [make_source(Asks()), make_source(Other()), brings(BROUGHT)]

    def opened(**tables: Any) -> Runtime:
        return Runtime.open(
            roots=[tmp_path],
            sources=lambda: sources,
            overrides={"audit": {"enabled": False}, **tables},
            only="asks",
        )

    choice = {"embedder": {"name": "acme"}}
    with opened() as runtime:
        assert list(runtime.registry.packs) == ["asks"]
    with opened(backends=choice, packs={"allow": ("acme",)}) as runtime:
        assert list(runtime.registry.packs) == ["asks"]
        assert runtime.context("asks").backends.keys() == {"embedder"}
