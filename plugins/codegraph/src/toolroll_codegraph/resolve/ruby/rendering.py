"""What `render` renders: templates, partials with their variables, and the objects behind them.

A partial is evaluated on the object that renders it. It is given what `locals:` and further names
say, a variable of its own name with the object, or each of the objects, that it is rendered for.
Source: Rails' guides, "Layouts and Rendering in Rails".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ScopeKind
from toolroll_codegraph.languages.inflections import plural
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.nearness import nearest
from toolroll_codegraph.resolve.program import CONTAINER, INSTANCE, TEXT
from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.views import Template, spelling

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolroll_codegraph.resolve.ruby.rules import RubyRules

RENDERER: Final = "renderer"
"""The kind of a member that renders a template."""
_NAMING: Final = ("partial", "template", "action", "layout", "spacer_template")
_OPTION_NAMES: Final = """
action as assigns body cached collection content_type file formats handlers html inline js json
layout locals object partial plain spacer_template status template text variants xml
"""
_OPTIONS: Final = frozenset(_OPTION_NAMES.split())
"""What is no variable of the template."""
_Key = tuple[str, bool, str]


class RubyRendering(RubyFeature):
    """Answers `render` of views and controllers."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.views = rules.views
        self._render, self._told = rules.program.name("render"), rules.program.name("formats")
        self._by_name: dict[_Key, list[Template]] = {}
        """By directory, whether it is a partial, and name, as they are spelled."""
        self._by_file: dict[int, Template] = {}

    def find(self) -> None:
        """Let views and controllers render, when it is known which there are."""
        for template in self.views.templates:
            key = spelling(template.directory), template.partial, spelling(template.name)
            self._by_name.setdefault(key, []).append(template)
            self._by_file[template.file] = template
        for scope in sorted({*self.views.selves, *self.views.controllers.values()}):
            self.let_render(scope)

    def let_render(self, scope: int) -> None:
        """Let objects of a class render, unless the project says how they do."""
        if self.classes.find(scope, self._render) < 0:
            kind = self.program.kind
            own = [it for it in self.classes.order(scope) if kind[it] == ScopeKind.CLASS]
            made = self.solver.make(CONTAINER, RENDERER)
            self.solver.add(self.classes.declare(own[-1], self._render), made)

    def render(self, call: Call, receiver: int) -> None:
        """Render what a call names."""
        texts = self.program.texts
        given = {texts[name]: slot for name, slot in call.named() if name >= 0}
        order = self.classes.order(receiver - self.program.scopes)
        in_view = self.views.of_controller.keys().isdisjoint(order)
        first = call.positional[0] if call.positional else -1
        for option in _NAMING:
            if option in given and (in_view or option != "layout"):
                partial = option != "template" and option != "action"
                self._name(call, receiver, given[option], partial=partial)
        if first >= 0:
            self._name(call, receiver, first, partial=in_view)

    def _name(self, call: Call, receiver: int, slot: int, *, partial: bool) -> None:
        self.solver.listen(slot, (self._on_named, call, receiver, partial))

    @handler
    def _on_named(self, value: int, listener: Listener) -> None:
        _, call, receiver, partial = listener
        kind = self.solver.kind[value]
        if kind == TEXT:
            for template in self._found(call, receiver, self.solver.key_text(value), partial):
                self._enter(call, receiver, template)
        elif kind == INSTANCE:
            self._render_object(call, receiver, value)
        elif kind == CONTAINER:
            inside = self.solver.slot()
            self.rules.containers.elements(value, inside)
            self.solver.listen(inside, (self._on_element, call, receiver))

    @handler
    def _on_element(self, value: int, listener: Listener) -> None:
        _, call, receiver = listener
        if self.solver.kind[value] == INSTANCE:
            self._render_object(call, receiver, value)

    def _render_object(self, call: Call, receiver: int, value: int) -> None:
        """`render @user`: the partial that is called like its class, or what it does itself."""
        if self.rules.components.render(call, value):
            return
        path = self.rules.imports.paths.get(value - self.program.scopes, "")
        within, _, last = path.lower().rpartition(".")
        directory = plural(last.encode()).decode()
        key = (f"{within}.{directory}" if within else directory), True, last
        for template in self._chosen(call, self._by_name.get(key, ())):
            self._enter(call, receiver, template)
            name = self.program.name(template.name)
            slot = self.solver.field(template.module, name)
            self.solver.add(slot, value)

    def _found(self, call: Call, receiver: int, text: str, partial: bool) -> list[Template]:
        """The templates that a name means, in whatever formats."""
        directory, _, name = text.strip("/").rpartition("/")
        places = [directory] if directory else self._places(call, receiver)
        for place in places:
            key = spelling(place), partial, spelling(name.partition(".")[0])
            if key in self._by_name:
                return self._chosen(call, self._by_name[key])
        return []

    def _places(self, call: Call, receiver: int) -> Iterator[str]:
        """The directories in which a name alone is looked for."""
        scope = receiver - self.program.scopes
        for known in self.classes.order(self.views.controllers.get(scope, scope)):
            if known in self.views.directories:
                yield self.views.directories[known]
        here = self._by_file.get(self.program.file_of[call.scope])
        if here is not None:
            yield here.directory
        yield "application"

    def _chosen(self, call: Call, templates: Sequence[Template]) -> list[Template]:
        """Those of the nearest application, and of the format of who renders if nothing says which
        and there are any; none renders itself."""
        file = self.program.file_of[call.scope]
        near = nearest(self.program.paths, file, [it.file for it in templates])
        found = [it for it in templates if it.file in near]
        here, told = self._by_file.get(file), self._told in dict(call.named())
        if here is None or told:
            return [it for it in found if it.file != file] if told else found
        return [it for it in found if it.format == here.format] or found

    def _enter(self, call: Call, receiver: int, template: Template) -> None:
        """Evaluate a template on the object that renders it, with what it is given."""
        scopes, views = self.program.scopes, self.views
        if receiver - scopes not in views.selves:
            order = self.classes.order(receiver - scopes)
            receiver = next((views.of_controller[it] + scopes for it in order
                             if it in views.of_controller), -1)  # fmt: skip
        self.fill(call, receiver, template)

    def fill(self, call: Call, receiver: int, template: Template) -> None:
        """Evaluate a template on an object, if it is known which."""
        if receiver >= 0:
            self.solver.add(template.this, receiver)
        if call.once(template.module):
            self.solver.record(call.scope, template.module, call.line)
            self._hand_over(call, template)

    def _hand_over(self, call: Call, template: Template) -> None:
        texts, solver = self.program.texts, self.solver
        given = {texts[name]: slot for name, slot in call.named() if name >= 0}
        for name, slot in given.items():
            if name not in _OPTIONS:
                solver.edge(slot, self._variable(template, name))
        for slot in (*call.positional[1:2], given.get("locals", -1)):
            solver.listen(slot, (self._on_locals, template))
        if "as" in given:
            solver.listen(given["as"], (self._on_as, template, given))
        elif template.partial:
            self._give(template, template.name, given)

    def _variable(self, template: Template, name: str) -> int:
        return self.solver.field(template.module, self.program.name(name))

    @handler
    def _on_locals(self, value: int, listener: Listener) -> None:
        template: Template = listener[1]
        if self.solver.kind[value] == CONTAINER:

            def receive(name: int, slot: int) -> None:
                text = self.program.texts[name]
                if text.startswith("[") and text[1:].isidentifier():
                    self.solver.edge(slot, self._variable(template, text[1:]))

            self.solver.mirror(value, receive)

    @handler
    def _on_as(self, value: int, listener: Listener) -> None:
        _, template, given = listener
        if self.solver.kind[value] == TEXT:
            self._give(template, self.solver.key_text(value), given)

    def _give(self, template: Template, name: str, given: dict[str, int]) -> None:
        """Give a partial what it is rendered for, under a name."""
        variable = self._variable(template, name)
        self.solver.edge(given.get("object", -1), variable)
        self.solver.listen(given.get("collection", -1), (self._on_collection, variable))

    @handler
    def _on_collection(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            self.rules.containers.elements(value, listener[1])

    def settle(self) -> None:
        """Let actions render the templates that are called like them."""
        program = self.program
        for template in self.views.templates:
            controller = self.views.controller_of(template.directory)
            name = program.names.get(template.name, -1)
            if controller < 0 or template.partial or name < 0:
                continue
            for action in self.solver.functions(self.classes.find(controller, name)):
                self.solver.record(action, template.module, program.first_line[action])
