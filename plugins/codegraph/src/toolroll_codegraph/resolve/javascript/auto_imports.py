"""What Nuxt imports without being told: names of composables, utilities and components.

Which files it looks at and how it names components:
https://nuxt.com/docs/guide/concepts/auto-imports and
https://nuxt.com/docs/guide/directory-structure/components
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.imports import JavaScriptImports

_SOURCES: Final = ("app/", "src/", "")
"""Where an application's own directories may lie."""
_SCANNED: Final = ("composables", "utils", "stores")
"""Directories whose own files, and whose directories' indexes, give what they export; that of
stores is Pinia's module's."""
_MODES: Final = (".client", ".server", ".global")
_VUE: Final = frozenset(
    (
        "ref", "shallowRef", "toRef", "unref", "toValue", "computed", "watch", "reactive",
        "readonly", "shallowReactive", "shallowReadonly", "markRaw", "toRaw", "proxyRefs",
        "defineComponent", "defineAsyncComponent", "provide", "inject",
    )
)  # fmt: skip
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class JavaScriptAutoImports:
    """Knows, for each application of Nuxt's, what its names without an import are."""

    def __init__(self, imports: JavaScriptImports) -> None:
        self._imports = imports
        self._program = imports.program
        directories = sorted(imports.layout.nuxt, key=lambda it: -len(it))
        self._known = [
            (f"{it}/" if it else "", self._scan(f"{it}/" if it else "")) for it in directories
        ]

    def bind(self, index: int, name: int, slot: int) -> None:
        """Let a name that a file binds nowhere be what Nuxt imports for it, if anything."""
        path = self._program.paths[index]
        for directory, known in self._known:
            if not path.startswith(directory):
                continue
            text = self._program.texts[name]
            found = known.get(text) or known.get(text.removeprefix("Lazy"))
            if found is not None and found[0] != index:
                self._imports.bind_name(index, *found, slot)
            elif found is None and text in _VUE:
                self._imports.rules.models.add_external(slot, f"vue.{text}")
            return

    def _scan(self, directory: str) -> dict[str, tuple[int, int]]:
        """Name → the file, and the name of what it exports; the first file in order has it."""
        program, default = self._program, self._imports.default
        found: dict[str, tuple[int, int]] = {}
        for source in _SOURCES:
            root = directory + source
            for path, index in sorted(program.by_path.items()):
                if not path.startswith(root):
                    continue
                head, *parts = path[len(root) :].split("/")
                if not parts:
                    continue
                stem = parts[-1].partition(".")[0]
                if head == "components":
                    if path.endswith((".vue", ".tsx", ".jsx")):
                        name = _component_name([*parts[:-1], parts[-1].rpartition(".")[0]])
                        found.setdefault(name, (index, default))
                elif head in _SCANNED and len(parts) <= (2 if stem == "index" else 1):
                    for text in program.exported[index]:
                        found.setdefault(text, (index, program.name(text)))
                    named = stem if len(parts) == 1 else parts[0]
                    found.setdefault(_camel(named), (index, default))
        return found


def _component_name(parts: list[str]) -> str:
    """`base/foo/Button` is `BaseFooButton`, and `base/BaseButton` no `BaseBaseButton`."""
    *directories, last = parts
    for mode in _MODES:
        last = last.removesuffix(mode)
    words = [] if last.lower() == "index" and directories else _words(last)
    before = [word for directory in directories for word in _words(directory)]
    for size in range(min(len(before), len(words)), 0, -1):
        if [it.lower() for it in before[-size:]] == [it.lower() for it in words[:size]]:
            before = before[:-size]
            break
    return "".join(word[:1].upper() + word[1:] for word in (*before, *words))


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _camel(text: str) -> str:
    first, *others = re.split(r"[-_.]", text)
    return first + "".join(word[:1].upper() + word[1:] for word in others)
