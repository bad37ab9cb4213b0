"""Templates that are filled in on an object of the project's own: components, Sinatra's views.

A component (ViewComponent, or any object with `render_in`) is rendered by `render Name.new`; its
template lies beside the file of its class. Sinatra's `erb :index` fills in the nearest template of
that name, and the layout beside it, on the object that a route runs on.
Source: https://viewcomponent.org/guide/templates.html; Sinatra's README, "Views / Templates".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.languages.ruby.templates import is_template
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.nearness import nearest
from toolroll_codegraph.resolve.program import CLASS, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.views import Template, spelling

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_RENDERED: Final = ("render_in", "before_render", "render?", "call")
"""What the library calls of a component."""
_FILLING: Final = ("erb", "builder", "rabl")
"""Sinatra's words, each the suffix of its templates."""
_LAYOUT: Final = "layout"


class RubyComponents(RubyFeature):
    """Knows the templates that are none of Rails' views."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.words: dict[int, str] = {}
        """Sinatra's words by their numbers, if there are templates for them."""
        self._of_class: dict[int, list[Template]] = {}
        self._by_name: dict[tuple[str, str], list[int]] = {}
        """Name and suffix → files."""

    def find(self) -> None:
        """Find templates and the classes beside them."""
        name = self.program.name
        for index, path in enumerate(self.program.paths):
            if is_template(path):
                stem, _, suffixes = path.rpartition("/")[2].partition(".")
                suffix = suffixes.rpartition(".")[2]
                self._by_name.setdefault((stem, suffix), []).append(index)
                if suffix in _FILLING:
                    self.words[name(suffix)] = suffix
                self._join(path, stem, self._template(index))

    def _template(self, index: int) -> Template:
        directory, _, name = self.program.paths[index].rpartition("/")
        module = self.program.scope_base[index]
        this, stem = self.program.this[module], name.partition(".")[0]
        return Template(index, module, this, (-1, -1), "", directory, False, stem, "")

    def _join(self, path: str, stem: str, template: Template) -> None:
        """Give a template beside a class an object of that."""
        directory = path.rpartition("/")[0]
        beside = [f"{directory}/{stem}.rb"]
        if directory.rpartition("/")[2] == stem:
            beside.append(f"{directory}.rb")
        program = self.program
        for file in (program.by_path[it] for it in beside if it in program.by_path):
            first = program.scope_base[file]
            for scope in range(first, first + program.scope_count[file]):
                last = program.texts[program.scope_name[scope]].rpartition(".")[2]
                if program.object_kind[scope] == CLASS and spelling(last) == spelling(stem):
                    owner = program.canonical[scope]
                    self.solver.add(template.this, owner + program.scopes)
                    self._of_class.setdefault(owner, []).append(template)
                    self.rules.rendering.let_render(owner)
                    for view in self.rules.views.applications(path):
                        self.rules.views.hold(owner, view)

    def render(self, call: Call, value: int) -> bool:
        """`render Name.new`; False for what is no component."""
        owner = value - self.program.scopes
        templates = [
            template for known in self.classes.order(owner)[:1]
            for template in self._of_class.get(known, ())
        ]  # fmt: skip
        names = [self.program.names.get(name, -1) for name in _RENDERED]
        known = [name for name in names if name >= 0 and self.classes.find(owner, name) >= 0]
        if not templates and names[0] not in known:
            return False
        for template in templates:
            self.rules.rendering.fill(call, value, template)
        for name in known:
            self.rules.instance_call(self.solver.derived_call(call, -1, (), name), value, name)
        return True

    def fill(self, call: Call, value: int) -> bool:
        """Sinatra's `erb :index`; False where there is no such template."""
        kind, scopes = self.solver.kind[value], self.program.scopes
        if not call.positional or call.positional[0] < 0:
            return False
        if kind == INSTANCE and not self.rules.objects.is_of_ruby(value - scopes):
            return False
        receivers = [value]
        if kind == CLASS:  # whose body holds the route, which sets variables
            receivers.append(value + scopes)
        for receiver in receivers:
            self.solver.listen(call.positional[0], (self._on_name, call, receiver))
        return True

    @handler
    def _on_name(self, named: int, listener: Listener) -> None:
        _, call, value = listener
        if self.solver.kind[named] != TEXT:
            return
        suffix = self.words[call.name]
        stem = self.solver.key_text(named).rpartition("/")[2]
        found = self._nearest(call, stem, suffix)
        if len(found) == 1:
            template = self._template(found[0])
            self.rules.rendering.fill(call, value, template)
            for index in self._by_name.get((_LAYOUT, suffix), ()):
                layout = self._template(index)
                if layout.directory == template.directory:
                    self.solver.add(layout.this, value)

    def _nearest(self, call: Call, stem: str, suffix: str) -> list[int]:
        files = self._by_name.get((stem, suffix), ())
        return nearest(self.program.paths, self.program.file_of[call.scope], files)
