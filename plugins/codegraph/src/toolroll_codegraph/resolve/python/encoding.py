"""What `json` hands to the hooks of who encodes and decodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.models import Model, PythonModels

_ENCODING: Final = ("json.dumps", "json.dump")
"""Hands what it is given to `default`, if that is nothing it knows."""
_DECODING: Final = ("json.loads", "json.load")
"""Returns what a hook makes of each mapping it reads, or lists and mappings of such."""
_HOOKS: Final = ("object_hook", "object_pairs_hook")


class PythonEncoding:
    """Calls of such hooks."""

    def __init__(self, models: PythonModels) -> None:
        self.models = models
        self.solver = models.solver
        self.functions: dict[str, Model] = {
            **dict.fromkeys(_ENCODING, self._encode),
            **dict.fromkeys(_DECODING, self._decode),
        }

    def _encode(self, call: Call, arguments: list[int]) -> None:
        models = self.models
        first = call.positional[0] if call.positional else -1
        for item in (first, models.elements_of(call, first)):
            default = models.keyword(call, "default")
            models.callbacks.apply_later(call, default, (item,), (), -1)
            encoder = models.keyword(call, "cls")
            if encoder >= 0:
                self.solver.listen(encoder, (self._on_encoder, call, item))

    @handler
    def _on_encoder(self, value: int, listener: Listener) -> None:
        """Hand what is encoded to the `default` of an encoder's class."""
        if self.solver.kind[value] == CLASS:
            _, call, item = listener
            program = self.models.program
            name, flags = program.name("default"), CallFlag.QUIET | CallFlag.IMPLICIT
            inner = Call(-1, call.scope, call.line, name, (item,), (), flags)
            self.models.rules.invoke_member(inner, value + program.scopes, name)

    def _decode(self, call: Call, arguments: list[int]) -> None:
        hooks = [self.models.keyword(call, name) for name in _HOOKS]
        for hook in hooks:
            if hook >= 0:
                made = self.solver.slot()
                self.models.callbacks.apply_later(call, hook, (-1,), (), made)
                self.solver.edge(made, call.result)
                inside = self.solver.field(self.models.result(call), self.models.any_key)
                self.solver.edge(made, inside)
