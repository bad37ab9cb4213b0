"""What reads and writes the objects of a class: TypeORM's and MikroORM's repositories, Mongoose's
models, and classes that derive from Sequelize's, Objection's or TypeORM's own.

Whether a query gives one object or several its first method tells; the methods behind it, as
`exec` and `populate`, give either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from toolroll_codegraph.facts import ObjectKind
from toolroll_codegraph.resolve.calls import Call
from toolroll_codegraph.resolve.javascript.library import JavaScriptLibrary
from toolroll_codegraph.resolve.program import EXTERNAL

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.containers import JavaScriptContainers

_ONE: Final = frozenset((
    "assign", "build", "create", "findById", "findByIdAndDelete", "findByIdAndUpdate", "findByPk",
    "findOne", "findOneAndDelete", "findOneAndReplace", "findOneAndUpdate", "findOneBy",
    "findOneByOrFail", "findOneOrFail", "getOne", "getOneOrFail", "merge", "preload", "recover",
    "reload", "remove", "restore", "save", "softRemove", "upsert",
))  # fmt: skip
_MANY: Final = frozenset(("bulkCreate", "find", "findAll", "findBy", "findByIds", "getMany"))
_COUNTED: Final = frozenset((
    "findAndCount", "findAndCountAll", "findAndCountBy", "findOrBuild", "findOrCreate",
    "getManyAndCount",
))  # fmt: skip
"""What gives a pair, of an object or a list of them, and something else."""
GIVING: Final = _ONE | _MANY | _COUNTED
_BEHIND: Final = frozenset(
    ("exec", "lean", "limit", "orFail", "populate", "select", "skip", "sort")
)
"""What does either, as the method before it."""
_HANDED: Final = ("remove", "save")
"""What gives back what it is given."""
STORED: Final = frozenset(
    ("sequelize.Model", "sequelize-typescript.Model", "typeorm.BaseEntity", "objection.Model",
     "@mikro-orm/core.BaseEntity")
)  # fmt: skip
"""Classes whose subclasses' static methods give their objects."""
_MANAGER: Final = "typeorm.manager"
_MAKING: Final = (
    "typeorm.DataSource", "typeorm.createConnection", "typeorm.getConnection", "typeorm.getManager",
    f"{_MANAGER}.initialize", f"{_MANAGER}.withRepository",
)  # fmt: skip
"""What makes a data source of TypeORM; to us it is its manager, which has the same methods."""


class JavaScriptRepositories(JavaScriptLibrary):
    """Gives what such methods return."""

    def __init__(self, models: JavaScriptContainers) -> None:
        super().__init__(models)
        self.functions: dict[str, Callable[[Call, int, int], None]] = {
            **dict.fromkeys(_MAKING, self._manager),
            f"{_MANAGER}.transaction": self._transact,
            **{
                f"{owner}.{name}": self._repository
                for owner in ("typeorm", _MANAGER)
                for name in ("getRepository", "getTreeRepository", "getMongoRepository")
            },
            **{f"{_MANAGER}.{name}": self._query for name in GIVING},
        }

    def load(self, value: int, name: str, target: int) -> None:
        """`source.manager`."""
        if name == "manager" and self.solver.detail[value][0] == _MANAGER:
            self.solver.add(target, value)

    def _manager(self, call: Call, first: int, second: int) -> None:
        self.solver.add(call.result, self.solver.make(EXTERNAL, _MANAGER))

    def _transact(self, call: Call, first: int, second: int) -> None:
        """`source.transaction(async (manager) => …)`, with a level before it or not."""
        manager = self.solver.slot()
        self.solver.add(manager, self.solver.make(EXTERNAL, _MANAGER))
        for function in call.positional[:2]:
            self.models.callback(call, function, (manager,), call.result, quiet=True)

    def _repository(self, call: Call, first: int, second: int) -> None:
        made = self.models.result(call, ObjectKind.REPOSITORY)
        self.instance_of(first, self.solver.field(made, self.models.any_key))

    def _query(self, call: Call, first: int, second: int) -> None:
        """`manager.findOne(User, …)`, and `manager.save(user)`."""
        inside = self.solver.slot()
        self.instance_of(first, inside)
        self._give(call, inside)

    def call(self, call: Call, value: int) -> None:
        """A method of a repository, or of a query."""
        inside = self.solver.field(value, self.models.any_key)
        self.solver.add(call.result, value)
        self._give(call, inside)

    def of_class(self, call: Call, scope: int) -> bool:
        """A static method that a class inherits from such a library; False for others."""
        program, bases = self.models.program, self.rules.classes.base_names(scope, EXTERNAL)
        if program.texts[call.name] not in GIVING or STORED.isdisjoint(bases):
            return False
        inside = self.solver.slot()
        self.solver.add(inside, scope + program.scopes)
        self._give(call, inside)
        return True

    def _give(self, call: Call, inside: int) -> None:
        solver, program = self.solver, self.models.program
        name = program.texts[call.name]
        if call.result < 0:
            return
        if name in _ONE or name in _BEHIND:
            solver.edge(inside, call.result)
        for item in call.positional[:1] if name in _HANDED else ():
            if item >= 0:
                solver.edge(item, call.result)
        if name in _MANY or name in _BEHIND:
            solver.add(call.result, self._list(call, inside))
        if name in _COUNTED:
            pair = solver.container(("pair", call.result), ObjectKind.ARRAY)
            first = solver.field(pair, program.name("[0"))
            solver.edge(inside, first)
            solver.add(first, self._list(call, inside))
            solver.add(call.result, pair)

    def _list(self, call: Call, inside: int) -> int:
        made = self.solver.container(("rows", call.result), ObjectKind.ARRAY)
        self.solver.edge(inside, self.solver.field(made, self.models.any_key))
        return made
