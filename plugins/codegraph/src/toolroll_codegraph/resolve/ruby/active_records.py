"""What Active Record gives a project's models: relations, associations and delegated methods.

`Post.where(…)` has posts, and so has what any further method of it returns that is none of the
class's own or of arrays; `find` gives one. `has_many :comments` has the comments of the class that
this names, after Rails' rules or by `class_name`. Who asks is a class below `ActiveRecord::Base`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import CallFlag, ObjectKind
from toolroll_codegraph.languages.inflections import singular
from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CONTAINER, TEXT
from toolroll_codegraph.resolve.ruby.accessors import ACCESSOR
from toolroll_codegraph.resolve.ruby.core_methods import ENUMERABLE
from toolroll_codegraph.resolve.ruby.feature import RubyFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules

_BASE: Final = "ActiveRecord.Base"
_ITS_OWN: Final = "ActiveRecord.Persistence"
BASES: Final = frozenset([_BASE, "ApplicationRecord"])
"""What models derive from and no file of theirs may define."""
DELEGATED: Final = "delegated"
"""The kind of a member that another object, which a method of the receiver gives, answers for."""
_ONE: Final = frozenset(
    f"{name}{bang}"
    for name in (
        "build", "create", "create_or_find_by", "create_with", "fifth", "find", "find_by",
        "find_or_create_by", "find_or_initialize_by", "find_sole_by", "first", "first_or_create",
        "first_or_initialize", "fourth", "last", "new", "second", "sole", "take", "third",
    )
    for bang in ("", "!")
)  # fmt: skip
_RELATION_NAMES: Final = """
all and create_with distinct eager_load excluding extending from group having in_order_of
includes invert_where joins left_joins left_outer_joins limit lock merge none offset only or
order preload readonly references regroup reorder reselect reverse_order rewhere select
strict_loading unscope unscoped where with without
"""
_RELATIONS: Final = frozenset(_RELATION_NAMES.split())
_EACH: Final = frozenset(["find_each", "in_batches", "find_in_batches"])
_NUMBER_NAMES: Final = """
average any? blank? calculate count delete_all delete_by destroy_all destroy_by empty? exists?
ids insert_all insert_all! many? maximum minimum none? one? pick pluck present? size sum
to_sql touch_all update_all update_counters upsert_all
"""
_NUMBERS: Final = frozenset(_NUMBER_NAMES.split())
"""What gives no records."""
_MANY: Final = frozenset(["has_many", "has_and_belongs_to_many"])
_ASSOCIATIONS: Final = _MANY | {"has_one", "belongs_to"}
_DECLARING: Final = _ASSOCIATIONS | {"scope", "delegate"}


class RubyActiveRecords(RubyFeature):
    """Knows the models, and does what their base class does for what they do not define."""

    def __init__(self, rules: RubyRules) -> None:
        super().__init__(rules)
        self._models: set[int] = set()
        """Classes that derive from the base class themselves."""
        self._relations: dict[int, int] = {}
        """Relation → its model."""
        self._scopes: dict[int, set[str]] = {}
        """Model → names of its scopes."""

    def find(self) -> None:
        """See which classes are models, once it is known what no file defines."""
        bases, table = self.rules.imports.records, self.rules.imports.table
        if _BASE in table and _ITS_OWN not in table:  # opened again, but not defined
            self._models.add(table[_BASE])
        for scope, slots in enumerate(self.program.bases if bases else ()):
            if slots and slots[0] in bases:
                self._models.add(self.program.canonical[scope])

    def call(self, call: Call, value: int) -> bool:
        """Answer what a class does not; False for others than models, and what they have not."""
        if not self._models or not self._is_model(value):
            return False
        name = self.program.texts[call.name]
        if name in _DECLARING:
            self._declare(call, value, name)
        elif name in _ONE or name.startswith("find_by_"):
            self._one(call, value)
        elif name in _EACH or name in _RELATIONS or self._has_scope(value, name):
            self._related(call, self.relation(value), name)
        elif name not in _NUMBERS:
            return False
        return True

    def method(self, call: Call, value: int) -> bool:
        """Call a method of a relation; False for what arrays do alike, and for others."""
        model = self._relations.get(value)
        if model is None or call.flags & (CallFlag.IMPLICIT | CallFlag.ITERATE):
            return False
        name = self.program.texts[call.name]
        static = self.rules.static(call.name)
        if self.classes.find(model, static) >= 0:
            self.classes.lookup(model, static, (self.rules.on_member, call, model))
        elif self.rules.ask_extended(call, model):
            return True
        elif name in _ONE and (name != "find" or not call.flags & CallFlag.BLOCK):
            self._one(call, model)
        elif name in _NUMBERS and not call.flags & CallFlag.BLOCK:
            return True
        elif name in _EACH or not (name in ENUMERABLE or self.rules.containers.answers(name)):
            self._related(call, value, name)
        else:
            return False
        return True

    def _one(self, call: Call, model: int) -> None:
        self.solver.add(call.result, model + self.program.scopes)
        if call.flags & CallFlag.BLOCK:
            self._yield(call, model + self.program.scopes)

    def _related(self, call: Call, relation: int, name: str) -> None:
        self.solver.add(call.result, relation)
        if call.flags & CallFlag.BLOCK:
            model = self._relations[relation]
            each = name in ("find_each", "each")
            self._yield(call, model + self.program.scopes if each else relation)

    def _yield(self, call: Call, value: int) -> None:
        given = self.solver.slot()
        self.solver.add(given, value)
        self.rules.procedures.run_block(call, (given,), -1)

    # what the body of a model declares

    def _declare(self, call: Call, model: int, name: str) -> None:
        first = call.positional[0] if call.positional else -1
        if name == "delegate":
            to = self._option(call, "to")
            for item in call.positional if to >= 0 and self._option(call, "prefix") < 0 else ():
                if item >= 0:
                    self.solver.listen(item, (self._on_delegated, model, to))
        elif first >= 0 and name == "scope":
            self.solver.listen(first, (self._on_scope, model))
        elif first >= 0:
            told = self._option(call, "class_name")
            if told >= 0:
                self.solver.listen(told, (self._on_class_name, model, first, name in _MANY))
                return
            source = self._option(call, "source")
            self.solver.listen(first, (self._on_association, model, name in _MANY, source))

    def _option(self, call: Call, name: str) -> int:
        wanted = self.program.name(name)
        return next((slot for key, slot in call.named() if key == wanted), -1)

    @handler
    def _on_scope(self, value: int, listener: Listener) -> None:
        if self.solver.kind[value] == TEXT:
            self._scopes.setdefault(listener[1], set()).add(self.solver.key_text(value))

    @handler
    def _on_class_name(self, value: int, listener: Listener) -> None:
        _, model, name, many = listener
        if self.solver.kind[value] == TEXT:
            path = self.solver.key_text(value).replace("::", ".")
            self.solver.listen(name, (self._on_named, model, path, many))

    @handler
    def _on_named(self, value: int, listener: Listener) -> None:
        _, model, path, many = listener
        if self.solver.kind[value] == TEXT:
            self._associate(model, self.solver.key_text(value), path, many=many)

    @handler
    def _on_association(self, value: int, listener: Listener) -> None:
        _, model, many, source = listener
        if self.solver.kind[value] != TEXT:
            return
        name = self.solver.key_text(value)
        found = self._associate(model, name, _class_name(name, many=many), many=many)
        if not found and source >= 0:
            self.solver.listen(source, (self._on_source, model, name, many))

    @handler
    def _on_source(self, value: int, listener: Listener) -> None:
        _, model, name, many = listener
        if self.solver.kind[value] == TEXT:
            path = _class_name(self.solver.key_text(value), many=True)
            self._associate(model, name, path, many=many)

    def _associate(self, model: int, name: str, path: str, *, many: bool) -> bool:
        """Give a model the record, or the records, of a class under a name."""
        found = self.rules.imports.find(path, model)
        other = -1 if found is None else self.rules.imports.table.get(found, -1)
        if other < 0 or not self._is_model(other):
            return False
        field = self.program.name(f"@[{name}]")  # no source can write that
        given = self.relation(other) if many else other + self.program.scopes
        self.solver.add(self.classes.declare(model, field), given)
        for writes in (False, True):
            made = self.solver.make(CONTAINER, ACCESSOR, field, writes)
            accessor = self.program.name(name + "=" * writes)
            self.solver.add(self.classes.declare(model, accessor), made)
        return True

    @handler
    def _on_delegated(self, value: int, listener: Listener) -> None:
        _, model, to = listener
        if self.solver.kind[value] == TEXT:
            name = self.program.name(self.solver.key_text(value))
            self.solver.listen(to, (self._on_delegate, model, name))

    @handler
    def _on_delegate(self, value: int, listener: Listener) -> None:
        _, model, name = listener
        if self.solver.kind[value] == TEXT:
            made = self.solver.make(CONTAINER, DELEGATED, self.solver.key_name(value))
            self.solver.add(self.classes.declare(model, name), made)

    def delegate(self, call: Call, receiver: int, delegated: int) -> None:
        """Call a method of what another method of the receiver gives."""
        between = self.solver.slot()
        asked = self.solver.derived_call(call, between, (), self.solver.detail[delegated][1])
        asked.flags |= CallFlag.QUIET
        self.rules.instance_call(asked, receiver, asked.name)
        self.solver.listen(between, (self.rules.on_receiver, call))

    def fixture(self, call: Call, scope: int) -> bool:
        """`users(:alice)` in a test: a record of the class that a table's name tells."""
        if not self._models or len(call.positional) != 1:
            return False
        if call.flags & (CallFlag.SAFE_NAME | CallFlag.BLOCK) != CallFlag.SAFE_NAME:
            return False
        path = _class_name(self.program.texts[call.name], many=True)
        found = self.rules.imports.find(path, scope)
        model = -1 if found is None else self.rules.imports.table.get(found, -1)
        if model < 0 or not self._is_model(model):
            return False
        self.solver.add(call.result, model + self.program.scopes)
        return True

    # models

    def relation(self, model: int) -> int:
        """The relations of a model, which are one."""
        relation = self.solver.make(CONTAINER, ObjectKind.SEQUENCE, "relation", model)
        if relation not in self._relations:
            self._relations[relation] = model
            self.classes.instantiated.add(model)
            inside = self.solver.field(relation, self.rules.containers.any_key)
            self.solver.add(inside, model + self.program.scopes)
        return relation

    def _is_model(self, scope: int) -> bool:
        return not self._models.isdisjoint(self.classes.order(scope))

    def _has_scope(self, model: int, name: str) -> bool:
        return any(name in self._scopes.get(known, ()) for known in self.classes.order(model))


def _class_name(name: str, *, many: bool) -> str:
    """The class that an association of a name has, after Rails' rules."""
    if many:
        name = singular(name.encode()).decode()
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
