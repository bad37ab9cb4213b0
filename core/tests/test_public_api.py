"""`toolroll` exports what a pack author needs; nothing else is public."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import toolroll

PUBLIC = [
    "API_VERSION",
    "LOCAL",
    "AllowedRoots",
    "AlreadyExists",
    "DeadlineExceeded",
    "Envelope",
    "Holding",
    "InternalError",
    "InvalidArguments",
    "InvalidPath",
    "Markdown",
    "MissingDependency",
    "NotFound",
    "NothingToShow",
    "OutputTooLarge",
    "Pack",
    "PackContext",
    "Params",
    "PermissionDenied",
    "Principal",
    "Private",
    "Problem",
    "ProjectPath",
    "ProjectRoot",
    "RateLimited",
    "RateLimiter",
    "ResourceBusy",
    "Settings",
    "SettingsError",
    "StorageError",
    "ToolContext",
    "ToolError",
    "ToolrollError",
    "Tour",
    "Worker",
    "hookimpl",
    "json_option",
    "print_json",
    "print_table",
    "tool",
]
SOURCES = Path(toolroll.__file__).parent


def test_the_public_names_are_these_and_change_only_on_purpose() -> None:
    assert toolroll.__all__ == PUBLIC


def test_the_list_is_sorted_and_every_name_is_there() -> None:
    constants_first = sorted(toolroll.__all__, key=lambda name: (not name.isupper(), name))
    assert constants_first == toolroll.__all__
    assert [name for name in toolroll.__all__ if not hasattr(toolroll, name)] == []


def test_a_type_checker_sees_each_name_where_it_is_imported_from() -> None:
    tree = ast.parse((SOURCES / "__init__.py").read_text("utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: getattr(importlib.import_module(node.module), alias.name)
        for node in checked.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }
    assert seen == {name: getattr(toolroll, name) for name in toolroll.__all__}


def test_a_worker_process_imports_no_more_than_it_asks_for() -> None:
    heavy = "{'pydantic', 'click', 'sqlalchemy'} & sys.modules.keys()"
    source = f"import sys, toolroll.processes\nsys.exit(sorted({heavy}) != [])"
    assert subprocess.run([sys.executable, "-c", source], check=False).returncode == 0


def test_an_unknown_name_is_no_attribute() -> None:
    assert not hasattr(toolroll, "no_such_name")


def test_every_public_class_and_function_says_what_it_is() -> None:
    silent = [
        name
        for name in toolroll.__all__
        if callable(item := getattr(toolroll, name)) and not getattr(item, "__doc__", None)
    ]
    assert silent == []


def test_every_module_has_what_it_says_it_exports() -> None:
    for found in pkgutil.iter_modules([str(SOURCES)]):
        if found.ispkg or found.name == "__main__":
            continue
        module = importlib.import_module(f"toolroll.{found.name}")
        assert [name for name in module.__all__ if not hasattr(module, name)] == [], found.name


def test_every_error_a_pack_can_raise_is_public() -> None:
    kinds = {kind.__name__ for kind in toolroll.ToolError.__subclasses__()}
    assert kinds - set(toolroll.__all__) == set()


def test_every_hook_is_documented() -> None:
    from toolroll import hookspecs

    hooks = [item for name, item in vars(hookspecs).items() if name.startswith("toolroll_")]
    assert len(hooks) == 2
    assert all(hook.__doc__ for hook in hooks)
