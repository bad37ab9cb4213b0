"""Which files are code, in which language, and which of them are tests."""

from __future__ import annotations

import re
from typing import Final

from toolroll_codegraph.facts import FileFacts

LANGUAGES: Final = ("python", "javascript", "typescript", "ruby")

FAMILIES: Final = {
    "python": "python", "ruby": "ruby", "javascript": "scripts", "typescript": "scripts",
}  # fmt: skip
"""What languages share a program: no value of one family is ever seen by another."""

_EXTENSIONS: Final = {
    ".py": "python", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript",
    ".cjs": "javascript", ".ts": "typescript", ".tsx": "typescript", ".mts": "typescript",
    ".cts": "typescript", ".rb": "ruby", ".rake": "ruby", ".ru": "ruby", ".erb": "ruby",
    ".builder": "ruby", ".jbuilder": "ruby", ".rabl": "ruby",
    ".vue": "javascript", ".svelte": "javascript", ".astro": "typescript",
}  # fmt: skip
_FRAMEWORKS: Final = {".vue": "vue", ".svelte": "svelte", ".astro": "astro"}
_EMBEDDING: Final = _FRAMEWORKS.keys() - {".astro"}
"""Of files in which code of several languages may be: what is in them tells the language."""
_NAMES: Final = {"Rakefile": "ruby"}
_INTERPRETERS: Final = {b"python": "python", b"ruby": "ruby", b"node": "javascript"}
_SHEBANG: Final = re.compile(rb"#!(?:\s*\S*/)?(?:env\s+(?:-S\s+)?)?(python|ruby|node)[0-9.]*(?!\w)")
_UNREAD: Final = frozenset(
    (
        ".c", ".cc", ".clj", ".coffee", ".cpp", ".cs", ".cshtml", ".dart", ".ejs",
        ".ex", ".exs", ".go", ".groovy", ".haml", ".hbs", ".hs", ".ipynb", ".java", ".jinja",
        ".jinja2", ".kt", ".lua", ".mdx", ".php", ".pl", ".pug", ".pyx", ".rs", ".scala", ".slim",
        ".swift",
    )
)  # fmt: skip
_DECLARATIONS: Final = (".d.ts", ".d.mts", ".d.cts")
_TEST_DIRECTORIES: Final = frozenset(("test", "tests", "__tests__", "spec", "specs", "e2e"))
_TEST_NAME: Final = re.compile(
    r"test_.*\.py|.*_test\.py|conftest\.py|.*\.(test|spec)\.([cm]?[jt]sx?|vue|svelte|astro)|.*_(spec|test)\.rb"
)


def language_of(name: str) -> str | None:
    """The language of a file by its name; declarations without bodies (`.d.ts`) are no code."""
    if name.endswith(_DECLARATIONS):
        return None
    dot = name.rfind(".")
    return _EXTENSIONS.get(name[dot:]) if dot >= 0 else _NAMES.get(name)


def framework_of(path: str) -> str:
    """The framework whose component a file is by its name, empty for other files."""
    return _FRAMEWORKS.get(path[path.rfind(".") :], "")


def is_never_built(name: str) -> bool:
    """Whether a file is source by its name: Ruby or TypeScript, which builds put nowhere."""
    return language_of(name) in ("ruby", "typescript") and not framework_of(name)


def is_embedding(name: str) -> bool:
    """Whether only what a file holds tells its language (`language_of_source`)."""
    return name[name.rfind(".") :] in _EMBEDDING


def language_of_source(name: str, source: bytes) -> str:
    """The language of the code in such a file."""
    from toolroll_codegraph.languages.javascript.components import language_of_component

    return language_of_component(name, source)


def unread_suffix(name: str) -> str:
    """The suffix of a file in a language that nobody here reads: programs, components, templates
    that call functions; "" for any other file."""
    suffix = name[name.rfind(".") :] if "." in name else ""
    return suffix if suffix in _UNREAD else ""


def language_of_script(head: bytes) -> str | None:
    """The language of a program without a suffix, by its first line (`#!/usr/bin/env python3`)."""
    found = _SHEBANG.match(head)
    return _INTERPRETERS[found[1]] if found else None


def is_test(path: str) -> bool:
    """Whether a project-relative path is a test; where the project itself lies says nothing."""
    *directories, name = path.split("/")
    return not _TEST_DIRECTORIES.isdisjoint(directories) or _TEST_NAME.fullmatch(name) is not None


def extract(path: str, language: str, source: bytes) -> FileFacts:
    """Turn the source of one file, in UTF-8, into facts."""
    if language == "python":
        from toolroll_codegraph.languages.python.module import extract_python

        return extract_python(source)
    if language == "ruby":
        from toolroll_codegraph.languages.ruby.extraction import extract_ruby

        return extract_ruby(source, path)
    if framework_of(path):
        from toolroll_codegraph.languages.javascript.component_module import extract_component

        return extract_component(path, source)
    from toolroll_codegraph.languages.javascript.module import dialect_of, extract_javascript

    return extract_javascript(source, dialect_of(path))
