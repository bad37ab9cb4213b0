"""Finding and loading packs: a bad one is quarantined with stage, cause and remedy, alone."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

import toolroll
from toolroll.cli import main
from toolroll.errors import LoadError
from toolroll.frozen import CONTRACT_FILE, package_of, read_frozen
from toolroll.pack import RESERVED
from toolroll.registry import QuarantinedPack, Registry, Source, discover, load_unchecked
from toolroll.settings import CORE_TABLES, PackSelection, ToolSelection

MakeSource = Callable[..., Source]


class Nothing(toolroll.Params):
    pass


class Done(BaseModel):
    done: bool


class Good(toolroll.Pack):
    name = "good"

    @toolroll.tool()
    def good_read(self, ctx: toolroll.ToolContext, args: Nothing) -> Done:
        """Read."""
        return Done(done=True)

    @toolroll.tool(writes=True)
    def good_write(self, ctx: toolroll.ToolContext, args: Nothing) -> Done:
        """Write."""
        return Done(done=True)


class Other(toolroll.Pack):
    name = "other"

    @toolroll.tool()
    def other_read(self, ctx: toolroll.ToolContext, args: Nothing) -> Done:
        """Read."""
        return Done(done=True)


class Bad(toolroll.Pack):
    """A pack that the tests break in one way each."""

    name = "bad"

    @toolroll.tool()
    def bad_read(self, ctx: toolroll.ToolContext, args: Nothing) -> Done:
        """Read."""
        return Done(done=True)


@pytest.fixture
def quarantined(make_source: MakeSource) -> Callable[..., QuarantinedPack]:
    """Load one bad source between two good ones, and return what became of it."""

    def load(source: Source | toolroll.Pack) -> QuarantinedPack:
        bad = make_source(source) if isinstance(source, toolroll.Pack) else source
        registry = Registry.load([make_source(Other()), bad, make_source(Good())])
        assert sorted(registry.packs) == ["good", "other"]
        assert sorted(registry.tools) == ["good_read", "good_write", "other_read"]
        [found] = registry.quarantined
        assert found.source == bad
        assert found.remedy
        return found

    return load


def source(load: Callable[[], Any]) -> Source:
    return Source("bad", "toolroll-bad", "1.0", load)


def module(**members: Any) -> types.ModuleType:
    made = types.ModuleType("bad")
    for name, member in members.items():
        setattr(made, name, member)
    return made


def test_good_packs_are_loaded_in_order_of_their_names(make_source: MakeSource) -> None:
    registry = Registry.load([make_source(Other()), make_source(Good())])
    assert list(registry.packs) == ["good", "other"]
    assert list(registry.tools) == ["good_read", "good_write", "other_read"]
    assert registry.quarantined == []
    assert registry.packs["good"].source.distribution == "toolroll-good"
    assert [tool.name for tool in registry.packs["good"].contract.tools] == [
        "good_read",
        "good_write",
    ]


def test_raising_at_import_is_the_stage_import(quarantined: Callable[..., Any]) -> None:
    def load() -> None:
        raise ImportError("No module named 'whoosh'")

    found = quarantined(source(load))
    assert (found.stage, found.cause) == ("import", "ImportError: No module named 'whoosh'")
    assert "toolroll-bad" in found.remedy


def test_exiting_at_import_is_the_stage_import(quarantined: Callable[..., Any]) -> None:
    found = quarantined(source(lambda: sys.exit(3)))
    assert (found.stage, found.cause) == ("import", "SystemExit: 3")


def test_a_hook_with_other_parameters_is_the_stage_register(
    quarantined: Callable[..., Any],
) -> None:
    @toolroll.hookimpl
    def toolroll_pack(host: object) -> toolroll.Pack:
        return Bad()

    found = quarantined(source(lambda: module(toolroll_pack=toolroll_pack)))
    assert found.stage == "register"
    assert "host" in found.cause


def test_a_misspelt_hook_is_the_stage_register(quarantined: Callable[..., Any]) -> None:
    @toolroll.hookimpl
    def toolroll_packs() -> toolroll.Pack:
        return Bad()

    found = quarantined(source(lambda: module(toolroll_packs=toolroll_packs)))
    assert found.stage == "register"
    assert "toolroll_packs" in found.cause
    assert "toolroll_backends, toolroll_pack" in found.remedy


def test_a_hook_that_raises_or_exits_is_the_stage_register(
    quarantined: Callable[..., Any],
) -> None:
    for error in (RuntimeError("no"), SystemExit(2)):

        @toolroll.hookimpl
        def toolroll_pack(error: BaseException = error) -> toolroll.Pack:
            raise error

        found = quarantined(source(lambda hook=toolroll_pack: module(toolroll_pack=hook)))
        assert found.stage == "register"


@pytest.mark.parametrize("returned", [None, "a pack", Bad])
def test_a_hook_that_returns_no_pack_is_the_stage_register(
    quarantined: Callable[..., Any], returned: object
) -> None:
    @toolroll.hookimpl
    def toolroll_pack() -> Any:
        return returned

    found = quarantined(source(lambda: module(toolroll_pack=toolroll_pack)))
    assert found.stage == "register"
    assert "not a toolroll.Pack" in found.cause


def test_a_plugin_without_a_hook_is_the_stage_register(quarantined: Callable[..., Any]) -> None:
    assert quarantined(source(lambda: module())).stage == "register"


class NoParams(Bad):
    @toolroll.tool()
    def bad_read(self, ctx: toolroll.ToolContext, args: dict[str, Any]) -> Done:  # type: ignore[override]
        """Read."""
        return Done(done=True)


class NoReturn(Bad):
    @toolroll.tool()
    def bad_read(self, ctx: toolroll.ToolContext, args: Nothing):  # type: ignore[no-untyped-def]
        """Read."""


class NoDocstring(Bad):
    @toolroll.tool()
    def bad_silent(self, ctx: toolroll.ToolContext, args: Nothing) -> Done:
        return Done(done=True)


class NoContext(Bad):
    @toolroll.tool()
    def bad_read(self, args: Nothing) -> Done:  # type: ignore[override]
        """Read."""
        return Done(done=True)


class UnknownType(Bad):
    @toolroll.tool()
    def bad_read(self, ctx: toolroll.ToolContext, args: Nothing) -> Missing:  # type: ignore[name-defined]  # noqa: F821
        """Read."""


class NoSchema(Bad):
    @toolroll.tool()
    def bad_read(self, ctx: toolroll.ToolContext, args: Nothing) -> Callable[[], int]:  # type: ignore[override]
        """Read."""
        raise NotImplementedError


class LongName(Bad):
    @toolroll.tool()
    def _(self, ctx: toolroll.ToolContext, args: Nothing) -> Done:
        """Read."""
        return Done(done=True)


class Twice(Bad):
    @toolroll.tool()
    def bad_write(self, ctx: toolroll.ToolContext, args: Nothing) -> Done:
        """Write."""
        return Done(done=True)

    @toolroll.tool(writes=True)
    def bad_write(self, ctx: toolroll.ToolContext, args: Nothing) -> Done:  # type: ignore[no-redef]  # noqa: F811
        """Write."""
        return Done(done=True)


setattr(LongName, "x" * 65, LongName._)


class NoTool(toolroll.Pack):
    name = "bad"


class OldApi(Bad):
    api_version = toolroll.API_VERSION - 2


class NewApi(Bad):
    api_version = toolroll.API_VERSION + 1


class NoErrors(Bad):
    errors: ClassVar[Mapping[str, str]] = None  # type: ignore[assignment]


class NoCapabilities(Bad):
    capabilities = None  # type: ignore[assignment]


class Exits(Bad):
    def all_errors(self) -> dict[str, str]:
        sys.exit(1)


@pytest.mark.parametrize(
    ("pack", "cause"),
    [
        (NoParams, "must take (self, ctx, args)"),
        (NoContext, "must take (self, ctx, args)"),
        (NoReturn, "no return annotation"),
        (NoDocstring, "no docstring"),
        (UnknownType, "name 'Missing' is not defined"),
        (NoSchema, "PydanticInvalidForJsonSchema"),
        (Twice, "tool 'bad_write' of pack 'bad' is defined twice in its class"),
        (LongName, "[A-Za-z0-9_-]{1,64}"),
        (NoTool, "it has no tool"),
        (OldApi, f"it needs API version {toolroll.API_VERSION - 2}"),
        (NewApi, f"it needs API version {toolroll.API_VERSION + 1}"),
        (NoErrors, "errors"),
        (NoCapabilities, "capabilities"),
        (Exits, "SystemExit"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_pack_that_promises_nothing_sound_is_the_stage_contract(
    quarantined: Callable[..., Any], pack: type[toolroll.Pack], cause: str
) -> None:
    found = quarantined(pack())
    assert found.stage == "contract"
    assert cause in found.cause


def test_the_api_version_before_is_still_served(make_source: MakeSource) -> None:
    class Before(Bad):
        api_version = toolroll.API_VERSION - 1

    assert "bad" in Registry.load([make_source(Before())]).packs


def test_a_pack_is_named_as_its_entry_point(make_source: MakeSource) -> None:
    made = make_source(Good())
    named = Source("goods", made.distribution, made.version, made.load)
    [found] = Registry.load([named]).quarantined
    assert found.stage == "contract"
    assert "the entry point is named 'goods', its pack 'good'" in found.cause


@pytest.mark.parametrize("name", ["Bad", "bad-pack", "1bad", "", "x" * 41, "tools"])
def test_a_pack_name_must_do_as_a_table_and_a_command(make_source: MakeSource, name: str) -> None:
    class Named(Bad):
        pass

    Named.name = name
    [found] = Registry.load([make_source(Named())]).quarantined
    assert found.stage == "contract"
    assert "pack name" in found.cause


def test_names_of_tables_and_commands_of_core_are_reserved() -> None:
    commands = {*main._COMMANDS, *main._ELSEWHERE, *CORE_TABLES, "conformance"}
    assert {name for name in commands if "-" not in name} == RESERVED


class Unbuildable(Bad):
    @toolroll.tool()
    def bad_list(self, ctx: toolroll.ToolContext, args: Nothing) -> Callable[[int], int]:
        """List."""
        return abs


class Static(Bad):
    @staticmethod
    @toolroll.tool()
    def bad_static(ctx: toolroll.ToolContext, args: Nothing) -> Done:
        """Read."""
        return Done(done=True)


@pytest.mark.parametrize(
    ("pack", "cause"),
    [
        (Unbuildable, "tool 'bad_list' of pack 'bad': "),
        (Static, "tool 'bad_static' of pack 'bad' "),
    ],
)
def test_what_keeps_a_tool_from_being_one_is_told_with_its_name_on_one_line(
    quarantined: Callable[..., Any], make_source: MakeSource, pack: type[Bad], cause: str
) -> None:
    found = quarantined(make_source(pack()))
    assert found.stage == "contract"
    assert found.cause.startswith(cause)
    assert "\n" not in found.cause


def test_a_code_that_no_error_of_the_pack_has_is_named(
    quarantined: Callable[..., Any], make_source: MakeSource
) -> None:
    class Silent(Bad):
        codes: ClassVar[Mapping[Any, str]] = {toolroll.AlreadyExists: "taken"}

    found = quarantined(make_source(Silent()))
    assert (found.stage, found.cause) == (
        "contract",
        "its codes give AlreadyExists the code 'taken', which its errors do not have",
    )


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("settings", dict),
        ("envelope", "coded"),
        ("errors", None),
        ("codes", ()),
        ("migrations", None),
        ("capabilities", "database"),
        ("credential_headers", "X-Key"),
    ],
)
def test_an_attribute_that_the_host_cannot_use_is_named(
    quarantined: Callable[..., Any], make_source: MakeSource, attribute: str, value: object
) -> None:
    found = quarantined(make_source(type("Odd", (Bad,), {attribute: value})()))
    assert found.cause == f"its {attribute} cannot be {value!r}"


def test_a_pack_that_is_loaded_again_has_its_schemas(
    make_source: MakeSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Greeter(toolroll.Pack):
        name = "greeter"

        @toolroll.tool()
        def greet(self, ctx: toolroll.ToolContext, args: Nothing) -> str:
            """Say hello."""
            return "hello"

    first = Registry.load([make_source(Greeter())]).tools["greet"]
    monkeypatch.setattr("toolroll.tools.output_schema", lambda returns: pytest.fail("once more"))
    again = Registry.load([make_source(Greeter())]).tools["greet"]
    assert again.contract == first.contract
    assert again.pack is not first.pack


def test_a_property_that_is_no_tool_is_left_alone(make_source: MakeSource) -> None:
    class Lazy(Good):
        @property
        def store(self) -> object:
            raise RuntimeError("opened at load")

    assert "good" in Registry.load([make_source(Lazy())]).packs


def test_what_a_pack_prints_while_it_is_loaded_is_kept_from_standard_output(
    capsys: pytest.CaptureFixture[str], make_source: MakeSource
) -> None:
    loaded = make_source(Good())

    def load() -> Any:
        print("hello")
        return loaded.load()

    assert "good" in Registry.load([Source("good", "toolroll-good", "1.0", load)]).packs
    assert capsys.readouterr() == ("", "hello\n")


def test_a_duplicate_tool_is_refused_naming_both_distributions(make_source: MakeSource) -> None:
    class Twin(Good):
        name = "twin"

    registry = Registry.load([make_source(Twin()), make_source(Good())])
    assert list(registry.packs) == ["good"]
    [found] = registry.quarantined
    assert found.stage == "contract"
    assert "'good_read' of toolroll-twin is already served by toolroll-good" in found.cause
    assert '[packs] block = ["twin"]' in found.remedy
    only = Registry.load(
        [make_source(Twin()), make_source(Good())], packs=PackSelection(block=("good",))
    )
    assert list(only.packs) == ["twin"]


def test_two_distributions_with_one_pack_name_are_told_apart(make_source: MakeSource) -> None:
    sources = [make_source(Good(), distribution=name) for name in ("b-dist", "a-dist", "c-dist")]
    registry = Registry.load(sources)
    assert registry.packs["good"].source.distribution == "a-dist"
    assert [found.source.distribution for found in registry.quarantined] == ["b-dist", "c-dist"]
    assert all("a-dist already brings" in found.cause for found in registry.quarantined)


def test_what_the_settings_leave_out_is_neither_loaded_nor_imported(
    make_source: MakeSource,
) -> None:
    def explode() -> None:
        raise AssertionError("imported")

    sources = [make_source(Good()), make_source(Other()), source(explode)]
    for packs, expected in (
        (PackSelection(allow=("good",)), ["good"]),
        (PackSelection(allow=("good", "other"), block=("good",)), ["other"]),
        (PackSelection(allow=()), []),
        (PackSelection(block=("bad",)), ["good", "other"]),
    ):
        registry = Registry.load(sources, packs=packs)
        assert list(registry.packs) == expected
        assert registry.quarantined == []
        assert registry.installed == ("bad", "good", "other")


@pytest.mark.parametrize(
    ("selection", "read_only", "served"),
    [
        (ToolSelection(), False, ["good_read", "good_write", "other_read"]),
        (ToolSelection(), True, ["good_read", "other_read"]),
        (ToolSelection(enable=("good_*",)), False, ["good_read", "good_write"]),
        (ToolSelection(disable=("*_write",)), False, ["good_read", "other_read"]),
        (ToolSelection(enable=("good_*",), disable=("good_r*",)), False, ["good_write"]),
        (ToolSelection(enable=()), False, []),
        (ToolSelection(enable=("GOOD_*",)), False, []),
    ],
)
def test_tools_are_switched_by_globs(
    make_source: MakeSource, selection: ToolSelection, read_only: bool, served: list[str]
) -> None:
    sources = [make_source(Good()), make_source(Other())]
    registry = Registry.load(sources, tools=selection, read_only=read_only)
    assert list(registry.tools) == served
    assert list(registry.packs) == ["good", "other"]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a pack that lives in a package of its own, where a contract can be frozen."""
    directory = tmp_path / "toolroll_frozen"
    directory.mkdir()
    (directory / "__init__.py").write_text(
        "import toolroll\n"
        "class Nothing(toolroll.Params):\n    limit: int = 5\n"
        "class Frozen(toolroll.Pack):\n"
        "    name = 'frozen'\n"
        "    @toolroll.tool()\n"
        "    def frozen_read(self, ctx: toolroll.ToolContext, args: Nothing) -> list[int]:\n"
        "        'Read.'\n"
        "        return []\n"
        "@toolroll.hookimpl\n"
        "def toolroll_pack():\n    return Frozen()\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield directory
    sys.modules.pop("toolroll_frozen", None)


def frozen_source() -> Source:
    def load() -> types.ModuleType:
        import importlib

        return importlib.import_module("toolroll_frozen")

    return Source("frozen", "toolroll-frozen", "1.0", load)


def freeze(package: Path, **changes: Any) -> None:
    text = load_unchecked(frozen_source()).contract().dumps()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (package / CONTRACT_FILE).write_text(text, "utf-8")


def test_a_kept_contract_is_no_obstacle(package: Path) -> None:
    assert "frozen" in Registry.load([frozen_source()]).packs
    freeze(package)
    registry = Registry.load([frozen_source()])
    pack = registry.packs["frozen"]
    assert read_frozen(pack.pack) == pack.contract


def test_a_broken_contract_is_the_stage_contract(package: Path) -> None:
    freeze(package, frozen_read="frozen_list")
    [found] = Registry.load([frozen_source()]).quarantined
    assert found.stage == "contract"
    assert "breaks its frozen contract in 1 place, first frozen_list: tool removed" in found.cause
    assert "toolroll packs diff frozen" in found.remedy


def test_a_compatible_change_is_served(package: Path) -> None:
    freeze(package, **{"Read.": "Reads."})
    assert "frozen" in Registry.load([frozen_source()]).packs


@pytest.mark.parametrize("text", ["{", "{}", '{"format": 99}', "[]"])
def test_a_contract_file_that_cannot_be_read_is_the_stage_contract(
    package: Path, text: str
) -> None:
    (package / CONTRACT_FILE).write_text(text, "utf-8")
    [found] = Registry.load([frozen_source()]).quarantined
    assert found.stage == "contract"
    assert "packs freeze frozen" in found.remedy


def test_a_lone_module_has_no_frozen_contract() -> None:
    made = types.ModuleType("lone_module")
    pack = type("Lone", (Good,), {"__module__": made.__name__})()
    assert package_of(pack) is None
    assert read_frozen(pack) is None


def test_load_unchecked_still_tells_what_it_cannot_import() -> None:
    def load() -> None:
        raise ValueError("broken")

    with pytest.raises(LoadError, match="ValueError: broken"):
        load_unchecked(source(load))


def test_installed_packs_are_found_by_metadata_alone(
    install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = install("explodes", "raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(str(site))
    [found] = [item for item in discover() if item.name == "explodes"]
    assert (found.distribution, found.version) == ("toolroll-explodes", "1.0")
    assert "toolroll_explodes" not in sys.modules
    with pytest.raises(RuntimeError, match="imported"):
        found.load()
