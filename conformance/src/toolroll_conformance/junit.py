"""The report as JUnit XML, which every CI server reads."""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as XML

from toolroll_conformance.check import Result, Status
from toolroll_conformance.report import Report

__all__ = ["junit_xml"]

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(report: Report) -> str:
    """Return one test suite for each way in, one test case for each check."""
    root = XML.Element("testsuites", name=report.subject)
    ways = sorted({(item.leg, item.era) for item in report.results})
    for leg, era in ways:
        results = [item for item in report.results if (item.leg, item.era) == (leg, era)]
        suite = XML.SubElement(
            root,
            "testsuite",
            name=" ".join(part for part in (report.subject, leg, era) if part),
            tests=str(len(results)),
            failures=str(sum(item.status is Status.FAILED for item in results)),
            errors="0",
            skipped=str(sum(item.status in _NOT_RUN for item in results)),
            time=f"{sum(item.seconds for item in results):.3f}",
        )
        for item in results:
            _add(suite, item)
    XML.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + XML.tostring(root, "unicode") + "\n"


_NOT_RUN: Final = frozenset({Status.SKIPPED, Status.KNOWN_FAILURE})


def _add(suite: XML.Element, item: Result) -> None:
    case = XML.SubElement(
        suite,
        "testcase",
        classname=item.rule,
        name=_clean(item.id),
        time=f"{item.seconds:.3f}",
    )
    properties = XML.SubElement(case, "properties")
    for name in ("title", "source"):
        XML.SubElement(properties, "property", name=name, value=_clean(getattr(item, name)))
    detail = _clean(item.detail)
    if item.status is Status.FAILED:
        message = detail.partition("\n")[0]
        XML.SubElement(case, "failure", message=message, type=",".join(item.rules)).text = detail
    elif item.status in _NOT_RUN:
        XML.SubElement(case, "skipped", message=detail.partition("\n")[0])


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
