"""Numbers at the edges of what a schema allows, in calls that otherwise succeed.

Generated arguments seldom name anything that exists, so that a tool refuses them before its numbers
matter. Here they stand in a call that works.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolroll.contract import ToolContract
from toolroll_conformance.rules.arguments import before_seed, is_internal
from toolroll_conformance.rules.rule import ANYWHERE, README, Probe, Rule, brief
from toolroll_conformance.schemas import parameters, validator
from toolroll_conformance.seeds import find_seeds
from toolroll_conformance.session import Session

__all__ = ["RULES", "edges"]

WHOLE: Final = (0, 1, -1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**30, 10**400)
"""Past what 32 bits, a double, 64 bits, and a double's exponent hold."""
BROKEN: Final = (0.5, -0.5, 5e-324, 1e308, -1e308)


def edges(schema: Mapping[str, Any]) -> list[int | float]:
    """Return the numbers at the edges of a parameter's schema that keep it."""
    bounds = [schema[key] for key in ("minimum", "maximum") if key in schema]
    for key, step in (("exclusiveMinimum", 1), ("exclusiveMaximum", -1)):
        bounds += [schema[key] + step] if key in schema else []
    keeps = validator(schema)
    return [value for value in (*bounds, *WHOLE, *BROKEN) if keeps.is_valid(value)]


def _numeric(tool: ToolContract) -> Iterator[tuple[str, list[int | float]]]:
    for name, schema in parameters(tool.input_schema).items():
        if schema.get("type") in ("integer", "number") and "enum" not in schema:
            yield name, edges(schema)


def counting_tools(session: Session) -> Sequence[str]:
    """Apply a rule to each tool that takes a number, and that a case calls with success."""
    seeds = find_seeds(session.target)
    return [
        tool.name
        for tool in session.target.contract.tools
        if tool.name in seeds and any(_numeric(tool))
    ]


def number_edges(probe: Probe, subject: str) -> None:
    """A number at the edge of its schema is taken or refused, and breaks nothing."""
    seed = find_seeds(probe.session.target, probe.leg).get(subject)
    if seed is None:
        return
    tool = probe.contract.tool(subject)
    with before_seed(probe, seed) as (run, connection):
        base = run.filled(seed.step).args
        for name, values in _numeric(tool):
            for value in values:
                sent = {**base, name: value}
                reply = probe.answer(run, connection, subject, sent)
                if is_internal(reply):
                    raise probe.broken(f"{subject} broke on {brief(sent)}: {reply.brief()}")


RULES: Final = (
    Rule(
        "number-edges",
        "numbers at the edges of the schema never fail inside",
        README,
        number_edges,
        counting_tools,
        ANYWHERE,
        every_era=False,
    ),
)
