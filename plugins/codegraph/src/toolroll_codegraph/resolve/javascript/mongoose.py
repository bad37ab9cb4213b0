"""Mongoose's schemas: what documents and models made of one have, by assignment and by calls.

`schema.methods.greet = f`, `schema.method("greet", f)` and `{methods: {greet}}` give it to
documents, `statics` to the model; virtual properties are read from documents, and hooks run on
them. Queries of a model give documents, as those of repositories do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.javascript.repositories import GIVING
from toolroll_codegraph.resolve.program import CONTAINER, FUNCTION, TEXT

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

MODEL: Final = "model"
_SCHEMA: Final = "schema"
_METHOD: Final = "method of a schema"
_DEFINING: Final = {"method": "methods", "static": "statics"}
_HOOKS: Final = ("pre", "post")
_OF_DOCUMENTS: Final = frozenset(("init", "remove", "save", "validate", "deleteOne"))
"""What documents do; around other things hooks run on queries."""


class JavaScriptMongoose(JavaScriptLibrary):
    """Makes schemas and models, and does what calling their methods does."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self._name = models.program.name
        self._models: dict[int, int] = {}
        """Name → slot of the models of that name."""
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            "mongoose.Schema": self._schema,
            "mongoose.model": self._model,
        }
        self.called: dict[str, Callable[[Call, int], None]] = {
            MODEL: self._document, _METHOD: self._define,
        }  # fmt: skip

    def _schema(self, call: Call, definition: int, options: int) -> None:
        schema = self.solver.make(CONTAINER, _SCHEMA, call.result)
        self.solver.add(call.result, schema)
        for part in _DEFINING.values():
            self.solver.add(self.solver.field(schema, self._name(part)), self._part(schema, part))
        for name in (*_DEFINING, *_HOOKS, "virtual", "plugin", "loadClass"):
            method = self.solver.make(CONTAINER, _METHOD, name, schema)
            self.solver.add(self.solver.field(schema, self._name(name)), method)
        document = self._made_of(schema, "methods")
        self.solver.add(self._documents(schema), document)
        self.solver.every_field(self._part(schema, "methods"), (self.models.on_receiving, document))
        if options >= 0:
            self.solver.listen(options, (self._on_options, schema))

    def _part(self, schema: int, part: str) -> int:
        return self.solver.container((_SCHEMA, part, schema), ObjectKind.RECORD)

    def _documents(self, schema: int) -> int:
        """The slot of the documents that a schema describes; to us they are one."""
        queries = self.solver.container((_SCHEMA, "queries", schema), ObjectKind.REPOSITORY)
        return self.solver.field(queries, self.models.any_key)

    def _made_of(self, schema: int, part: str) -> int:
        """An object with what a part of a schema has for it."""
        kind = MODEL if part == "statics" else ObjectKind.RECORD
        made = self.solver.make(CONTAINER, kind, "of schema", schema)
        self.rules.prototypes.note(made)
        self.solver.add(self.solver.field(made, self.rules.proto), self._part(schema, part))
        return made

    @handler
    def _on_options(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER:
            for part in _DEFINING.values():
                given = self.solver.field(value, self._name(part))
                self.solver.listen(given, (self._on_part, self._part(listener[1], part)))

    @handler
    def _on_part(self, value: int, listener: Listener) -> None:
        """`schema.method({greet, format})`."""
        if self.solver.kind[value] == CONTAINER:
            part = listener[1]

            def receive(name: int, slot: int) -> None:
                self.solver.edge(slot, self.solver.field(part, name))

            self.solver.mirror(value, receive)

    # methods of schemas

    def _define(self, call: Call, value: int) -> None:
        _, name, schema, *rest = self.solver.detail[value]
        first, second = (*call.positional[:2], -1, -1)[:2]
        if name == "get":
            getter = self.solver.slot()
            self.solver.listen(first, (self.rules.accessors.on_getter, getter))
            methods = self._part(schema, "methods")
            self.rules.store(methods, rest[0], getter, -1, 0)
        elif name == "plugin":
            given = self.solver.slot()
            self.solver.add(given, schema)
            self.models.callback(call, first, (given, second), -1, quiet=True)
        elif name == "loadClass":
            self.instance_of(first, self._documents(schema))
        else:
            self.solver.add(call.result, schema)
            self.solver.listen(first, (self._on_name, name, schema, second, call))
            if name in _DEFINING:
                self.solver.listen(first, (self._on_part, self._part(schema, _DEFINING[name])))

    @handler
    def _on_name(self, value: int, listener: Listener) -> None:
        _, name, schema, function, call = listener
        if self.solver.kind[value] != TEXT:
            return
        key = self.solver.key_name(value)
        if name in _DEFINING:
            field = self.solver.field(self._part(schema, _DEFINING[name]), key)
            self.solver.edge(function, field)
        elif name == "virtual":
            made = self.solver.make(CONTAINER, "virtual", key, schema)
            getter = self.solver.make(CONTAINER, _METHOD, "get", schema, key)
            self.solver.add(self.solver.field(made, self._name("get")), getter)
            self.solver.add(call.result, made)
        elif self.solver.key_text(value) in _OF_DOCUMENTS:
            self.solver.listen(function, (self._on_hook, schema))

    @handler
    def _on_hook(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == FUNCTION:
            self.solver.listen(self._documents(listener[1]), (self._on_hooked, value))

    @handler
    def _on_hooked(self, document: int, listener: Listener) -> None:
        self.rules.receive(listener[1], document)

    # models

    def _model(self, call: Call, name: int, schema: int) -> None:
        """`mongoose.model("User", schema)`, and elsewhere the same model by its name."""
        self.solver.listen(name, (self._on_model_name, call.result, schema))
        if schema >= 0:
            self.solver.listen(schema, (self._on_schema, call.result))

    @handler
    def _on_model_name(self, value: int, listener: Listener) -> None:
        _, result, schema = listener
        if self.solver.kind[value] == TEXT:
            name = self.solver.key_name(value)
            if name not in self._models:
                self._models[name] = self.solver.slot()
            if schema >= 0:
                self.solver.listen(schema, (self._on_schema, self._models[name]))
            else:
                self.solver.edge(self._models[name], result)

    @handler
    def _on_schema(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] == _SCHEMA:
            model = self._made_of(value, "statics")
            self.solver.add(listener[1], model)
            self.solver.every_field(self._part(value, "statics"), (self.models.on_receiving, model))

    def _document(self, call: Call, value: int) -> None:
        """`new User(data)`."""
        if call.flags & CallFlag.NEW:
            self.solver.edge(self._documents(self.solver.detail[value][2]), call.result)

    def method(self, call: Call, value: int) -> None:
        """A query of a model: `User.find()`."""
        if self.models.program.texts[call.name] in GIVING:
            schema = self.solver.detail[value][2]
            queries = self.solver.container((_SCHEMA, "queries", schema), ObjectKind.REPOSITORY)
            self.models.repositories.call(call, queries)
