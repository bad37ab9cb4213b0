"""What `self` is in the templates of Rails: which helpers it has, and whose variables.

The templates of a controller, or mailer, are evaluated on an object of a class of their own. It has
the helpers of the application, those that the controller's `helper` names, and what its
`helper_method` lends it; the variables that actions set are variables of it. Templates in other
directories, as partials that several share, have what all have, and what `render` hands on to them
(`rendering.py`).
Source: Rails' guides, "Action View Overview"; `AbstractController::Helpers`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from toolroll_codegraph.facts import ScopeKind
from toolroll_codegraph.languages.registry import is_test
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, TEXT
from toolroll_codegraph.resolve.ruby.accessors import ACCESSOR
from toolroll_codegraph.resolve.ruby.active_records import DELEGATED
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_PATH: Final = re.compile(r"((?:.*?/)?app/|(?:.*?/)?)views/(?:(.+)/)?(_?)([^/]+?)(?:\.([^/]*))?")
_HELPERS_OF_RAILS: Final = "ActionView.Helpers."
_NAMED: Final = ("Controller", "Helper")
_VIEW_OF_RAILS: Final = "ActionView.Base"


class Template(msgspec.Struct, frozen=True):
    """A file that is rendered."""

    file: int
    module: int
    """What calls stand for that are written in it, and the object that has its variables."""
    this: int
    """The slot of its `self`."""
    own: tuple[int, int]
    """Two classes that are there to be the class of that, and of all in its application."""
    root: str
    """Where `views` stands, with a slash."""
    directory: str
    partial: bool
    name: str
    format: str


class RubyViews(RubyFeature):
    """Gives templates their `self`."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.templates: list[Template] = []
        self.selves: set[int] = set()
        """Classes of views."""
        self.controllers: dict[int, int] = {}
        """Class of a view → the controller or mailer whose variables it has."""
        self.of_controller: dict[int, int] = {}
        """The other way round; of several applications that of the first."""
        self.directories: dict[int, str] = {}
        """Controller → where its templates are."""
        self._applications: dict[str, int] = {}
        """Where `views` stands → the class of all views there."""
        self._known: dict[tuple[str, int], int] = {}
        """Application and controller → the class of its views."""
        self._helping: dict[int, int] = {}
        """Helper → the class of the views that it is made for."""
        self._common: dict[str, int] = {}
        """File → the `ApplicationController` in it."""
        self._added: list[int] = []
        """What is written into the modules of Rails' own helpers."""
        self._files: list[str] = []
        """Files that may have helpers."""
        self._spelled: dict[str, int] = {}
        """How controllers, mailers and helpers are named, but for case and underscores."""
        name = self.program.name
        self._controller, self._kept = name("controller"), name("@_controller")
        self._holding, self._held = (name("helpers"), name("view_context")), name("@_view_context")

    def add(self, index: int, own: tuple[int, int], this: int) -> None:
        """Note a template, if it is one of Rails'."""
        found = _PATH.fullmatch(self.program.paths[index])
        if found is not None:
            root, directory, partial, name, form = found.groups(default="")
            module = self.program.scope_base[index]
            self.templates.append(
                Template(index, module, this, own, root, directory, bool(partial), name, form)
            )

    def find(self) -> None:
        """Make the classes, once it is known which the project has."""
        if not self.templates:
            return
        self._look_up()
        applications = self._applications
        views: dict[tuple[str, str], int] = {}
        for template in self.templates:
            place = template.root, template.directory
            if template.root not in applications:
                applications[template.root] = self._open_application(template)
            view = views.get(place)
            if view is None:
                view = views[place] = self._open_view(template, applications[template.root])
            self.solver.add(template.this, view + self.program.scopes)
        self.rules.rendering.find()

    def _look_up(self) -> None:
        """Note what is looked for by how it is named, or by where it is."""
        program = self.program
        for path, scope in self.rules.imports.table.items():
            if path.endswith(_NAMED) or (
                program.kind[scope] == ScopeKind.CLASS and self.rules.rails.is_mailer(scope)
            ):
                self._spelled.setdefault(spelling(path), scope)
            if path.rpartition(".")[2] == "ApplicationController":
                self._common[program.paths[program.file_of[scope]]] = scope
            elif path.startswith(_HELPERS_OF_RAILS) and program.kind[scope] == ScopeKind.NAMESPACE:
                self._added.append(scope)
        self._files = [
            path for path in program.paths if "/helpers/" in f"/{path}" and path.endswith(".rb")
        ]

    def _open_application(self, template: Template) -> int:
        """The class of which all views in an application are."""
        view, table = template.own[1], self.rules.imports.table
        if _VIEW_OF_RAILS in table:
            self.classes.add_base(view, table[_VIEW_OF_RAILS], 0)
        for module in (*self._added, *self._helpers(template.root)):
            self.classes.mix_in(view, module)
            self._helping[module] = view
        made = self.solver.make(CONTAINER, ACCESSOR, self._kept, False)
        self.solver.add(self.classes.declare(view, self._controller), made)
        within = [it for path, it in self._common.items() if path.startswith(template.root)]
        controller = within[0] if within else table.get("ApplicationController", -1)
        self._give(template.root, view, controller)
        return view

    def _helpers(self, root: str) -> list[int]:
        """The modules of an application's helpers, the first asked last: its own, and before them
        those of other engines."""
        own = f"{root}helpers/"
        found: list[tuple[bool, str, int]] = []
        for path in self._files:
            if path.startswith(own):
                rest = path.removeprefix(own)
            else:
                _, engine, rest = f"/{path}".rpartition("/app/helpers/")
                if not engine or is_test(path) or not own.endswith("app/helpers/"):
                    continue
            scope = self._spelled.get(spelling(rest.removesuffix(".rb")), -1)
            if scope >= 0 and self.program.kind[scope] == ScopeKind.NAMESPACE:
                found.append((path.startswith(own), path, scope))
        return [scope for *_, scope in sorted(found)]

    def _open_view(self, template: Template, application: int) -> int:
        """The class of the views in one directory; that of all where no controller is theirs."""
        directory = template.directory
        while directory:
            controller = self.controller_of(directory)
            if controller >= 0:
                if (template.root, controller) in self._known:
                    return self._known[template.root, controller]
                view = template.own[0]
                self.classes.add_base(view, application, 0)
                helper = self._spelled.get(spelling(directory) + "helper", -1)
                if helper >= 0 and self.program.kind[helper] == ScopeKind.NAMESPACE:
                    self.classes.mix_in(view, helper)
                    self._helping[helper] = view
                self.directories.setdefault(controller, directory)
                self._give(template.root, view, controller)
                return view
            directory = directory.rpartition("/")[0]
        return application

    def controller_of(self, directory: str) -> int:
        """The controller, or mailer, whose templates are in a directory; -1 without."""
        name = spelling(directory)
        scope = self._spelled.get(name + "controller", -1)
        if scope < 0:
            scope = self._spelled.get(name, -1)
            if scope < 0 or not self.rules.rails.is_mailer(scope):
                return -1
        return scope if self.program.kind[scope] == ScopeKind.CLASS else -1

    def _give(self, root: str, view: int, controller: int) -> None:
        """Let a view have a controller with its variables and what it lends, and that the view."""
        classes, scopes = self.classes, self.program.scopes
        classes.instantiated.add(view)
        self.selves.add(view)
        if controller >= 0:
            self.controllers[view] = controller
            self._known[root, controller] = view
            self.of_controller.setdefault(controller, view)
            self.solver.add(classes.declare(view, self._kept), controller + scopes)
            self.hold(controller, view)

    def hold(self, owner: int, view: int) -> None:
        """Let objects of a class have a view: `helpers.title`, `view_context.title`."""
        self.solver.add(self.classes.declare(owner, self._held), view + self.program.scopes)
        made = self.solver.make(CONTAINER, ACCESSOR, self._held, False)
        for name in self._holding:
            if self.classes.find(owner, name) < 0:
                self.solver.add(self.classes.declare(owner, name), made)

    def applications(self, path: str) -> list[int]:
        """The classes of all views of the application that a file is in."""
        return [view for root, view in self._applications.items() if path.startswith(root)]

    def settle(self) -> None:
        """Let those methods of helpers that nobody calls run on a view."""
        for module, view in self._helping.items():
            for this in self.rules.uncalled.receivers(module):
                self.solver.add(this, view + self.program.scopes)

    # what controllers say

    def declare(self, call: Call, value: int, *, lent: bool) -> None:
        """`helper_method :name` and `helper Name, :name` in a controller's body."""
        for item in call.positional:
            if item >= 0:
                self.solver.listen(item, (self._on_helper, value, lent))

    @handler
    def _on_helper(self, value: int, listener: Listener) -> None:
        _, controller, lent = listener
        order = self.classes.order
        having = {view for view, known in self.controllers.items() if controller in order(known)}
        views = sorted(view for view in having if having.isdisjoint(order(view)[1:]))
        kind = self.solver.kind[value]
        if lent and kind == TEXT:
            made = self.solver.make(CONTAINER, DELEGATED, self._controller)
            for view in views:
                self.solver.add(self.classes.declare(view, self.solver.key_name(value)), made)
            return
        if not lent and kind == TEXT:
            value = self._spelled.get(spelling(self.solver.key_text(value)) + "helper", -1)
            kind = self.solver.kind[value] if value >= 0 else TEXT
        if not lent and kind == CLASS and self.program.kind[value] == ScopeKind.NAMESPACE:
            for view in views:
                self.classes.mix_in(view, value)


def spelling(path: str) -> str:
    """The path of a class, or of the file it is in after Rails' rules, as both are written."""
    return path.replace("/", ".").replace("_", "").replace("-", "").lower()
