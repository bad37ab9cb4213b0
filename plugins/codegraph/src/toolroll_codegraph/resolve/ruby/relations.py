"""What extraction found out about Ruby's files, entered into the tables of the rules."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from toolroll_codegraph.resolve.ruby.feature import RubyFeature
from toolroll_codegraph.resolve.ruby.objects import MIXINS

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class _File(NamedTuple):
    """A file of the program, and where its own numbers begin in that."""

    number: int
    scopes: int
    slots: int
    calls: int
    names: list[int]
    """Its own numbers of names → those of the program."""


_Reader = Callable[[_File, int, int, int, int], None]
"""Enters a relation; given are its scope, name, slot and what else it says, in numbers of a file.
Some kinds have a slot for their scope, or in place of another number."""


class RubyRelations(RubyFeature):
    """Reads the relations of all files, once."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self.declarations = rules.declarations
        self._shared = {self.program.name("$!"): rules.raising.raised}
        """Global variable → its slot."""
        self._prepended: set[int] = set()
        self._wrapping: dict[int, set[tuple[int, int]]] = {}
        self._readers: dict[str, _Reader] = {
            **{kind: partial(self._mix, kind=kind) for kind in MIXINS},
            "refine": self._refine, "using": self._use,
            "extended": self._extended, "single": self._single,
            "delegator": self._delegator, "grown": self._grown,
            "attr": self._attribute, "alias": self._alias,
            "handed": self._hand, "forward": self._forward,
            "define": self._define, "outdated": self._outdated,
            "public": self._publish,
            "undefined": self._undefined, "wraps": self._wraps,
            "checked": partial(self._check, refused=False),
            "refused": partial(self._check, refused=True),
            "rescued": self._rescued,
            "affirmed": partial(self._ask, refused=False),
            "denied": partial(self._ask, refused=True),
            "tested": self._tested, "always": self._always,
            "listed": partial(self._list, refused=False),
            "unlisted": partial(self._list, refused=True),
            "spelled": partial(self._spell, refused=False),
            "misspelled": partial(self._spell, refused=True),
            "raise": self._raise, "rescue": self._rescue,
            "blockless": self._blockless, "around": self._around,
            "layered": self._layered, "iterate": self._iterate,
            "answer": self._answer, "reads": self._reads,
            "joined": self._joined, "filled": self._filled,
            "naming": self._naming, "lent": self._lent,
            "global": self._global, "view": self._view,
        }  # fmt: skip
        """Kind of relation → what enters it."""

    def read(self) -> None:
        program, solver = self.program, self.solver
        self.rules.imports.bind()
        for index, facts in enumerate(program.facts):
            module = program.scope_base[index]
            solver.add(program.value[module], module)
            for name, slot in (program.members[module] or {}).items():
                self.rules.toplevel.methods.setdefault(name, []).append((index, slot))
            first = bisect_left(solver.operations.call_file, index)
            at = _File(index, module, program.slot_base[index], first, program.renames[index])
            for kind, scope, name, slot, extra in facts.relations:
                reader = self._readers.get(kind)
                if reader is not None:
                    reader(at, scope, name, slot, extra)
        if self._wrapping:
            self.rules.wrapping.prepare(self._wrapping, self._prepended)
        self.rules.raising.prepare()
        self.rules.hooks.watch_classes()

    def _owner(self, at: _File, scope: int) -> int:
        """The class that a scope is, wherever it is opened."""
        return self.program.canonical[scope + at.scopes]

    # classes and what is mixed into them

    def _mix(self, at: _File, scope: int, _: int, slot: int, line: int, *, kind: str) -> None:
        self.declarations.mix_any(
            slot + at.slots, self._owner(at, scope), kind, scope + at.scopes, line
        )
        if kind == "prepend":
            self._prepended.add(slot + at.slots)

    def _refine(self, at: _File, scope: int, name: int, slot: int, line: int) -> None:
        self._mix(at, scope, name, slot, line, kind="refine")
        self.rules.reopened.refine(self._owner(at, scope))
        self.rules.refinements.bodies.add(scope + at.scopes)

    def _use(self, at: _File, scope: int, _: int, slot: int, line: int) -> None:
        used = self.rules.refinements.use, scope + at.scopes, line
        self.solver.listen(slot + at.slots, used)

    def _extended(self, at: _File, scope: int, _: int, slot: int, before: int) -> None:
        self.declarations.extended(slot + at.slots, self._owner(at, scope), before)

    def _single(self, at: _File, scope: int, _: int, slot: int, source: int) -> None:
        source = source + at.slots if source >= 0 else -1
        self.rules.objects.single(self._owner(at, scope), slot + at.slots, source)

    def _delegator(self, at: _File, scope: int, *_: int) -> None:
        self.rules.objects.delegators.add(self._owner(at, scope))

    def _grown(self, at: _File, scope: int, *_: int) -> None:
        self.rules.reopened.grown.add(self._owner(at, scope))

    # methods that no `def` writes down

    def _attribute(self, at: _File, scope: int, name: int, access: int, of_struct: int) -> None:
        self.declarations.attribute(self._owner(at, scope), at.names[name], access, of_struct)

    def _alias(self, at: _File, scope: int, new: int, old: int, before: int) -> None:
        names, index = at.names, at.number if before else -1
        self.declarations.alias(self._owner(at, scope), names[new], names[old], index)

    def _hand(self, at: _File, scope: int, name: int, slot: int, _: int) -> None:
        self.declarations.hand(self._owner(at, scope), at.names[name], slot + at.slots)

    def _forward(self, at: _File, scope: int, name: int, to: int, method: int) -> None:
        forwarded = self.rules.objects.forwarded.setdefault(at.names[name], {})
        forwarded[self._owner(at, scope)] = at.names[to], at.names[method]

    def _define(self, at: _File, scope: int, key: int, slot: int, static: int) -> None:
        place = key + at.slots, scope + at.scopes
        self.declarations.define(self._owner(at, scope), slot + at.slots, static, place)

    def _outdated(self, at: _File, scope: int, name: int, *_: int) -> None:
        self.declarations.leave_out(self._owner(at, scope), at.names[name])

    def _publish(self, at: _File, scope: int, name: int, *_: int) -> None:
        self.rules.published.setdefault(at.names[name], set()).add(self._owner(at, scope))

    def _undefined(self, at: _File, _: int, name: int, slot: int, __: int) -> None:
        self.rules.withdrawn.setdefault(at.names[name], set()).add(slot + at.slots)

    def _wraps(self, at: _File, _: int, name: int, slot: int, extra: int) -> None:
        self._wrapping.setdefault(at.names[name], set()).add((slot, extra))

    # what tests leave of a value

    def _check(
        self, at: _File, asked: int, name: int, slot: int, source: int, *, refused: bool
    ) -> None:
        kind = asked + at.slots, self.program.texts[at.names[name]]
        self.rules.checks.add(slot + at.slots, source + at.slots, kind, refused=refused)

    def _rescued(self, at: _File, asked: int, name: int, slot: int, source: int) -> None:
        self.rules.checks.exact.add(slot + at.slots)
        self._check(at, asked, name, slot, source, refused=False)

    def _ask(self, at: _File, _: int, name: int, slot: int, source: int, *, refused: bool) -> None:
        self.rules.checks.ask(slot + at.slots, source + at.slots, at.names[name], refused=refused)

    def _tested(self, at: _File, parameter: int, _: int, slot: int, __: int) -> None:
        self.rules.checks.give_back(parameter + at.slots, slot + at.slots)

    def _always(self, at: _File, scope: int, _: int, answer: int, __: int) -> None:
        self.rules.checks.always[scope + at.scopes] = bool(answer)

    def _list(
        self, at: _File, _: int, names: int, slot: int, source: int, *, refused: bool
    ) -> None:
        base = at.slots
        self.rules.membership.add(slot + base, source + base, names + base, refused=refused)

    def _spell(
        self, at: _File, _: int, name: int, slot: int, source: int, *, refused: bool
    ) -> None:
        pattern = self.program.texts[at.names[name]]
        self.rules.membership.spell(slot + at.slots, source + at.slots, pattern, refused=refused)

    # errors, blocks and results

    def _raise(self, at: _File, scope: int, line: int, slot: int, again: int) -> None:
        self.rules.raising.throw(scope + at.scopes, line, slot + at.slots, again=bool(again))

    def _rescue(self, at: _File, scope: int, first: int, slot: int, last: int) -> None:
        self.rules.raising.catch(scope + at.scopes, first, last, slot + at.slots)

    def _blockless(self, at: _File, scope: int, _: int, slot: int, __: int) -> None:
        self.rules.blockless[scope + at.scopes] = slot + at.slots

    def _around(self, at: _File, _: int, __: int, slot: int, ___: int) -> None:
        self.rules.folding.given.add(slot + at.slots)

    def _layered(self, at: _File, backwards: int, outside: int, slot: int, made: int) -> None:
        base = at.slots
        self.rules.folding.layer(slot + base, made + base, outside + base, bool(backwards))

    def _iterate(self, at: _File, _: int, __: int, call: int, source: int) -> None:
        self.rules.iteration.add(at.number, call, source)

    def _answer(self, at: _File, scope: int, own: int, call: int, why: int) -> None:
        scope, own = scope + at.scopes, own + at.slots
        self.rules.results.add(scope, own, at.calls + call, at.slots, why)

    def _reads(self, at: _File, scope: int, own: int, name: int, slot: int) -> None:
        scope, own = scope + at.scopes, own + at.slots
        self.rules.results.add_read(scope, own, at.names[name], slot + at.slots)

    # names that are put together, globals and templates

    def _joined(self, at: _File, _: int, name: int, slot: int, source: int) -> None:
        self.rules.names.join(at.names[name], slot + at.slots, source + at.slots)

    def _filled(self, at: _File, _: int, __: int, slot: int, source: int) -> None:
        self.rules.names.fill(slot + at.slots, source + at.slots)

    def _naming(self, at: _File, _: int, __: int, slot: int, certain: int) -> None:
        self.rules.names.sources.add(slot + at.slots)
        if certain:
            self.rules.replaced.certain.add(slot + at.slots)

    def _lent(self, at: _File, _: int, __: int, slot: int, ___: int) -> None:
        self.solver.listen(slot + at.slots, (self.rules.replaced.lend,))

    def _global(self, at: _File, _: int, name: int, slot: int, assigned: int) -> None:
        common = self._shared.get(at.names[name], -1)
        if common < 0:
            common = self._shared[at.names[name]] = self.solver.slot()
        if assigned:
            self.solver.edge(slot + at.slots, common)
        else:
            self.solver.edge(common, slot + at.slots)

    def _view(self, at: _File, scope: int, _: int, this: int, inner: int) -> None:
        own = scope + at.scopes, inner + at.scopes
        self.rules.views.add(at.number, own, this + at.slots)
