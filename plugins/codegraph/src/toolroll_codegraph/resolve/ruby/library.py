"""Classes of Ruby's library that keep what they are given: sets, queues, open structures.

The project does not define them: their constant is the text of their name, which makes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.program import CONTAINER, TEXT
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

TASK: Final = "task"
"""The kind of threads and fibers."""
LIBRARY: Final[dict[str, object]] = {
    "Set": ObjectKind.SEQUENCE, "SortedSet": ObjectKind.SEQUENCE, "Queue": ObjectKind.SEQUENCE,
    "SizedQueue": ObjectKind.SEQUENCE, "Thread.Queue": ObjectKind.SEQUENCE,
    "OpenStruct": ObjectKind.HASH, "Enumerator": ObjectKind.SEQUENCE,
    "Thread": TASK, "Fiber": TASK, "JSON": ObjectKind.STRING,
    "Marshal": ObjectKind.STRING, "Concurrent.Hash": ObjectKind.HASH,
    "Concurrent.Map": ObjectKind.HASH, "Concurrent.Array": ObjectKind.SEQUENCE,
    "Concurrent.Set": ObjectKind.SEQUENCE,
}  # fmt: skip
_TASKS: Final = frozenset(("Thread", "Fiber"))
_STREAMS: Final = frozenset(("File", "IO", "StringIO", "Tempfile"))
_STARTING: Final = ("new", "start", "fork")
_RUNNING: Final = ("current", "main")
_FINISHING: Final = ("value", "resume")
_READ: Final = frozenset(("[]", "fetch", "thread_variable_get"))
_WRITTEN: Final = frozenset(("[]=", "thread_variable_set"))
"""What reads and writes variables of a thread or fiber."""
_WRITING: Final = ("generate", "pretty_generate", "dump")


class RubyLibrary(RubyFeature):
    """What is made of such classes is an array or a hash, but for what it asks of its elements."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.made: set[int] = set()
        """What was made: the library, not the caller, asks what is inside."""
        self._dumped = self.solver.slot()
        """What objects give in place of themselves to be dumped."""
        self.tasks: set[int] = set()
        """Threads and fibers, whose only element is what their block returns."""
        self.current = self.solver.make(CONTAINER, TASK, "current")
        """The thread or fiber that runs: any, since nothing tells which one runs what."""
        self.tasks.add(self.current)
        self._locals = self.solver.container(("locals",), ObjectKind.HASH)
        """The variables that threads and fibers have under names of their own."""
        self.made |= {self.current, self._locals}

    def make(self, call: Call, value: int) -> None:
        """Answer `Set.new(list)`, `Set[item]` and `OpenStruct.new(name: value)`."""
        solver, containers = self.solver, self.rules.containers
        name, text = self.program.texts[call.name], solver.key_text(value)
        kind = LIBRARY.get(text)
        if kind == ObjectKind.STRING:
            for item in call.positional[:1]:
                if text == "Marshal":
                    self._marshal(call, item, name)
                elif name in _WRITING:
                    self.rules.conversions.ask(call, item, self.program.name("to_json"))
            return
        if text in _TASKS and name in _RUNNING:
            solver.add(call.result, self.current)
            return
        if text == "Fiber" and name in ("[]", "[]="):
            self._local(call, name)
            return
        if kind is None or name not in ("[]", *_STARTING):
            return
        made = solver.make(CONTAINER, kind, "library", call.result)
        if not text.startswith("Concurrent."):  # those are plain arrays and hashes
            self.made.add(made)
        if call.flags & CallFlag.BLOCK and name in _STARTING:
            self._run(call, made, text)
            return
        for item in call.positional:
            if name == "[]":
                containers.put(made, item)
            elif item >= 0:
                containers.take_in(made, item)
        for key, item in call.named():
            if key >= 0 and item >= 0:
                solver.edge(item, solver.field(made, self._key(self.program.texts[key])))
        solver.add(call.result, made)

    def of_class(self, call: Call, value: int) -> bool:
        """`Thread.current` and `File.open`, where the project adds to such a class or derives from
        it."""
        name = self.program.texts[call.name]
        if name == "open" and self._is_stream(value):
            self._open(call, value)
            return True
        if name not in _RUNNING or not self._is_task(value):
            return False
        self.solver.add(call.result, self.current)
        self.solver.add(call.result, value + self.program.scopes)
        return True

    def _is_stream(self, value: int) -> bool:
        """Whether a class derives from one of Ruby's streams, whose `open` makes one."""
        further, bases = self.rules.imports.further, self.program.bases
        order = self.rules.classes.order(value)
        return any(further.get(base) in _STREAMS for known in order for base in bases[known])

    def _open(self, call: Call, value: int) -> None:
        """Make a stream; a block is given it, and its value is what `open` returns."""
        block = call.flags & CallFlag.BLOCK
        opened = self.solver.slot() if block else call.result
        positional = call.positional[:-1] if block else call.positional
        inner = self.solver.derived_call(call, opened, positional)
        self.rules.making.instantiate(inner, value)
        self.rules.procedures.run_block(call, (opened,), call.result)

    def of_instance(self, call: Call, scope: int) -> bool:
        """`self[:name]` in such a class."""
        name = self.program.texts[call.name]
        if (name not in _READ and name not in _WRITTEN) or not self._is_task(scope):
            return False
        self._local(call, name)
        return True

    def _is_task(self, scope: int) -> bool:
        """Whether a class is one of threads or fibers."""
        paths, solver = self.rules.imports.paths, self.solver
        for known in self.rules.classes.order(scope):
            if paths.get(known) in _TASKS:
                return True
            for base in self.program.bases[known]:
                for value in solver.points[base] or ():
                    if solver.kind[value] == TEXT and solver.key_text(value) in _TASKS:
                        return True
        return False

    def _local(self, call: Call, name: str) -> None:
        """Read or write a variable of a thread or fiber, if its name is known."""
        solver, containers, positional = self.solver, self.rules.containers, call.positional
        key = positional[0] if positional else -1
        if key < 0:
            return
        if name in _WRITTEN:
            if len(positional) > 1:
                solver.listen(key, (containers.on_stored, self._locals, positional[1]))
            return
        solver.listen(key, (containers.on_key, self._locals, call.result))
        if call.flags & CallFlag.BLOCK:  # of `fetch`, for what is not there
            self.rules.procedures.run_block(call, (key,), call.result)
        elif len(positional) > 1:
            solver.edge(positional[1], call.result)

    def _run(self, call: Call, made: int, text: str) -> None:
        """A block that yields to an enumerator, or makes the value of a thread."""
        run, inside = self.rules.procedures.run_block, self.rules.containers.any_key
        if text in _TASKS:
            self.tasks.add(made)
            run(call, call.positional[:-1], self.solver.field(made, inside))
        else:
            given = self.solver.slot()
            self.solver.add(given, made)
            run(call, (given,), -1)
        self.solver.add(call.result, made)

    def _marshal(self, call: Call, item: int, name: str) -> None:
        """What `load` reads is what was dumped: `Marshal.load(Marshal.dump(object))` is a copy."""
        if item < 0 or name not in ("dump", "load"):
            return
        self.solver.edge(item, call.result)
        hook = self.program.name(f"marshal_{name}")
        if name == "dump":
            self.rules.conversions.ask(call, item, hook, -1, self._dumped)
        else:
            self.rules.conversions.ask(call, item, hook, self._dumped)

    def answer(self, call: Call, value: int, name: str) -> bool:
        """Read or write what an open structure has under a name of its own, or wait for a task."""
        if value in self.tasks:
            if name in _READ or name in _WRITTEN:
                self._local(call, name)
            elif name in _FINISHING:
                self.rules.containers.elements(value, call.result)
            elif name == "join":
                self.solver.add(call.result, value)
            return True
        if self.solver.detail[value][0] != ObjectKind.HASH or value not in self.made:
            return False
        if name.endswith("=") and name != "[]=" and call.positional and call.positional[0] >= 0:
            field = self.solver.field(value, self._key(name[:-1]))
            self.solver.edge(call.positional[0], field)
            return True
        if not call.positional and name.isidentifier():
            self.rules.containers.load(value, self._key(name), call.result)
        return False

    def _key(self, text: str) -> int:
        return self.program.name("[" + text)
