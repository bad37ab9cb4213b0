"""The way of a case as a Mermaid flowchart."""

from __future__ import annotations

from collections.abc import Sequence

from toolroll_investigation.report import Visit
from toolroll_investigation.steps import Step


def draw_way(way: Sequence[Visit]) -> str:
    """A flowchart with one node per step; edges carry their order and the rule that decided.

    Only ids and names of ours stand in it, so that no text of a failure can break the diagram.
    """
    lines = ["flowchart LR"]
    drawn: set[Step] = set()
    for visit in way:
        if visit.step not in drawn:
            lines.append(f'  {visit.step.code}["{visit.step.code} {visit.display}"]')
            drawn.add(visit.step)
    if way and way[-1].next_step is Step.DONE:
        lines.append("  DONE([Done])")
    for number, visit in enumerate(way, start=1):
        target = visit.next_step
        if target in drawn or target is Step.DONE:
            lines.append(
                f'  {visit.step.code} -->|"{number} · {visit.heuristic_id}"| {target.code}'
            )
    return "\n".join(lines)
