"""Several runs of one scenario as one: the mean of every metric, and how far the runs differ."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from toolroll_investigation.metrics import METRICS, Measured, Metric


def aggregate(runs: Sequence[Sequence[Measured]]) -> list[Measured]:
    """The metrics of several runs, judged anew on their means.

    Details are those of the first run, apart from M19 and M20, which speak of all of them. The
    token budget holds here even where tokens were estimated. One run stays as it is.

    Raises:
        ValueError: there is no run.
    """
    if not runs:
        raise ValueError("there is no run to aggregate")
    if len(runs) == 1:
        return list(runs[0])
    overall = [_named(run, "M19").value for run in runs]
    return [_combine(metric, [_named(run, metric.id) for run in runs], overall)
            for metric in METRICS]  # fmt: skip


def _combine(metric: Metric, values: Sequence[Measured], overall: Sequence[float]) -> Measured:
    if metric.id == "M20":
        spread = stdev(overall)
        return metric.judge(spread, f"stddev={spread:.3f} over {len(overall)} runs")
    mean = fmean(value.value for value in values)
    if metric.id == "M19":
        return metric.judge(mean, f"mean of {len(overall)} runs")
    return metric.judge(mean, values[0].detail)


def _named(run: Sequence[Measured], identifier: str) -> Measured:
    return next(measured for measured in run if measured.id == identifier)
