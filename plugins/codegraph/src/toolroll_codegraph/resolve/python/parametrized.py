"""What pytest's `parametrize` gives to the parameters of tests, and `params` to fixtures.

Functions, classes and objects that stand there are what the test has under the parameter's name:
`@pytest.mark.parametrize("make, kind", [(Circle, 1), pytest.param(Square, 2, id="square")])`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolroll_codegraph.resolve.calls import Call, Listener, handler
from toolroll_codegraph.resolve.program import CLASS, CONTAINER, FUNCTION, TEXT
from toolroll_codegraph.resolve.python.feature import PythonFeature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules

PARAMETRIZED: Final = "parametrized"
"""The kind of a decorator that gives values to parameters."""
_SET: Final = "set of parameters"
_ELSEWHERE: Final = "indirect"
"""With this the values go to fixtures of these names, not to the test."""


class PythonParametrized(PythonFeature):
    """Lets the parameters of a test have the values that stand in its decorator."""

    def __init__(self, rules: PythonRules) -> None:
        super().__init__(rules)
        self._elsewhere = rules.program.name(_ELSEWHERE)
        self.functions = {"pytest.mark.parametrize": self._mark, "pytest.param": self._set}

    def _mark(self, call: Call, arguments: list[int]) -> None:
        models = self.rules.models
        given = [*arguments[:2], -1, -1]
        names, values = models.keyword(call, "argnames"), models.keyword(call, "argvalues")
        names = names if names >= 0 else given[0]
        values = values if values >= 0 else given[len(arguments) > 1]
        elsewhere = any(key == self._elsewhere for key, _ in call.named())
        elements = -1 if elsewhere else models.elements_of(call, values)
        self.solver.add(
            call.result, self.solver.make(CONTAINER, PARAMETRIZED, names, elements, call.result)
        )

    def _set(self, call: Call, arguments: list[int]) -> None:
        """`pytest.param(Circle, 1)`: values of one run, in a sequence of its own."""
        made = self.solver.make(CONTAINER, _SET, call.result)
        for place, item in enumerate(call.positional):
            if item >= 0:
                self.solver.edge(item, self.solver.field(made, self.program.name(f"[{place}")))
        self.solver.add(call.result, made)

    def use(self, call: Call, value: int) -> None:
        """Decorate a test, or a class of such."""
        _, names, elements, _ = self.solver.detail[value]
        for item in call.positional[:1]:
            self.solver.edge(item, call.result)
            if min(item, names, elements) >= 0:
                self.solver.listen(item, (self._on_test, names, elements, call))

    @handler
    def _on_test(self, value: int, listener: Listener) -> None:
        _, names, elements, call = listener
        kind, program = self.solver.kind[value], self.program
        if kind == FUNCTION:
            self._name(value, names, elements, call)
        elif kind == CLASS:
            for slot in list((program.members[value] or {}).values()):
                self.solver.listen(slot, (self._on_method, names, elements, call))

    @handler
    def _on_method(self, value: int, listener: Listener) -> None:
        _, names, elements, call = listener
        if self.solver.kind[value] == FUNCTION:
            self._name(value, names, elements, call)

    def _name(self, function: int, names: int, elements: int, call: Call) -> None:
        """Names stand in one text, with commas between, or in a sequence of texts."""
        self.solver.listen(names, (self._on_name, function, elements, -1))
        self.solver.listen(names, (self._on_names, function, elements))

    @handler
    def _on_names(self, value: int, listener: Listener) -> None:
        _, function, elements = listener
        if self.solver.kind[value] == CONTAINER:
            for key, slot in list(self.solver.fields_of(value).items()):
                place = self.program.texts[key][1:]
                if place.isdigit():
                    self.solver.listen(slot, (self._on_name, function, elements, int(place)))

    @handler
    def _on_name(self, value: int, listener: Listener) -> None:
        _, function, elements, place = listener
        if self.solver.kind[value] != TEXT:
            return
        names = [part.strip() for part in self.solver.key_text(value).split(",")]
        parameters = {
            self.program.texts[name]: slot for name, slot, _ in self.program.params[function]
        }
        for number, name in enumerate(filter(None, names)):
            slot = parameters.get(name, -1)
            if slot >= 0:
                alone = place < 0 and len(names) == 1
                where = -1 if alone else max(place, number)
                self.solver.listen(elements, (self.on_value, where, slot))

    @handler
    def on_value(self, value: int, listener: Listener) -> None:
        _, place, target = listener
        solver = self.solver
        is_set = solver.kind[value] == CONTAINER and solver.detail[value][0] == _SET
        if place < 0 and not is_set:
            solver.add(target, value)
        elif solver.kind[value] == CONTAINER:
            name = self.program.name(f"[{max(place, 0)}")
            solver.edge(solver.field(value, name), target)
            if not is_set:
                solver.edge(solver.field(value, self.rules.models.any_key), target)
