"""The way of one call: in what order it is checked, how it ends, and what is told of it."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest
from pydantic import AfterValidator, BaseModel

import toolroll
from toolroll import ToolContext
from toolroll.answers import Answer
from toolroll.context import LOCAL, Principal
from toolroll.errors import UnknownTool
from toolroll.runtime import Runtime

OpenRuntime = Callable[..., Runtime]
Call = Callable[..., Answer]

SECRET = "hunter2-4711"
WAIT = 120.0
READER = Principal(tenant="r" * 64, name="reader", scopes=frozenset({"read"}))
NOBODY = Principal(tenant="n" * 64, name="nobody", scopes=frozenset())


class Nothing(toolroll.Params):
    pass


ODD = "<surrogate>"
"""What a caller sends to get a lone surrogate back: it may not send one itself."""


class Echo(toolroll.Params):
    text: Annotated[str, AfterValidator(lambda text: text.replace(ODD, "\udce9"))]
    secret: Annotated[str | None, toolroll.Private] = None


class Text(BaseModel):
    text: str
    number: float = 0.0


class Line(BaseModel):
    text: str


class Anything(toolroll.Params):
    name: str


LOOSE: dict[str, Any] = {
    "dict": {"text": "\udcff"},
    "number": {"text": 5},
    "nothing": None,
    "empty": {},
    "list": ["text"],
}


class Lab(toolroll.Pack):
    """Tools that behave well and badly."""

    name = "lab"
    errors: ClassVar = {"validation_error": "wrong arguments", "odd": "an odd thing"}
    codes: ClassVar = {toolroll.InvalidArguments: "validation_error"}

    def __init__(self) -> None:
        self.context: ToolContext | None = None

    @toolroll.tool()
    def echo(self, ctx: ToolContext, args: Echo) -> Text:
        """Echo."""
        self.context = ctx
        return Text(text=args.text)

    @toolroll.tool(writes=True)
    def write_echo(self, ctx: ToolContext, args: Echo) -> Text:
        """Echo, as a writer."""
        return Text(text=args.text)

    @toolroll.tool()
    async def echo_async(self, ctx: ToolContext, args: Echo) -> Text:
        """Echo without a thread."""
        return Text(text=args.text)

    @toolroll.tool()
    def texts(self, ctx: ToolContext, args: Echo) -> list[str]:
        """Echo in a list."""
        return [args.text]

    @toolroll.tool()
    def markdown(self, ctx: ToolContext, args: Echo) -> toolroll.Markdown:
        """Echo as Markdown."""
        return toolroll.Markdown(f"# {args.text}")

    @toolroll.tool(returns=Text)
    def table(self, ctx: ToolContext, args: Echo) -> dict[str, Any]:
        """Echo from a plain dict, NaN and odd keys included."""
        return {"text": args.text, "number": 1.0, f"k{args.text}": 1}

    @toolroll.tool()
    def infinite(self, ctx: ToolContext, args: Nothing) -> Text:
        """Return what JSON doesn't have."""
        return Text(text="", number=math.inf)

    @toolroll.tool(returns=Line)
    def loose(self, ctx: ToolContext, args: Anything) -> Any:
        """Return what is named, which may be no line."""
        return LOOSE[args.name]

    @toolroll.tool()
    def yielded(self, ctx: ToolContext, args: Nothing) -> list[str]:  # type: ignore[misc]
        """Yield what it says that it returns."""
        yield "lost"

    @toolroll.tool(max_output=50)
    def bounded(self, ctx: ToolContext, args: Echo) -> Text:
        """Echo up to its own bound."""
        return Text(text=args.text)

    @toolroll.tool()
    def fail(self, ctx: ToolContext, args: Echo) -> Text:
        """Fail in the way that is named."""
        raise _failure(args.text)

    @toolroll.tool()
    async def fail_async(self, ctx: ToolContext, args: Echo) -> Text:
        """Fail on the loop in the way that is named."""
        raise _failure(args.text)


def _failure(kind: str) -> BaseException:
    match kind:
        case "stop":
            return StopIteration(SECRET)
        case "exit":
            return SystemExit(SECRET)
        case "validation":
            try:
                Text.model_validate({"text": 5, "number": SECRET})
            except ValueError as error:
                return error
        case "timeout":
            return TimeoutError(SECRET)
        case "group":
            return ExceptionGroup(SECRET, [ValueError(SECRET)])
        case "storage":
            return toolroll.StorageError(SECRET)
        case "odd":
            return toolroll.ToolError("odd \ud800", code="odd", details={"at": "caf\udce9"})
        case "missing":
            return toolroll.NotFound("there is no such thing; list them first")
    return RuntimeError(SECRET)


@pytest.fixture
def lab() -> Lab:
    return Lab()


@pytest.fixture
def runtime(open_runtime: OpenRuntime, lab: Lab) -> Runtime:
    return open_runtime(lab)


def audit_lines(runtime: Runtime) -> list[dict[str, Any]]:
    [file] = (runtime.data_dir / "audit").iterdir()
    return [json.loads(line) for line in file.read_text("ascii").splitlines()]


@pytest.mark.parametrize("tool", ["echo", "echo_async", "write_echo"])
def test_text_and_structure_carry_the_same_payload(runtime: Runtime, call: Call, tool: str) -> None:
    answer = call(runtime, tool, {"text": "é — ñ"})
    text = '{"text":"é — ñ","number":0.0}'
    assert answer == Answer(text, text)
    assert answer.structured == {"text": "é — ñ", "number": 0.0}
    assert not answer.is_error


def test_arrays_and_texts_are_wrapped_in_the_structure_only(runtime: Runtime, call: Call) -> None:
    assert call(runtime, "texts", {"text": "a"}) == Answer('["a"]', '{"result":["a"]}')
    assert call(runtime, "markdown", {"text": "a"}) == Answer("# a", '{"result":"# a"}')


def test_an_unknown_tool_is_raised_and_not_answered(runtime: Runtime, call: Call) -> None:
    with pytest.raises(UnknownTool):
        call(runtime, "nope")


def test_wrong_arguments_get_the_packs_code_and_all_problems(runtime: Runtime, call: Call) -> None:
    answer = call(runtime, "echo", {"txt": "x"})
    assert answer.code == "validation_error"
    assert answer.structured == {
        "code": "validation_error",
        "message": "text is required; unknown argument txt; known arguments: secret, text",
        "retryable": False,
        "details": {"parameter": "text"},
    }
    assert json.loads(answer.text) == answer.structured


def test_a_name_that_somebody_made_up_is_repeated_in_short(runtime: Runtime, call: Call) -> None:
    answer = call(runtime, "echo", {"text": "x", "y" * 5_000: 1})
    assert answer.structured["details"] == {"parameter": "y" * 199 + "…"}


def test_a_pack_may_choose_the_error_by_parameter(open_runtime: OpenRuntime, call: Call) -> None:
    class Chooses(Lab):
        name = "chooses"

        def refuse(self, tool: str, problems: Any) -> toolroll.ToolError:
            return toolroll.ToolError(f"{tool}/{problems[0].parameter}", code="odd")

    answer = call(open_runtime(Chooses()), "echo", {"text": 5})
    assert (answer.code, answer.structured["message"]) == ("odd", "echo/text")


def test_the_order_is_validate_authorise_limit_run(open_runtime: OpenRuntime, call: Call) -> None:
    runtime = open_runtime(Lab(), host={"calls_per_minute": 1})
    codes = [
        call(runtime, "write_echo", {}, READER).code,
        call(runtime, "write_echo", {"text": "x"}, READER).code,
        call(runtime, "echo", {"text": "x"}, READER).code,
        call(runtime, "echo", {"text": "x"}, READER).code,
        call(runtime, "echo", {}, READER).code,
        call(runtime, "echo", {"text": "x"}, NOBODY).code,
    ]
    assert codes == [
        "validation_error",  # before the scope, and costs no token
        "permission_denied",  # costs no token either
        "",
        "rate_limited",
        "validation_error",
        "permission_denied",
    ]


def test_a_missing_scope_is_named(runtime: Runtime, call: Call) -> None:
    answer = call(runtime, "write_echo", {"text": "x"}, READER)
    assert "needs a key with the scope 'write'" in answer.structured["message"]
    assert not call(runtime, "echo", {"text": "x"}, READER).is_error


def test_tenants_are_limited_apart(open_runtime: OpenRuntime, call: Call) -> None:
    runtime = open_runtime(Lab(), host={"calls_per_minute": 1})
    assert not call(runtime, "echo", {"text": "x"}, READER).is_error
    assert not call(runtime, "echo", {"text": "x"}, LOCAL).is_error
    limited = call(runtime, "echo", {"text": "x"}, READER)
    assert limited.structured["retryable"]
    assert limited.structured["details"]["retry_after_seconds"] > 0


@pytest.mark.parametrize("tool", ["fail", "fail_async"])
@pytest.mark.parametrize(
    "kind", ["stop", "exit", "validation", "timeout", "group", "storage", "other"]
)
def test_what_goes_wrong_inside_is_masked_and_logged_by_call(
    runtime: Runtime, call: Call, caplog: pytest.LogCaptureFixture, tool: str, kind: str
) -> None:
    answer = call(runtime, tool, {"text": kind})
    assert answer.code == "internal_error"
    assert SECRET not in answer.text
    assert "Traceback" not in answer.text
    [line] = audit_lines(runtime)
    assert line["code"] == "internal_error"
    assert line["call_id"] in answer.structured["message"]
    assert line["call_id"] in caplog.text
    assert not call(runtime, "echo", {"text": "still here"}).is_error


def test_a_tool_error_reaches_the_caller_as_it_is(runtime: Runtime, call: Call) -> None:
    assert call(runtime, "fail", {"text": "missing"}).structured == {
        "code": "not_found",
        "message": "there is no such thing; list them first",
        "retryable": False,
    }


def test_lone_surrogates_become_visible_everywhere(runtime: Runtime, call: Call) -> None:
    for tool, expected in (
        ("echo", {"text": "caf\\udce9", "number": 0.0}),
        ("echo_async", {"text": "caf\\udce9", "number": 0.0}),
        ("texts", {"result": ["caf\\udce9"]}),
        ("markdown", {"result": "# caf\\udce9"}),
    ):
        answer = call(runtime, tool, {"text": f"caf{ODD}"})
        assert answer.structured == expected
        answer.text.encode()
        if tool.startswith("echo"):
            assert json.loads(answer.text) == answer.structured
    assert call(runtime, "markdown", {"text": ODD}).text == "# \\udce9"
    table = call(runtime, "table", {"text": ODD})
    json.dumps(table.structured, ensure_ascii=False).encode()
    error = call(runtime, "fail", {"text": "odd"})
    assert error.structured == {
        "code": "odd",
        "message": "odd \\ud800",
        "retryable": False,
        "details": {"at": "caf\\udce9"},
    }
    assert json.loads(error.text) == error.structured


def test_what_json_does_not_have_is_a_defect_and_not_null(runtime: Runtime, call: Call) -> None:
    assert call(runtime, "infinite").code == "internal_error"


@pytest.mark.parametrize("name", ["number", "nothing", "empty", "list"])
def test_a_result_of_another_type_is_a_defect(runtime: Runtime, call: Call, name: str) -> None:
    assert call(runtime, "loose", {"name": name}).code == "internal_error"


def test_a_plain_dictionary_may_be_a_result(runtime: Runtime, call: Call) -> None:
    assert call(runtime, "loose", {"name": "dict"}).structured == {"text": "\\udcff"}


def test_a_generator_is_no_empty_list(runtime: Runtime, call: Call) -> None:
    assert call(runtime, "yielded").code == "internal_error"


def test_output_is_bounded_by_the_host_and_by_the_tool(
    open_runtime: OpenRuntime, call: Call
) -> None:
    runtime = open_runtime(Lab(), host={"max_output_chars": 1000})
    assert not call(runtime, "echo", {"text": "x" * 900}).is_error
    large = call(runtime, "echo", {"text": "x" * 1000})
    assert large.code == "output_too_large"
    assert "ask for less" in large.structured["message"]
    assert call(runtime, "markdown", {"text": "x" * 1000}).code == "output_too_large"
    assert not call(runtime, "bounded", {"text": "x" * 20}).is_error
    assert call(runtime, "bounded", {"text": "x" * 30}).code == "output_too_large"


def test_every_call_is_recorded_and_no_secret_is(runtime: Runtime, call: Call) -> None:
    long = SECRET * 100
    call(runtime, "echo", {"text": "shown", "secret": SECRET})
    call(runtime, "echo", {"text": long})
    call(runtime, "echo", {"text": "x", "secrets": SECRET})
    call(runtime, "echo", {"text": "x", "secret": [SECRET, {"a": SECRET}]})
    call(runtime, "echo", {"text": "x", "s" * 10_000: SECRET, "n": 4711})
    call(runtime, "write_echo", {"text": "x"}, READER)
    call(runtime, "fail", {"text": "other"})
    lines = audit_lines(runtime)
    assert len(lines) == 7
    assert SECRET not in json.dumps(lines)
    assert [line["outcome"] for line in lines] == ["ok", "ok", *["error"] * 5]
    assert lines[0]["pack"] == "lab"
    assert lines[0]["tool"] == "echo"
    assert lines[0]["tenant"] == LOCAL.tenant[:12]
    assert lines[0]["arguments"]["text"] == "shown"
    assert lines[0]["arguments"]["secret"]["length"] == len(SECRET)
    assert lines[5]["code"] == "permission_denied"
    assert all(line["duration_ms"] >= 0 for line in lines)


def test_the_audit_log_can_be_off(open_runtime: OpenRuntime, call: Call, tmp_path: Path) -> None:
    runtime = open_runtime(Lab(), audit={"enabled": False})
    assert not call(runtime, "echo", {"text": "x"}).is_error
    assert not (tmp_path / "data" / "audit").exists()


def test_arguments_nested_beyond_measure_are_refused_like_others(
    runtime: Runtime, call: Call
) -> None:
    deep: Any = "bottom"
    for _ in range(sys.getrecursionlimit() * 2):
        deep = [deep]
    assert call(runtime, "echo", {"text": deep}).code == "validation_error"
    assert call(runtime, "echo", {"text": "x", "deep": deep}).code == "validation_error"


def test_a_call_has_the_resources_of_its_pack(runtime: Runtime, call: Call, lab: Lab) -> None:
    call(runtime, "echo", {"text": "x"})
    ctx = lab.context
    assert ctx is not None
    assert ctx.data_dir == runtime.data_dir / "lab"
    assert ctx.data_dir.is_dir()
    assert ctx.root.path.name == "project"
    assert ctx.principal is LOCAL
    assert ctx.log.name == "toolroll.pack.lab"
    assert isinstance(ctx.settings, toolroll.Settings)
