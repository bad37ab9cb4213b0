"""Tasks: functions that a library's decorator lets run elsewhere, as `send.delay(user)`.

So do Celery, Dramatiq, Huey, RQ, TaskIQ, Procrastinate, Prefect, Ray, Modal and Django's own tasks.
Who sends a task off has it run, and is its caller; of a function that is none nobody asks for such
a method.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.program import FUNCTION
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

_PLAIN: Final = frozenset(
    ["apply_async_on_commit", "call_local", "defer", "defer_async", "delay", "delay_on_commit",
     "enqueue", "aenqueue", "kiq", "local", "remote", "remote_gen", "s", "send", "si", "signature",
     "spawn", "submit"]
)  # fmt: skip
"""What takes the task's own arguments. Who makes a signature is taken for who sends it off."""
_SEQUENCES: Final = frozenset(["apply", "apply_async", "schedule", "send_with_options"])
"""What takes them as a sequence and a mapping."""
_OF_CLASSES: Final = frozenset(["apply_async", "delay", "delay_on_commit", "s", "si"])
"""What a task that is a class is sent off by; other names its own library may have."""
_CHANGED: Final = frozenset(["configure", "kicker", "options", "set", "using", "with_options"])
"""What gives the same task with other options."""
_RUN: Final = "run"
"""What a task that is a class defines."""
_GETTING: Final = ("ray.get",)


class PythonTasks(PythonFeature):
    """Runs tasks that are sent off."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self.functions = dict.fromkeys(_GETTING, self._get)
        name = rules.program.name
        self._sequences, self._changed, self._of_classes = (
            frozenset(map(name, names)) for names in (_SEQUENCES, _CHANGED, _OF_CLASSES)
        )
        self._names = frozenset(map(name, _PLAIN)) | self._sequences | self._changed
        self._run, self._remote = name(_RUN), name("remote")
        self._sent: list[tuple[Call, int]] | None = []
        """(call of a method that functions lack, function) until all attributes are known."""

    def _get(self, call: Call, arguments: list[int]) -> None:
        for item in arguments[:1]:
            self.rules.models.callbacks.awaited(item, call.result)

    def method(self, call: Call, value: int) -> None:
        """A method of a function or class that may be a task's."""
        if call.name not in self._names:
            return
        if self._sent is not None:
            self._sent.append((call, value))
        else:
            self._answer(call, value)

    def settle(self) -> None:
        sent, self._sent = self._sent, None
        for call, value in sent or ():
            self._answer(call, value)

    def _answer(self, call: Call, value: int) -> None:
        """Run the task, unless the project itself gives it such an attribute."""
        solver = self.solver
        if solver.points[solver.field(value, call.name)] is not None:
            return
        if call.name in self._changed:
            solver.add(call.result, value)
            return
        positional, keywords = call.positional, call.keywords
        if call.name in self._sequences:
            rest, named = self._sequence(call)
            positional = (-rest - 2,) if rest >= 0 else ()
            keywords = (-1, named) if named >= 0 else ()
        if self._takes_itself(value):
            positional = (-1, *positional)
        inner = Call(
            self.rules.models.callbacks.future(call), call.scope, call.line, -1, positional,
            keywords, call.flags,
        )  # fmt: skip
        inner.stand_for(call)
        self.rules.call_value(inner, value)

    def _sequence(self, call: Call) -> tuple[int, int]:
        """The slots of the positional arguments and of those by name."""
        models, given = self.rules.models, (*call.positional[:2], -1, -1)
        rest, named = models.keyword(call, "args"), models.keyword(call, "kwargs")
        return rest if rest >= 0 else given[0], named if named >= 0 else given[1]

    def _takes_itself(self, value: int) -> bool:
        """Whether a task is handed itself first, as with `bind=True`."""
        program = self.program
        if self.solver.kind[value] != FUNCTION or program.owner_class(value) >= 0:
            return False
        first = program.params[value][:1]
        return any(program.texts[name] in ("self", "task") for name, _, _ in first)

    def call(self, call: Call, value: int) -> bool:
        """A task that is a class, `Send().delay(user)`, runs its `run`; `Actor.remote()` makes one.

        False for others.
        """
        if value < self.program.scopes:
            if call.name == self._remote:
                self.rules.call_value(call, value)
            return call.name == self._remote
        return call.name in self._of_classes and self.rules.invoke_member(call, value, self._run)
