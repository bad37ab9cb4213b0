"""Charts as inline SVG: metrics against their thresholds, and root causes by cases explained."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from toolroll_investigation.findings import Findings
from toolroll_investigation.markdown import cut
from toolroll_investigation.metrics import LOOP_EFFICIENCY_RANGE, Measured

_ROW = 26
_LABEL = 250
_TRACK = 420
_WIDTH = _LABEL + _TRACK + 90


def draw_metrics(metrics: Sequence[Measured]) -> Markup:
    """One bar for each metric on its own scale, with a line where it passes."""
    rows: list[Markup] = []
    for position, metric in enumerate(metrics):
        full, bounds = _scale(metric)
        share = min(max(metric.value / full, 0.0), 1.0)
        rows.append(
            _row(
                position,
                label=f"{metric.id} {metric.display}",
                share=share,
                marks=[bound / full for bound in bounds],
                text=f"{metric.value:.0f}" if metric.value >= 100 else f"{metric.value:.2f}",
                kind="pass" if metric.passed else "fail",
                hint=f"{metric.detail}; passes {metric.rule}",
            )
        )
    return _svg(rows, "Every metric with the line where it passes")


def draw_causes(findings: Findings) -> Markup:
    """One bar for each root cause, as long as the number of cases it explains."""
    most = max((len(finding.cases) for finding in findings.causes), default=1)
    rows = [
        _row(
            position,
            label=f"#{finding.rca_id} {finding.component or finding.title}",
            share=len(finding.cases) / most,
            marks=[],
            text=str(len(finding.cases)),
            kind="cause",
            hint=f"{', '.join(finding.cases)}; confidence {finding.confidence:.2f}",
        )
        for position, finding in enumerate(findings.causes)
    ]
    return _svg(rows, "Cases explained by each root cause")


def _scale(metric: Measured) -> tuple[float, Sequence[float]]:
    """The value at the end of the track, and where the metric starts or stops passing."""
    if metric.id == "M17":
        return 2.5, LOOP_EFFICIENCY_RANGE
    if metric.threshold > 1:
        return max(metric.threshold * 1.25, metric.value), [metric.threshold]
    return 1.0, [metric.threshold]


def _row(
    position: int,
    *,
    label: str,
    share: float,
    marks: Sequence[float],
    text: str,
    kind: str,
    hint: str,
) -> Markup:
    top = position * _ROW
    lines = Markup("").join(
        Markup('<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{a}" y2="{b}"/>').format(
            x=_LABEL + mark * _TRACK, a=top + 2, b=top + _ROW - 4
        )
        for mark in marks
    )
    return Markup(
        '<g><title>{hint}</title><text x="{edge}" y="{base}" class="label">{label}</text>'
        '<rect class="track" x="{left}" y="{y}" width="{track}" height="14" rx="3"/>'
        '<rect class="{kind}" x="{left}" y="{y}" width="{width:.1f}" height="14" rx="3"/>'
        '{lines}<text x="{value}" y="{base}" class="value">{text}</text></g>'
    ).format(
        hint=hint,
        edge=_LABEL - 10,
        base=top + 17,
        label=cut(label, 38),
        left=_LABEL,
        y=top + 5,
        track=_TRACK,
        kind=kind,
        width=share * _TRACK,
        lines=lines,
        value=_LABEL + _TRACK + 10,
        text=text,
    )


def _svg(rows: Sequence[Markup], title: str) -> Markup:
    if not rows:
        return Markup("")
    height = len(rows) * _ROW
    head = Markup('<svg role="img" aria-label="{t}" viewBox="0 0 {w} {h}" class="chart">').format(
        t=escape(title), w=_WIDTH, h=height
    )
    return head + Markup("").join(rows) + Markup("</svg>")
