"""Single-file components of Vue, Svelte and Astro: their scripts, and the markup around these.

What is in no script is blanked, so that every line stays where it is, and all scripts of a file are
one module. https://vuejs.org/api/sfc-spec.html, https://svelte.dev/docs/svelte/svelte-files,
https://docs.astro.build/en/basics/astro-components/
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from toolroll_codegraph.languages.registry import framework_of

_ELSEWHERE: Final = b"export*from'%s';export{default}from'%s';"
"""What `<script src="./card.js">` stands for."""
_OPENING: Final = re.compile(rb"<!--|<(script|style|template)(?=[\s/>])", re.I)
_ATTRIBUTES: Final = re.compile(rb"(?:[^>\"'{]++|\"[^\"]*+\"|'[^']*+'|\{[^}]*+\})*>")
_ATTRIBUTE: Final = re.compile(rb"([\w:-]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>/]+)))?")
_TEMPLATE: Final = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(/?)template(?=[\s/>])((?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*)>",
    re.I | re.S,
)
_FENCE: Final = re.compile(rb"\s*---[ \t]*\r?(?=\n)")
_FENCE_END: Final = re.compile(rb"^---", re.M)
_VISIBLE: Final = bytes(it if it in b"\r\n" else 32 for it in range(256))
_TYPES: Final = (b"", b"module", b"text/javascript", b"application/javascript", b"text/babel")
_DIALECTS: Final = {
    b"ts": "typescript", b"typescript": "typescript", b"text/typescript": "typescript",
    b"tsx": "tsx", b"": "javascript", b"js": "javascript", b"javascript": "javascript",
    b"jsx": "javascript",
}  # fmt: skip


class Component(NamedTuple):
    """A component in parts."""

    framework: str
    script: bytes
    """The source with everything but its scripts blanked."""
    dialect: str
    """The grammar of its scripts."""
    markup: tuple[tuple[int, int], ...]
    """Where markup begins and ends, in bytes."""
    is_setup: bool
    """Whether the markup has the names of the script (not those of Vue's exported object)."""


def language_of_component(path: str, source: bytes) -> str:
    """The language of its scripts; Astro's are TypeScript."""
    dialect = split_component(path, source).dialect
    return "javascript" if dialect == "javascript" else "typescript"


def split_component(path: str, source: bytes) -> Component:
    """Take a component apart; what a broken one leaves unclosed goes on to the file's end."""
    framework = framework_of(path)
    scripts: list[tuple[int, int]] = []
    elsewhere: dict[int, bytes] = {}
    markup: list[tuple[int, int]] = []
    dialects: list[str] = ["typescript"] if framework == "astro" else []
    position, is_setup = 0, framework != "vue"
    fence = _FENCE.match(source) if framework == "astro" else None
    if fence is not None:
        end = _FENCE_END.search(source, fence.end())
        scripts.append((fence.end(), len(source) if end is None else end.start()))
        position = len(source) if end is None else end.end()
    begin = position
    while (found := _OPENING.search(source, position)) is not None:
        if found[1] is None:
            close = source.find(b"-->", found.end())
            position = len(source) if close < 0 else close + 3
            continue
        attributes = _ATTRIBUTES.match(source, found.end())
        if attributes is None:
            break
        position = attributes.end()
        kind, given = found[1].lower(), _attributes(attributes[0][:-1])
        if kind == b"template":
            if framework == "vue":
                empty = attributes[0].endswith(b"/>")
                end = position if empty else _end_of_template(source, position)
                if given.get(b"lang", b"html") == b"html":
                    markup.append((position, end))
                position = end
            continue
        if framework != "vue":
            markup.append((begin, found.start()))
        end = after = position
        if not attributes[0].endswith(b"/>"):
            end, after = _end_of(source, kind, position)
        dialect = _DIALECTS.get(given.get(b"lang", b"") or _plain(given.get(b"type", b"")))
        if kind == b"script" and dialect is not None:
            if framework == "vue" and given.get(b"src", b"").startswith(b"."):
                elsewhere[position] = _ELSEWHERE % (given[b"src"], given[b"src"])
            scripts.append((position, end))
            dialects.append(dialect)
            is_setup = is_setup or b"setup" in given
        begin = position = after
    if framework != "vue":
        markup.append((begin, len(source)))
    return Component(
        framework, _blanked(source, scripts, elsewhere), _common(dialects),
        tuple(span for span in markup if source[span[0] : span[1]].strip()), is_setup,
    )  # fmt: skip


def _plain(kind: bytes) -> bytes:
    return b"" if kind in _TYPES else kind


def _common(dialects: list[str]) -> str:
    for dialect in ("tsx", "typescript"):
        if dialect in dialects:
            return dialect
    return "javascript"


def _attributes(text: bytes) -> dict[bytes, bytes]:
    return {
        found[1].lower(): found[2] or found[3] or found[4] or b""
        for found in _ATTRIBUTE.finditer(text)
    }


def _end_of(source: bytes, kind: bytes, start: int) -> tuple[int, int]:
    """Where a script or style ends, and where its end tag does."""
    end = re.compile(rb"</" + kind + rb"\s*>", re.I).search(source, start)
    return (len(source), len(source)) if end is None else end.span()


def _end_of_template(source: bytes, start: int) -> int:
    """Where the template that begins there ends: it may hold others."""
    depth = 1
    for found in _TEMPLATE.finditer(source, start):
        if found[1] is None or found[2].endswith(b"/"):
            continue
        depth += -1 if found[1] else 1
        if not depth:
            return found.start()
    return len(source)


def _blanked(source: bytes, kept: list[tuple[int, int]], elsewhere: dict[int, bytes]) -> bytes:
    """The source without what is outside of scripts, and with imports of those in other files."""
    parts: list[bytes] = []
    position = 0
    for start, end in kept:
        outside = source[position:start].translate(_VISIBLE)
        parts += (outside[:-1], b";" if outside[-1:] == b" " else outside[-1:])
        parts += (elsewhere.get(start, b""), source[start:end])
        position = end
    parts.append(source[position:].translate(_VISIBLE))
    return b"".join(parts)
