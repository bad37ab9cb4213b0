"""What Ruby's methods return to each caller.

`Registry.build(Circle)` is a circle, though others have that build squares. The calls whose results
a method returns are made again for each call of it, with its receiver, arguments and block; so are
those of its block, which is then given to no call but these.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

import msgspec

from toolroll_codegraph.facts import CallColumn, CallFlag, ParamKind, ScopeFlag, ScopeKind
from toolroll_codegraph.facts.model import STORE_WIDTH, Answer
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, INSTANCE
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_ONE_DEEPER: Final = 1 << 16
"""In the flags of a call that is made again: how many calls around it are."""
_DEEPEST: Final = 3
"""Calls that are made again for one another; in a large program none is."""
_MOST_CALLS: Final = 64
"""Calls of one method that it answers one by one."""
_MOST_BLOCKS: Final = 1_000
"""The same of a method that returns nothing but what its block does, as `synchronize`."""
_FEW: Final = 16
"""So many results are looked through as fast as they are looked up."""
_MOST_RECEIVERS: Final = 9
"""Receivers of a call that is made again, in a large program a third as many: with more it has what
any is given."""
_LARGE: Final = 4_000
"""Scopes of a program in which no call is made again for one that was, or for its arguments."""
_ANY: Final = -1 << 31
"""Marks a call that has what any is given."""
_ROW: Final = CallColumn.WIDTH
_OWN: Final = frozenset(("class", "clone", "dup", "new", "tap", "then", "itself"))
"""What every object, or class, answers in its own way."""


class _Answers(msgspec.Struct, gc=False):
    """The calls that a method returns the results of."""

    own: int
    """The slot of all else that it returns."""
    numbers: array[int]
    """What `calls` gives, flat."""
    reads: tuple[tuple[int, int], ...] = ()
    """The variables of its receiver that it returns, of which subclasses have their own, each with
    the slot of what they are for any."""
    apart: int = -1
    """Whether they depend on the class of the receiver; -1 until that is known."""
    blocks: bool = False
    """Whether all that calls the block is among the calls."""
    most: int = 0
    """How many calls of the method are answered so."""
    given: int = 0
    """How many have been."""

    def calls(self) -> Iterator[tuple[int, int, int]]:
        """(number of a call, slot of its receiver, why it is made again)."""
        numbers = iter(self.numbers)
        return zip(numbers, numbers, numbers, strict=True)


class RubyResults(RubyFeature):
    """Gives each call what the method that it enters returns to it."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.split: dict[int, _Answers] = {}
        self._whole: dict[int, tuple[int, ...] | set[int]] = {}
        """Method → the results of calls that are given what any is."""
        self._reads: dict[int, list[tuple[int, int, int]]] = {}
        """Method → (slot of all else that it returns, variable of its receiver that it does return,
        slot that this is read into)."""
        self._writers: dict[int, set[int]] = {}
        """Variable → the methods that write it."""
        self._large = rules.program.size > _LARGE
        self._deepest = (1 if self._large else _DEEPEST) * _ONE_DEEPER
        self._most = _MOST_RECEIVERS // 3 if self._large else _MOST_RECEIVERS
        self._open = array("i")
        """(result of a call, result for any caller) of calls made again, flat."""

    def add(self, function: int, own: int, identifier: int, base: int, why: int) -> None:
        """Note a call that a function returns the result of, or needs for one that it does."""
        if self._large:
            if why & Answer.FOR_BLOCK:
                return
            why &= ~Answer.BLOCK
        source = self.solver.operations.calls[identifier * _ROW + CallColumn.SOURCE]
        known = self.split.get(function)
        if known is None:
            known = self.split[function] = _Answers(own, array("i"))
        known.blocks |= bool(why & Answer.BLOCK)
        slot = source + base if source >= 0 else -1
        known.numbers.extend((identifier, slot, why))

    def add_read(self, function: int, own: int, name: int, target: int) -> None:
        """Note a variable of its receiver that a function returns."""
        self._reads.setdefault(function, []).append((own, name, target))

    def find(self) -> None:
        """Tell the variables apart that subclasses have for themselves."""
        for function, reads in self._reads.items():
            owner = self.program.owner_class(function)
            apart: tuple[tuple[int, int], ...] = ()
            if owner >= 0 and not self.program.flags[function] & ScopeFlag.SINGLETON:
                owner = self.program.canonical[owner]
                apart = tuple(
                    (name, target)
                    for _, name, target in reads
                    if self.classes.overriders(owner, name)
                )
            if apart:
                self.split.setdefault(function, _Answers(reads[0][0], array("i"))).reads += apart
            if function in self.split:
                for own, name, target in reads:
                    if (name, target) not in apart and not self._is_memo(function, name):
                        self.solver.edge(target, own)
        self._reads.clear()
        self._writers.clear()

    def _is_memo(self, function: int, name: int) -> bool:
        """Whether a class's variable holds nothing but what a method of its own has returned, as
        of `@pool ||= build`: of each class that runs it what is made again for that."""
        program, classes = self.program, self.classes
        if not program.flags[function] & ScopeFlag.SINGLETON:
            return False
        if not self._writers:
            self._find_writers()
        owner = program.owner_class(function)
        order = classes.order(owner) if owner >= 0 else ()
        written = self.rules.attributes.get(program.name(f".{program.texts[name][1:]}="), {})
        others = {program.owner_class(it) for it in self._writers[name] if it != function}
        return function in self._writers[name] and not any(
            other < 0
            or other in order
            or owner in classes.order(other)
            or program.kind[other] == ScopeKind.NAMESPACE
            for other in others.union(written)
        )

    def _find_writers(self) -> None:
        """Note the methods that write the variables which others return."""
        program, operations = self.program, self.solver.operations
        for reads in self._reads.values():
            self._writers.update((name, set()) for _, name, _ in reads)
        names, scopes = (operations.stores[column::STORE_WIDTH] for column in (1, 3))
        for index, name, scope in zip(operations.store_file, names, scopes, strict=True):
            found = self._writers.get(program.renames[index][name])
            if found is not None:
                found.add(program.caller[scope + program.scope_base[index]])

    def give(self, call: Call, function: int, answers: _Answers, receiver: int) -> bool:
        """Answer a call of a function for one of its receivers, and tell whether its block too."""
        solver, program = self.solver, self.program
        known, result = function in call.fired, call.result
        if known and result in self._whole.get(function, ()):
            return False
        given: dict[int, int] = {}
        apart = False
        blocks = answers.blocks and bool(call.flags & CallFlag.BLOCK) and call.positional[-1] >= 0
        wanted = blocks or solver.active[result]
        most = answers.most or self._count(function, answers)
        if wanted and answers.given < most and call.flags < self._deepest:
            apart = receiver >= 0 and self._is_apart(function, answers, receiver)
            if known and not apart:
                return blocks
            given = self._given(call, function)
        if not given and not apart:
            self._note_whole(function, result)
            solver.edge(program.ret[function], result)
            return False
        answers.given += 1
        solver.edge(answers.own, result)
        for name, target in answers.reads:
            if apart:
                self.rules.load(receiver, name, result, call.scope, call.line)
            else:
                solver.edge(target, result)
        if apart and answers.numbers:
            this = given[program.this[function]] = solver.slot()
            solver.add(this, receiver)
        for identifier, source, why in answers.calls():
            self._repeat(solver.translate(identifier), source, given, call, why)
        return blocks

    def _note_whole(self, function: int, result: int) -> None:
        known = self._whole.get(function, ())
        if isinstance(known, set):
            known.add(result)
        elif result not in known:  # a set takes three times as much as a tuple
            more = (*known, result)
            self._whole[function] = more if len(more) <= _FEW else set(more)

    def _count(self, function: int, answers: _Answers) -> int:
        """How many calls of a method are answered one by one."""
        params, translate = self.program.params[function], self.solver.translate
        block = next((slot for _, slot, shape in params if shape == ParamKind.BLOCK), -1)
        is_blocks_alone = block >= 0 and not answers.reads and all(
            source == block or block in translate(identifier).positional
            for identifier, source, _ in answers.calls()
        )  # fmt: skip
        answers.most = _MOST_BLOCKS if is_blocks_alone else _MOST_CALLS
        return answers.most

    def _repeat(
        self, original: Call, source: int, given: dict[int, int], call: Call, why: int
    ) -> None:
        """Make a call again with what this caller of the method has given."""
        solver = self.solver
        positional = tuple([given.get(item, item) for item in original.positional])
        keywords = tuple(
            [given.get(item, item) if place & 1 else item
             for place, item in enumerate(original.keywords)]
        )  # fmt: skip
        own = given.get(source, source)
        if own == source and (
            self._large or (positional, keywords) == (original.positional, original.keywords)
        ):
            if why & Answer.RETURNED:
                solver.edge(original.result, call.result)
            return
        result = solver.slot()
        given[original.result] = result
        if why & Answer.RETURNED:
            solver.edge(result, call.result)
        if why & Answer.BLOCK:  # which is called nowhere else
            solver.edge(result, original.result)
        self._open.extend((result, original.result))
        flags = original.flags + (call.flags & -_ONE_DEEPER) + _ONE_DEEPER
        inner = Call(
            result, original.scope, original.line, original.name, positional, keywords, flags
        )
        block = original.positional[-1] if original.flags & CallFlag.BLOCK else -1
        solver.listen(own, (self._on_receiver, inner, own, original.result, block))

    @handler
    def _on_receiver(self, value: int, listener: Listener) -> None:
        call: Call = listener[1]
        source: int = listener[2]
        if len(self.solver.points[source] or ()) > self._most:  # it may be any
            if call.once(_ANY):
                self.solver.edge(listener[3], call.result)
                if call.flags & CallFlag.BLOCK:
                    self.solver.edge(call.positional[-1], listener[4])
        else:
            self.solver.answer(call, value)

    def _given(self, call: Call, function: int) -> dict[int, int]:
        """Slot of a parameter → what a call gives for it, as far as no splat hides that."""
        found: dict[int, int] = {}
        positional, block = call.positional, -1
        if call.flags & CallFlag.BLOCK and positional:
            positional, block = positional[:-1], positional[-1]
        params = self.program.params[function]
        plain = [slot for _, slot, shape in params if shape == ParamKind.POSITIONAL]
        if len(positional) <= len(plain) and min(positional, default=0) >= -1:
            found = {slot: item for slot, item in zip(plain, positional, strict=False) if item >= 0}
        named = dict(call.named()) if call.keywords else {}
        for name, slot, shape in params:
            if shape == ParamKind.BLOCK and block >= 0:
                found[slot] = block
            elif shape == ParamKind.KEYWORD and named.get(name, -1) >= 0:
                found[slot] = named[name]
        return found

    def _is_apart(self, function: int, answers: _Answers, receiver: int) -> bool:
        """Whether a method may return one thing to one receiver, and another to others."""
        if self.solver.kind[receiver] not in (INSTANCE, CLASS):
            return False
        return self._gives_several(function, answers)

    def _gives_several(self, function: int, answers: _Answers) -> bool:
        if answers.reads:
            return True
        if answers.apart < 0:
            answers.apart = 0  # as long as one that calls itself is looked at
            owner = self.program.owner_class(function)
            answers.apart = owner >= 0 and self._has_several(function, answers, owner)
        return bool(answers.apart)

    def _has_several(self, function: int, answers: _Answers, owner: int) -> bool:
        program, classes = self.program, self.classes
        owner = program.canonical[owner]
        below = classes.subclasses.get(owner, ())
        if len(below) <= (program.kind[owner] == ScopeKind.NAMESPACE):
            return False
        static = program.flags[function] & ScopeFlag.SINGLETON
        for identifier, source, _ in answers.calls():
            call = self.solver.translate(identifier)
            if program.this[function] in call.positional:
                return True
            if source == program.this[function]:
                if program.texts[call.name] in _OWN:
                    return True
                name = self.rules.static(call.name) if static else call.name
                if classes.overriders(owner, name) or self._found_several(owner, name):
                    return True
        return False

    def _found_several(self, owner: int, name: int) -> bool:
        """Whether the method that a class has under a name gives receivers different things."""
        slot = self.classes.find(owner, name)
        methods = self.solver.points[slot] if slot >= 0 else ()
        return any(
            self._gives_several(method, self.split[method])
            for method in methods or ()
            if method in self.split
        )

    def settle(self) -> None:
        """Where nothing is known of what one caller gives, it is answered as any is."""
        points, pairs = self.solver.points, iter(self._open)
        for result, whole in zip(pairs, pairs, strict=True):
            if points[result] is None:
                self.solver.edge(whole, result)
        del self._open[:]
