"""Reports as text: Markdown for models and people, one self-contained HTML page for people."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from toolroll_investigation.chart import draw_causes, draw_metrics
from toolroll_investigation.markdown import cell, code, cut, quoted, tidy
from toolroll_investigation.mermaid import draw_way
from toolroll_investigation.report import Report


def render_markdown(report: Report) -> str:
    """The report as Markdown, with Mermaid diagrams."""
    return tidy(_environment().get_template("report.md").render(report=report))


def render_html(report: Report) -> str:
    """The report as one HTML page that loads nothing: style and charts are in it."""
    chart = draw_metrics(report.metrics) if report.has_truth else draw_causes(report.findings)
    return _environment().get_template("report.html").render(report=report, chart=chart)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("toolroll_investigation", "report_templates"),
        undefined=StrictUndefined,
        # The Markdown template escapes cell by cell: HTML escapes would show up as text in it.
        autoescape=select_autoescape(enabled_extensions=("html",), default=False),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "cell": cell,
        "code": code,
        "quoted": quoted,
        "short": cut,
        "tick": _tick,
        "mermaid": draw_way,
    }
    environment.filters.update(filters)
    return environment


def _tick(passed: bool | None) -> str:
    return "–" if passed is None else "✓" if passed else "✗"
