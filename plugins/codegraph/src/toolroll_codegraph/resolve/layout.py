"""What tells where a project's modules are."""

from __future__ import annotations

import msgspec


class Package(msgspec.Struct, frozen=True):
    """A `package.json` of the project."""

    directory: str
    name: str
    entries: tuple[str, ...]
    """Paths of the main module, most specific first, relative to the project."""
    exports: tuple[tuple[str, str], ...] = ()
    """(subpath without `./`, path) of `exports`; `*` stands for any text."""
    imports: tuple[tuple[str, str], ...] = ()
    """(name, path) of `imports`, names that begin with `#` and hold inside the package."""


class PathAlias(msgspec.Struct, frozen=True):
    """One line of `compilerOptions.paths` in a `tsconfig.json`."""

    directory: str
    """Where the configuration lies: it holds for the files below."""
    pattern: str
    targets: tuple[str, ...]


class ProjectLayout(msgspec.Struct, frozen=True):
    """A project's path, and what its configuration says; each part is empty where nothing does."""

    packages: tuple[Package, ...] = ()
    aliases: tuple[PathAlias, ...] = ()
    bases: tuple[tuple[str, str], ...] = ()
    """(directory of the configuration, `baseUrl` relative to the project)."""
    directory: str = ""
    """The project's own path, with slashes: it may be a package that its modules import by name."""
    nuxt: tuple[str, ...] = ()
    """Directories of applications of Nuxt's."""
