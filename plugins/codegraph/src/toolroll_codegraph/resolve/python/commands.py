"""argparse: a function kept with `set_defaults(func=…)` is called as `args.func(…)`; and click,
whose commands hand an object on in their context: `ctx.obj`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.containers import PythonContainers

_KIND: Final = "parser"
_CONTEXT: Final = "click"
_OF_CONTEXTS: Final = frozenset(["ensure_object", "find_object", "find_root", "invoke"])
_PARTS: Final = frozenset(
    ["add_subparsers", "add_parser", "add_argument_group", "add_mutually_exclusive_group"]
)
_PARSE: Final = frozenset(["parse_args", "parse_intermixed_args"])
_PARSE_KNOWN: Final = frozenset(["parse_known_args", "parse_known_intermixed_args"])


class PythonCommands:
    """Parsers; a parser, its parts and what it returns are one object with one set of fields.

    Objects that are made of names (`SimpleNamespace`) are of this kind too.
    """

    def __init__(self, models: PythonContainers) -> None:
        self.models = models
        self.rules = models.rules
        self.solver = models.solver
        self.program = models.program
        self._context = -1

    def make(self, call: Call) -> int:
        made = self.solver.make(CONTAINER, _KIND, call.result)
        self.solver.add(call.result, made)
        return made

    def named(self, *key: object) -> int:
        """An object of names that is made without a call."""
        return self.solver.make(CONTAINER, _KIND, *key)

    def context(self) -> int:
        """The slot of the context of click's commands: to us one for all of them."""
        if self._context < 0:
            self._context = self.solver.slot()
            self.solver.add(self._context, self.solver.make(CONTAINER, _KIND, _CONTEXT))
            mapping = self.solver.container((_KIND, _CONTEXT), ObjectKind.MAPPING)
            self.solver.add(self.context_object(), mapping)  # what it often is: `cli(obj={})`
        return self._context

    def context_object(self) -> int:
        """The slot of the object that it hands on."""
        context = self.solver.make(CONTAINER, _KIND, _CONTEXT)
        return self.solver.field(context, self.program.name("obj"))

    def fill(self, call: Call, value: int) -> None:
        """Keep what is given by name, as `set_defaults` and `SimpleNamespace` do."""
        for key, slot in call.named():
            if key >= 0:
                self.solver.edge(slot, self.solver.field(value, key))

    def is_parser(self, value: int) -> bool:
        return self.solver.detail[value][0] == _KIND

    def method(self, call: Call, value: int) -> None:
        """A method of a parser, or a call of what parsed arguments hold."""
        solver = self.solver
        name = self.program.texts[call.name]
        if name in _PARTS or name in _PARSE:
            solver.add(call.result, value)
        elif name in _PARSE_KNOWN:
            both = solver.container((_KIND, call.result), ObjectKind.SEQUENCE)
            solver.add(solver.field(both, self.program.name("[0")), value)
            solver.add(call.result, both)
        elif name == "add_argument":
            self._add_argument(call, value)
        elif name == "set_defaults":
            self.fill(call, value)
        elif name in _OF_CONTEXTS and solver.detail[value][1] == _CONTEXT:
            self._use_context(call, value, name)
        else:
            solver.listen(solver.field(value, call.name), (self._on_member, call))

    def _use_context(self, call: Call, value: int, name: str) -> None:
        """Ask for the context of a group, for what it hands on, or to run another command."""
        first = call.positional[0] if call.positional else -1
        apply_later, known = self.models.callbacks.apply_later, self.context_object()
        if name == "invoke":
            apply_later(call, first, call.positional[1:], call.keywords, call.result)
        elif name == "find_root":
            self.solver.add(call.result, value)
        else:
            if name == "ensure_object":
                apply_later(call, first, (), (), known)
            self.solver.edge(known, call.result)

    def _add_argument(self, call: Call, parser: int) -> None:
        """Keep what an option may be: a constant, a default, or what its `type` returns."""
        models = self.models
        sources = [models.keyword(call, key) for key in ("const", "default")]
        made = models.keyword(call, "type")
        if made >= 0:
            result = self.solver.slot()
            models.callbacks.apply_later(call, made, (-1,), (), result)
            sources.append(result)
        sources = [source for source in sources if source >= 0]
        named = models.keyword(call, "dest")
        for slot in (named,) if named >= 0 else call.positional if sources else ():
            if slot >= 0:
                self.solver.listen(slot, (self._on_option, parser, sources))

    @handler
    def _on_option(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == TEXT:
            _, parser, sources = listener
            text = self.solver.key_text(value).lstrip("-").replace("-", "_")
            field = self.solver.field(parser, self.program.name(text))
            for source in sources:
                self.solver.edge(source, field)

    def _on_member(self, value: int, listener: Listener) -> None:
        self.rules.call_value(listener[1], value)

    def load(self, value: int, name: int, target: int) -> None:
        """Read what parsed arguments hold."""
        self.solver.edge(self.solver.field(value, name), target)
        if self.solver.detail[value][1] == _CONTEXT and self.program.texts[name] == "parent":
            self.solver.add(target, value)
