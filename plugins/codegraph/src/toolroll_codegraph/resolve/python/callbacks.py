"""Functions that the standard library is handed and calls itself: in a thread, from an event loop,
at the end of the program.

Who hands them over does not call them, so that there is no edge; but their arguments and what they
return go from there to there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import RETURNED, CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, EXTERNAL

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.containers import PythonContainers

_LOOP: Final = "asyncio.AbstractEventLoop"
_GROUP: Final = "asyncio.TaskGroup"
_CONTEXT: Final = "contextvars.Context"
_RUNNER: Final = "asyncio.Runner"
_NURSERY: Final = "anyio.TaskGroup"
_EXECUTOR: Final = "concurrent.futures.Executor"
_POOL: Final = "multiprocessing.Pool"
_FUTURE: Final = "future"
_MADE: Final = {
    "asyncio.get_event_loop": _LOOP, "asyncio.get_running_loop": _LOOP,
    "asyncio.new_event_loop": _LOOP, "concurrent.futures.ThreadPoolExecutor": _EXECUTOR,
    "concurrent.futures.ProcessPoolExecutor": _EXECUTOR, _POOL: _POOL,
    "multiprocessing.pool.ThreadPool": _POOL, "multiprocessing.pool.Pool": _POOL,
    _GROUP: _GROUP, _RUNNER: _RUNNER, _CONTEXT: _CONTEXT, "contextvars.copy_context": _CONTEXT,
    "anyio.create_task_group": _NURSERY, "trio.open_nursery": _NURSERY,
}  # fmt: skip
"""What such a function returns, or a class makes."""
_FOLLOWED: Final = {
    "atexit.register": 0, "signal.signal": 1, "weakref.finalize": 1, "asyncio.to_thread": 0,
    f"{_LOOP}.run_in_executor": 1, f"{_LOOP}.call_soon": 0, f"{_LOOP}.call_soon_threadsafe": 0,
    f"{_LOOP}.call_later": 1, f"{_LOOP}.call_at": 1, f"{_LOOP}.add_signal_handler": 1,
    f"{_LOOP}.add_reader": 1, f"{_LOOP}.add_writer": 1, f"{_EXECUTOR}.submit": 0,
    f"{_NURSERY}.start_soon": 0, f"{_NURSERY}.start": 0, "anyio.to_thread.run_sync": 0,
    "anyio.from_thread.run": 0, "anyio.from_thread.run_sync": 0, "trio.to_thread.run_sync": 0,
    "trio.from_thread.run": 0, "trio.from_thread.run_sync": 0,
    "starlette.concurrency.run_in_threadpool": 0, "fastapi.concurrency.run_in_threadpool": 0,
}  # fmt: skip
"""Where the function is among the arguments; those behind it are its own."""
_AT_ONCE: Final = frozenset([f"{_CONTEXT}.run", "anyio.run", "trio.run"])
"""What calls its first argument with the others before it returns: who hands it over, calls."""
_KEPT: Final = {
    "threading.Thread": (1, 3, "target"), "threading.Timer": (1, 2, "function"),
    "multiprocessing.Process": (1, 3, "target"), f"{_POOL}.apply": (0, 1, "func"),
    f"{_POOL}.apply_async": (0, 1, "func"),
}  # fmt: skip
"""Where the function and a sequence of its arguments are, and how the function is named."""
_CONNECTED: Final = frozenset(
    f"{_LOOP}.{name}"
    for name in (
        "connect_read_pipe", "connect_write_pipe", "create_connection", "create_unix_connection",
        "create_datagram_endpoint", "subprocess_exec", "subprocess_shell",
    )
)  # fmt: skip
"""Makes a protocol by what it is handed, and returns a transport with that."""
_SERVED: Final = frozenset([f"{_LOOP}.create_server", f"{_LOOP}.create_unix_server"])
"""Makes one for each connection."""
_MAPPED: Final = frozenset(
    [
        f"{_EXECUTOR}.map",
        *[f"{_POOL}.{name}" for name in ("map", "imap", "imap_unordered", "map_async")],
    ]
)
_STARRED: Final = frozenset([f"{_POOL}.starmap", f"{_POOL}.starmap_async"])
_TASKS: Final = frozenset(
    [
        "asyncio.create_task",
        "asyncio.ensure_future",
        "asyncio.run_coroutine_threadsafe",
        f"{_LOOP}.create_task",
        f"{_GROUP}.create_task",
    ]
)
"""Makes a future of what its argument gives."""
_AWAITED: Final = frozenset(
    [
        "asyncio.run",
        "asyncio.wait_for",
        "asyncio.shield",
        f"{_LOOP}.run_until_complete",
        f"{_RUNNER}.run",
    ]
)
"""Gives what its argument does."""
_COMPLETED: Final = frozenset(["asyncio.as_completed", "concurrent.futures.as_completed"])
_RESULTS: Final = frozenset([f"{_EXECUTOR}.submit", f"{_POOL}.apply_async"])
_FUTURES: Final = frozenset(
    ["asyncio.Future", "concurrent.futures.Future", f"{_LOOP}.create_future"]
)
_ENTERED: Final = frozenset(
    [
        *[f"{name}.__enter__" for name in (_EXECUTOR, _POOL, _RUNNER)],
        *[f"{name}.__aenter__" for name in (_GROUP, _NURSERY)],
    ]
)
CALLBACKS: Final = frozenset(
    [
        *_MADE,
        *_FOLLOWED,
        *_AT_ONCE,
        *_KEPT,
        *_CONNECTED,
        *_SERVED,
        *_MAPPED,
        *_STARRED,
        *_TASKS,
        *_AWAITED,
        *_COMPLETED,
        *_FUTURES,
        *_ENTERED,
    ]
)

LOOKING: Final = frozenset(
    (
        "functools.wraps", "functools.update_wrapper", "asyncio.iscoroutinefunction",
        "asgiref.sync.iscoroutinefunction", "asgiref.sync.markcoroutinefunction",
        "typing.get_type_hints", "copy.copy", "copy.deepcopy",
        *(f"inspect.{name}" for name in (
            "cleandoc", "getattr_static", "getdoc", "getfile", "getfullargspec", "getmodule",
            "getsource", "getsourcefile", "getsourcelines", "isabstract", "isasyncgenfunction",
            "isawaitable", "isbuiltin", "isclass", "iscoroutine", "iscoroutinefunction",
            "isfunction", "isgenerator", "isgeneratorfunction", "ismethod", "isroutine",
            "markcoroutinefunction", "signature", "unwrap",
        )),
    )
)  # fmt: skip
"""What takes a function, and neither keeps it nor calls it."""


class PythonCallbacks:
    """Hands arguments to such functions, and their results to who waits for them."""

    def __init__(self, models: PythonContainers) -> None:
        self.models = models
        self.solver = models.solver

    def call(self, call: Call, name: str) -> None:
        """Call a function of the library that takes one, or makes what does."""
        positional, solver = call.positional, self.solver
        first = positional[0] if positional else -1
        if name in _MADE:
            solver.add(call.result, solver.make(EXTERNAL, _MADE[name]))
        elif name in _FOLLOWED:
            place = _FOLLOWED[name]
            if name == "atexit.register":
                solver.edge(first, call.result)
            if len(positional) > place:
                self._hand(call, name, positional[place], positional[place + 1 :], call.keywords)
        elif name in _AT_ONCE:
            inner = solver.derived_call(call, call.result, positional[1:])
            solver.listen(first, (self._on_function, inner))
        elif name in _KEPT:
            self._keep(call, name)
        elif name in _CONNECTED or name in _SERVED:
            made = solver.slot()
            self.apply_later(call, first, (), (), made)
            if name in _CONNECTED:
                solver.add(call.result, self.models.row(call, -1, made))
        elif name in _MAPPED or name in _STARRED:
            elements = [self.models.elements_of(call, source) for source in positional[1:]]
            if name in _STARRED:
                elements = [-item - 2 for item in elements if item >= 0]
            made = solver.field(self.models.result(call), self.models.any_key)
            self.apply_later(call, first, tuple(elements), (), made)
        elif name in _TASKS:
            self.awaited(first, self.future(call))
        elif name in _AWAITED:
            self.awaited(first, call.result)
        elif name in _FUTURES:
            self.future(call)
        elif name in _COMPLETED:
            made = solver.field(self.models.result(call), self.models.any_key)
            solver.edge(self.models.elements_of(call, first), made)
        elif name in _ENTERED:
            solver.add(call.result, solver.make(EXTERNAL, name.rpartition(".")[0]))

    def _keep(self, call: Call, name: str) -> None:
        """A function with a sequence of arguments and a mapping of those that are named."""
        function, arguments, keyword = _KEPT[name]
        slots = [
            call.positional[place] if len(call.positional) > place else -1
            for place in (function, arguments, arguments + 1)
        ]
        for index, key in enumerate((keyword, "args", "kwargs")):
            if slots[index] < 0:
                slots[index] = self.models.keyword(call, key)
        positional = (-slots[1] - 2,) if slots[1] >= 0 else ()
        keywords = (-1, slots[2]) if slots[2] >= 0 else ()
        self._hand(call, name, slots[0], positional, keywords)

    def _hand(
        self, call: Call, name: str, function: int, positional: tuple[int, ...],
        keywords: tuple[int, ...],
    ) -> None:  # fmt: skip
        result = call.result
        if name in _RESULTS:
            result = self.future(call)
        elif name in ("atexit.register", "signal.signal") or name in _KEPT:
            result = -1
        self.apply_later(call, function, positional, keywords, result)

    def apply_later(
        self, call: Call, function: int, positional: tuple[int, ...], keywords: tuple[int, ...],
        result: int,
    ) -> None:  # fmt: skip
        """Let a function have its arguments, and give its result to a slot."""
        if function >= 0:
            flags = CallFlag.QUIET | CallFlag.IMPLICIT
            inner = Call(result, call.scope, call.line, -1, positional, keywords, flags)
            self.solver.listen(function, (self._on_function, inner))

    @handler
    def _on_function(self, value: int, listener: Listener) -> None:
        self.models.rules.call_value(listener[1], value)

    def awaited(self, source: int, target: int) -> None:
        """Let a slot have what waiting for the values of another gives.

        A coroutine is what it returns; a future has its result.
        """
        if source >= 0:
            self.solver.listen(source, (self._on_awaited, target))

    @handler
    def _on_awaited(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == CONTAINER and self.solver.detail[value][0] == _FUTURE:
            self.solver.edge(self.solver.field(value, self.models.any_key), listener[1])
        else:
            self.solver.add(listener[1], value)

    def entered(self, source: int, target: int) -> None:
        """Let a slot have what a function returned, or yields for as long as somebody uses it."""
        self.solver.listen(source, (self._on_entered, target, source))

    @handler
    def _on_entered(self, value: int, listener: Listener) -> None:
        _, target, source = listener
        if self._is_yielded(value, source):
            self.models.elements(value, target)
        else:
            self.solver.add(target, value)

    def _is_yielded(self, value: int, source: int) -> bool:
        """Whether a value is a generator, or what one is annotated to be: `Iterator[Session]`."""
        kind, detail = self.solver.kind, self.solver.detail
        if kind[value] != CONTAINER:
            return False
        return detail[value][0] == ObjectKind.GENERATOR or (
            detail[value][0] == ObjectKind.SEQUENCE
            and any(
                kind[it] == CONTAINER and detail[it][0] == ObjectKind.GENERATOR
                for it in self.solver.points[source] or ()
            )
        )

    def future(self, call: Call) -> int:
        """Return a future; the slot of its result."""
        made = self.solver.make(CONTAINER, _FUTURE, call.result)
        self.solver.add(call.result, made)
        return self.solver.field(made, self.models.any_key)

    def method(self, call: Call, future: int, name: str, first: int) -> bool:
        """Call a method of what stands for a result; False for other objects."""
        if self.solver.detail[future][0] != _FUTURE:
            return False
        held = self.solver.field(future, self.models.any_key)
        if name in ("result", "get"):
            self.solver.edge(held, call.result)
        elif name == "set_result":
            self.solver.edge(first, held)
        elif name == "__await__":
            waited = self.solver.container((_FUTURE, future), ObjectKind.GENERATOR)
            self.solver.edge(held, self.solver.field(waited, self.models.program.name(RETURNED)))
            self.solver.add(call.result, waited)
        elif name == "add_done_callback":
            own = self.solver.slot()
            self.solver.add(own, future)
            self.apply_later(call, first, (own,), (), -1)
        return True
