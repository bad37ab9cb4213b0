"""Modules that are imported by a call, `importlib.import_module(name)`, and what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import PREFIX
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import MODULE, TEXT
from toolroll_codegraph.resolve.python.iterators import ROW
from toolroll_codegraph.resolve.python.modules import SOURCE_ROOTS
from toolroll_codegraph.resolve.slots import MOST_VALUES

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import Model, PythonModels

IMPORTED: Final = "sys.modules"
_LOCATING: Final = (
    "pkgutil.resolve_name", "pydoc.locate", "django.utils.module_loading.import_string",
    "scrapy.utils.misc.load_object", "twisted.python.reflect.namedAny",
    "werkzeug.utils.import_string",
)  # fmt: skip
"""What returns the object that is told by a dotted name, which begins with its module's."""


class PythonImporting:
    """Finds the modules by what their names are known to be, or to begin with."""

    def __init__(self, models: PythonModels) -> None:
        self.models = models
        self.rules = models.rules
        self.solver = models.solver
        self.plugins: set[int] = set()
        """Modules whose names are only known to begin with something."""
        self.functions: dict[str, Model] = {
            "__import__": self._import,
            "importlib.import_module": self._import,
            "pkgutil.iter_modules": self._list,
            "pkgutil.walk_packages": self._list,
            **dict.fromkeys(_LOCATING, self._find),
        }

    def _import(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.solver.listen(item, (self._on_name, call))

    def _find(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.solver.listen(item, (self._on_path, call))

    @handler
    def _on_path(self, value: int, listener: Listener) -> None:
        """Find the longest name of a module that a name begins with, and in it what is left."""
        text = self.solver.key_text(value) if self.solver.kind[value] == TEXT else PREFIX
        parts = [] if text.endswith(PREFIX) else text.replace(":", ".").split(".")
        call: Call = listener[1]
        for end in range(len(parts), 0, -1):
            stem = self._locate(call, ".".join(parts[:end]))
            if stem is not None:
                rest = tuple(map(self.models.program.name, parts[end:]))
                module = self.rules.imports.module_object(stem)
                self._on_part(module, (self._on_part, call, rest))
                return

    @handler
    def _on_part(self, value: int, listener: Listener) -> None:
        """Read what the names that are left tell of one another."""
        call: Call = listener[1]
        names: tuple[int, ...] = listener[2]
        target = self.solver.slot() if len(names) > 1 else call.result
        if not names:
            self.solver.add(target, value)
            return
        self.rules.load(value, names[0], target, call.scope, call.line)
        if names[1:]:
            self.solver.listen(target, (self._on_part, call, names[1:]))

    def _list(self, call: Call, arguments: list[int]) -> None:
        """List the modules of a package: with a prefix their names begin as its own does."""
        models, name = self.models, self.models.program.name
        row = self.solver.container((ROW, call.result, call.scope, call.line), 0)
        self.solver.add(self.solver.field(models.result(call), models.any_key), row)
        path = arguments[0] if arguments else models.keyword(call, "path")
        if path >= 0 and (
            len(arguments) > 1 or any(key == name("prefix") for key, _ in call.named())
        ):
            for field in (name("name"), models.pair[1]):
                found = self.solver.field(row, field)
                self.solver.listen(path, (self._on_package, found))

    @handler
    def _on_package(self, value: int, listener: Listener) -> None:
        """Name what a package has, for which its `__path__` stands."""
        stem = self.rules.imports.stem_of(value) if self.solver.kind[value] == MODULE else ""
        if stem:
            first, *parts = stem.split("/")
            dotted = ".".join(parts if parts and first in SOURCE_ROOTS else (first, *parts))
            name = self.models.program.name(f"{dotted}.{PREFIX}")
            self.solver.add(listener[1], self.solver.text(name))

    @handler
    def _on_name(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] != TEXT:
            return
        call: Call = listener[1]
        name = self.solver.key_text(value)
        if name.endswith(PREFIX):
            self._import_any(call, name.partition(PREFIX)[0])
            return
        self._give(self._locate(call, name), call.result)

    def _give(self, stem: str | None, target: int) -> None:
        if stem is not None:
            self.solver.add(target, self.rules.imports.module_object(stem))

    def loaded(self, item: str, target: int, scope: int) -> None:
        """The module that an item of `sys.modules` is, or may be."""
        name, _, rest = item.removeprefix("[").partition(PREFIX)
        if name == item or not name.replace(".", "").isidentifier():
            return
        index = self.models.program.file_of[scope] if scope >= 0 else 0
        modules = self.rules.imports.modules
        if item.endswith(PREFIX) and not rest:
            package, _, start = name.rpartition(".")
            self._give_any(modules.locate(index, 0, package) if package else None, start, target)
        else:
            self._give(modules.locate(index, 0, name), target)

    def _import_any(self, call: Call, beginning: str) -> None:
        """Import the modules of a package whose names begin so: `"plugins." + name`."""
        package, dot, start = beginning.rpartition(".")
        if not package.strip("."):  # `f".{name}"` is beside the file, `name` anywhere
            package += dot
        found = self._locate(call, package) if package else self._beside(call) if start else None
        self._give_any(found, start, call.result)

    def _beside(self, call: Call) -> str:
        """The directory that the modules beside a file, or beside its package, are in."""
        modules, program = self.rules.imports.modules, self.models.program
        directory = program.paths[program.file_of[call.scope]].rpartition("/")[0]
        while directory and modules.is_package(directory):
            directory = directory.rpartition("/")[0]
        return directory

    def _give_any(self, package: str | None, start: str, target: int) -> None:
        imports = self.rules.imports
        found = [] if package is None else imports.modules.inside(package, start)
        for known in found if len(found) <= MOST_VALUES else ():
            module = imports.module_object(known)
            self.plugins.add(module)
            self.solver.add(target, module)

    def _locate(self, call: Call, name: str) -> str | None:
        """Find a module by its name, which may be relative to a package that is given."""
        tail = name.lstrip(".")
        level = len(name) - len(tail)
        package = self.models.keyword(call, "package")
        if package < 0 and len(call.positional) > 1:
            package = call.positional[1]
        for known in self.solver.points[package] or () if package >= 0 < level else ():
            if self.solver.kind[known] == TEXT:  # else `__package__`: that of the file
                parts = self.solver.key_text(known).split(".")
                parts = [*parts[: len(parts) + 1 - level], tail]
                tail, level = ".".join(filter(None, parts)), 0
        index = self.models.program.file_of[call.scope]
        return self.rules.imports.modules.locate(index, level, tail)
