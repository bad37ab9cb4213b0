"""What Rails, and libraries beside it, call of a class's own methods: jobs, mails and callbacks.

`SendJob.perform_later(user)` comes to `perform`, `UserMailer.welcome(user)` to the mailer's method
`welcome`; `before_save :check` has the method called, by the class's body as far as one can see.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ScopeKind
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, TEXT
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

MAILERS: Final = frozenset(["ActionMailer.Base", "ApplicationMailer"])
"""What mailers derive from and no file of theirs may define."""
_OPENED: Final = {
    "ActionController.API": "ActionController.Metal",
    "ActionController.Base": "ActionController.Metal",
    "ActionMailer.Base": "ActionMailer.MessageDelivery",
    "ActiveJob.Base": "ActiveJob.Core",
    "ActiveRecord.Base": "ActiveRecord.Relation",
    "ActiveSupport.TestCase": "ActiveSupport.Callbacks",
}
"""Classes that applications open again, to add a method → what shows that Rails itself is read."""
_SENDING: Final = {
    "perform_later": 0, "perform_now": 0, "perform_async": 0, "perform_inline": 0,
    "perform_sync": 0, "perform_in": 1, "perform_at": 1,
}  # fmt: skip
"""How a job of Active Job or Sidekiq is sent off → how many arguments come before its own."""
_ITSELF: Final = frozenset(["set", "with", "delay"])
"""What gives a job or mailer with other settings."""
_CALLBACKS: Final = re.compile(
    r"(?:prepend_|append_)?(?:before|after|around)_\w+|validate|setup|teardown"
)
_OPTIONS: Final = frozenset(["if", "unless", "with"])
_CONDITIONAL: Final = re.compile(r"validates\w*|rescue_from")
"""What has no callbacks but under these."""
_HOOKS: Final = frozenset(["included", "prepended"])
_HELPING: Final = frozenset(["helper", "helper_method"])


class RubyRails(RubyFeature):
    """Answers what classes that derive from Rails' do not answer themselves."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self._perform = rules.program.name("perform")
        self._mailers: set[int] = set()
        """Classes that derive from a library's mailer themselves."""
        self._opened: set[int] = set()
        """Rails' own classes that the project opens again and does not define."""

    def find(self) -> None:
        """See which classes are mailers or Rails' own, once it is known what no file defines."""
        bases, table = self.rules.imports.mailers, self.rules.imports.table
        self._opened.update(
            table[path] for path, own in _OPENED.items() if path in table and own not in table
        )
        for scope, slots in enumerate(self.program.bases if bases else ()):
            if slots and slots[0] in bases:
                self._mailers.add(self.program.canonical[scope])

    def call(self, call: Call, value: int) -> bool:
        """Answer what a class does not; False for what it may yet get from elsewhere."""
        text = self.program.texts[call.name]
        if text in _SENDING:
            return self._enter(call, value, self._perform, _SENDING[text])
        mails = bool(self._mailers) and self.is_mailer(value)
        if text in _ITSELF and (mails or self.classes.find(value, self._perform) >= 0):
            self.solver.add(call.result, value)
            return True
        if mails and self._enter(call, value, call.name, 0):
            return True
        if text in _HOOKS and call.flags & CallFlag.BLOCK:
            self._run_where_mixed_in(call.positional[-1], value)
        elif call.positional and call.flags & CallFlag.SAFE_NAME and self._may_be(call.name, value):
            if _CALLBACKS.fullmatch(text):
                self._declare(call, value, call.positional)
                self._hand_over(call, value)
            elif _CONDITIONAL.fullmatch(text):
                self._declare(call, value, ())
            elif text in _HELPING:
                self.rules.views.declare(call, value, lent=text == "helper_method")
        return False

    def is_mailer(self, scope: int) -> bool:
        """Whether a class derives from a library's mailer."""
        return not self._mailers.isdisjoint(self.classes.order(scope))

    def _may_be(self, name: int, value: int) -> bool:
        """Whether a word for a class's body may be a library's: the class derives from what no file
        defines, or is a module, and no class or module of the project has that word."""
        module = self.program.kind[value] == ScopeKind.NAMESPACE
        derived = module or self.rules.objects.is_of_ruby(value)
        if not derived and self._opened.isdisjoint(self.classes.order(value)):
            return False
        if self.classes.definers(self.rules.static(name)):
            return False
        kinds = {self.program.kind[scope] for scope in self.classes.definers(name)}
        return ScopeKind.NAMESPACE not in kinds

    def _hand_over(self, call: Call, value: int) -> None:
        """A callback that is a block is given the object."""
        given = self.solver.slot()
        self.solver.add(given, value + self.program.scopes)
        self.rules.procedures.run_block(call, (given,), -1)

    def _enter(self, call: Call, value: int, name: int, before: int) -> bool:
        """Call a method on an object that the library makes of a class."""
        if self.classes.find(value, name) < 0:
            return False
        self.classes.instantiated.add(value)
        given = call.positional[before:]
        inner = Call(call.result, call.scope, call.line, name, given, call.keywords, call.flags)
        inner.stand_for(call)
        return self.rules.instance_call(inner, value + self.program.scopes, name)

    def _run_where_mixed_in(self, block: int, module: int) -> None:
        """`included do … end` of a concern is evaluated in the classes that include it."""
        for scope in self.classes.below(module):
            self.rules.evaluation.run(block, scope, of_class=True)

    def _declare(self, call: Call, value: int, names: tuple[int, ...]) -> None:
        options = [slot for key, slot in call.named() if self._is_option(key)]
        for slot in (*names, *options):
            if slot >= 0:
                self.solver.listen(slot, (self._on_callback, call, value))

    def _is_option(self, name: int) -> bool:
        return name >= 0 and self.program.texts[name] in _OPTIONS

    @handler
    def _on_callback(self, named: int, listener: Listener) -> None:
        _, call, value = listener
        kind = self.solver.kind[named]
        if kind == CONTAINER:  # `if: [:ready?, :new?]`
            inside = self.solver.slot()
            self.rules.containers.elements(named, inside)
            self.solver.listen(inside, (self._on_callback, call, value))
        elif kind == TEXT and self.classes.find(value, self.solver.key_name(named)) >= 0:
            name = self.solver.key_name(named)
            inner = self.solver.derived_call(call, -1, (), name)
            self.rules.instance_call(inner, value + self.program.scopes, name)
