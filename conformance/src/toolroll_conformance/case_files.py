"""Reading `cases/*.yaml`: YAML without surprises, and errors that name file, line and case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, cast

import yaml
from pydantic import ValidationError

from toolroll_conformance.case import Case

__all__ = ["CaseFileError", "load_cases"]


class CaseFileError(Exception):
    """A case file cannot be read; every problem stands on a line of its own."""


class _Loader(yaml.SafeLoader):
    """YAML with the scalars of JSON: dates and `on`/`yes` stay texts, a repeated key is an error.

    PyYAML's own rules (YAML 1.1) would turn `created: 2024-01-01` into a date that no tool ever
    answers with, and keep only the last of two equal keys.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Build a mapping whose keys are unique texts."""
        seen: set[str] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} is not a text; quote it", key_node.start_mark
                )
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} stands here twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


_PLAIN: Final = {
    "tag:yaml.org,2002:bool": (re.compile(r"^(?:true|false)$"), "tf"),
    "tag:yaml.org,2002:null": (re.compile(r"^(?:null|~|)$"), ["n", "~", ""]),
    "tag:yaml.org,2002:int": (re.compile(r"^-?(?:0|[1-9][0-9]*)$"), "-0123456789"),
    "tag:yaml.org,2002:float": (
        re.compile(r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$"),
        "-0123456789",
    ),
    "tag:yaml.org,2002:merge": (re.compile(r"^(?:<<)$"), "<"),
}
_Loader.yaml_implicit_resolvers = {}
for _tag, (_pattern, _first) in _PLAIN.items():
    _Loader.add_implicit_resolver(_tag, _pattern, list(_first))  # pyright: ignore[reportUnknownMemberType]


def load_cases(directory: Path) -> list[Case]:
    """Read every `*.yaml` of a directory, sorted by file name, cases in the order written.

    Args:
        directory: The `cases` directory; none, or an empty one, has no cases.

    Raises:
        CaseFileError: A file is not YAML or not a list of cases, or an id is used twice.
    """
    cases: list[Case] = []
    problems: list[str] = []
    seen: dict[str, str] = {}
    for file in sorted(directory.glob("*.yaml")) if directory.is_dir() else ():
        try:
            nodes = _items(file)
        except CaseFileError as error:
            problems.append(str(error))
            continue
        for line, raw in nodes:
            where = f"{file.name}:{line}"
            try:
                case = Case.model_validate(raw)
            except ValidationError as error:
                problems += _explain(where, raw, error)
                continue
            if case.id in seen:
                problems.append(f"{where}: case id {case.id!r} is also used at {seen[case.id]}")
            seen.setdefault(case.id, where)
            cases.append(case)
    if problems:
        raise CaseFileError("\n".join(problems))
    return cases


def _items(file: Path) -> list[tuple[int, Any]]:
    """Return the items of a file's list with the line each begins at."""
    try:
        loader = _Loader(file.read_text("utf-8"))
        root = loader.get_single_node()
        if root is None:
            return []
        if not isinstance(root, yaml.SequenceNode):
            raise CaseFileError(f"{file.name}:1: a case file is a list; begin each case with '- '")
        nodes = cast("list[yaml.Node]", root.value)
        return [
            (node.start_mark.line + 1, loader.construct_object(node, deep=True))  # pyright: ignore[reportUnknownMemberType]
            for node in nodes
        ]
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise CaseFileError(f"{file.name}:{line}: {error.problem or error}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise CaseFileError(f"{file.name}: {error}") from None


def _explain(where: str, raw: Any, error: ValidationError) -> Iterable[str]:
    name = cast("Mapping[str, Any]", raw).get("id", "?") if isinstance(raw, dict) else "?"
    for item in error.errors(include_url=False, include_context=False, include_input=False):
        spot = ".".join(str(step) for step in item["loc"]) or "the case"
        yield f"{where}: case {name}: {spot}: {item['msg']}"
