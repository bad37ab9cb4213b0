"""The rules of a run: which one a result breaks, and how severe that is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from attrs import frozen

from toolroll_file_assoc.params import Severity
from toolroll_file_assoc.sarif.node import Node

__all__ = ["Rule", "Rules", "severity"]

BY_LEVEL: Final[Mapping[str, Severity]] = {
    "error": "high",
    "warning": "medium",
    "note": "low",
    "none": "info",
}
"""Design 8: the severity of a level, for rules without a `security-severity`."""
BY_SCORE: Final[tuple[tuple[float, Severity], ...]] = (
    (9.0, "critical"),
    (7.0, "high"),
    (4.0, "medium"),
    (0.0, "low"),
)
"""Design 8: the severity of a `security-severity`, a CVSS score from 0 to 10."""


@frozen
class Rule:
    """A rule as its scanner describes it.

    Attributes:
        level: The level of its results that name none; None where it names none either.
        score: Its `security-severity`, or None.
        messages: Texts that results refer to by id.
    """

    id: str
    level: str | None = None
    score: float | None = None
    help_uri: str = ""
    messages: Mapping[str, str] = {}


class Rules:
    """The rules of one run, the scanner's own and those of its extensions."""

    def __init__(self, run: Node, warnings: dict[str, None]) -> None:
        tool = run.required("tool")
        self._driver = [_rule(node, warnings) for node in tool.required("driver").items("rules")]
        self._extensions = [
            [_rule(node, warnings) for node in extension.items("rules")]
            for extension in tool.items("extensions")
        ]
        every = [*self._driver, *(rule for rules in self._extensions for rule in rules)]
        self._by_id = {rule.id: rule for rule in reversed(every)}  # the first of a name wins

    def of(self, result: Node) -> Rule:
        """Return the rule that a result breaks; one without a name is called `unspecified`."""
        reference = result.child("rule")
        name = result.text("ruleId") or (reference.text("id") if reference else None)
        index = result.number("ruleIndex", least=-1)
        rules = self._driver
        if reference is not None:
            index = reference.number("index", least=-1) if index is None else index
            component = reference.child("toolComponent")
            place = component.number("index", least=-1) if component else None
            if place is not None and place >= 0:
                rules = self._extensions[place] if place < len(self._extensions) else []
        if index is not None and 0 <= index < len(rules):
            found = rules[index]
            return found if name in (None, found.id) else self._named(str(name), found)
        return self._named(name) if name is not None and name.strip() else Rule("unspecified")

    def _named(self, name: str, fallback: Rule | None = None) -> Rule:
        """Find a rule by id; `CA1000/1` is a part of rule `CA1000` (SARIF 3.52.4)."""
        base = name
        while base not in self._by_id and "/" in base:
            base = base.rpartition("/")[0]
        rule = self._by_id.get(base) or fallback or Rule(name)
        return Rule(name, rule.level, rule.score, rule.help_uri, rule.messages)


def severity(result: Node, rule: Rule, warnings: dict[str, None]) -> Severity:
    """Return the severity of a result: by its rule's score, else by its level (design 8).

    A level is trimmed and lower-cased; an unknown one counts as info, with a warning.
    """
    level = result.text("level")  # refused where it is no text, whatever the rule says
    if rule.score is not None:
        return next(name for least, name in BY_SCORE if rule.score >= least)
    if level is None:
        kind = result.text("kind") or "fail"
        level = (rule.level or "warning") if kind == "fail" else "none"
    known = BY_LEVEL.get(level.strip().lower())
    if known is None:
        warnings[f"unknown level {level!r} counts as info"] = None
    return known or "info"


def _rule(node: Node, warnings: dict[str, None]) -> Rule:
    properties = node.child("properties")
    configuration = node.child("defaultConfiguration")
    name = node.text("id") or node.fail("must have an 'id'")
    return Rule(
        id=name,
        level=configuration.text("level") if configuration else None,
        score=_score(name, properties, warnings),
        help_uri=node.text("helpUri") or "",
        messages={
            key: text
            for key, message in node.members("messageStrings")
            if (text := message.text("text")) is not None
        },
    )


def _score(rule: str, properties: Node | None, warnings: dict[str, None]) -> float | None:
    """Read a `security-severity`, which scanners write as a text or as a number."""
    raw = properties.value.get("security-severity") if properties else None
    if raw is None:
        return None
    try:
        score = float(raw) if isinstance(raw, str | int | float) else math.nan
    except (ValueError, OverflowError):
        score = math.nan
    if isinstance(raw, bool) or not 0 <= score <= 10:
        warnings[f"rule {rule}: its security-severity is no number from 0 to 10"] = None
        return None
    return score
