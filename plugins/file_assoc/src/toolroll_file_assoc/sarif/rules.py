"""The rules of a run: which one a result breaks, and how severe that is."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Mapping
from typing import Final

from attrs import evolve, frozen

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
        driver, self._extensions = tool.required("driver"), list(tool.items("extensions"))
        self._messages = _messages(driver, "globalMessageStrings")
        self._rules = [_rules(part, warnings) for part in (driver, *self._extensions)]
        for invocation in run.items("invocations"):
            for override in invocation.items("ruleConfigurationOverrides"):
                self._override(override)
        every = [rule for rules in self._rules for rule in rules]
        self._by_id = {rule.id: rule for rule in reversed(every)}  # the first of a name wins

    def of(self, result: Node) -> Rule:
        """Return the rule that a result breaks; one without a name is called `unspecified`."""
        reference = result.child("rule")
        name = result.text("ruleId") or (reference.text("id") if reference else None)
        index = result.number("ruleIndex", least=-1)
        rules = self._rules[0]
        if reference is not None:
            index = reference.number("index", least=-1) if index is None else index
            component = reference.child("toolComponent")
            rules = self._of_component(component) if component else rules
        if index is not None and 0 <= index < len(rules):
            found = rules[index]
            return found if name in (None, found.id) else self._named(str(name), found)
        return self._named(name if name is not None and name.strip() else "unspecified")

    def _of_component(self, reference: Node) -> list[Rule]:
        """Return the rules of the extension that is referred to by index, GUID or name (3.54)."""
        place = reference.number("index", least=-1)
        if place is not None and place >= 0:
            return self._rules[place + 1] if place < len(self._extensions) else []
        for key in ("guid", "name"):
            if (wanted := reference.text(key)) is None:
                continue
            for place, extension in enumerate(self._extensions):
                if extension.text(key) == wanted:
                    return self._rules[place + 1]
        return self._rules[0]

    def _override(self, override: Node) -> None:
        """Give a rule the level that it was configured to have in this run (3.20.5)."""
        descriptor, configuration = override.child("descriptor"), override.child("configuration")
        level = configuration.text("level") if configuration else None
        if descriptor is None or level is None:
            return
        component = descriptor.child("toolComponent")
        rules = self._of_component(component) if component else self._rules[0]
        name, index = descriptor.text("id"), descriptor.number("index", least=-1)
        for place, rule in enumerate(rules):
            if place == index or (name is not None and rule.id == name):
                rules[place] = evolve(rule, level=level)

    def _named(self, name: str, fallback: Rule | None = None) -> Rule:
        """Find a rule by id; `CA1000/1` is a part of rule `CA1000` (SARIF 3.52.4)."""
        base = name
        while base not in self._by_id and "/" in base:
            base = base.rpartition("/")[0]
        rule = self._by_id.get(base) or fallback or Rule(name, messages=self._messages)
        return evolve(rule, id=name)


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


def _rules(component: Node, warnings: dict[str, None]) -> list[Rule]:
    shared = _messages(component, "globalMessageStrings")
    return [_rule(node, shared, warnings) for node in component.items("rules")]


def _messages(node: Node, key: str) -> dict[str, str]:
    texts = ((name, message.text("text")) for name, message in node.members(key))
    return {name: text for name, text in texts if text is not None}


def _rule(node: Node, shared: dict[str, str], warnings: dict[str, None]) -> Rule:
    properties = node.child("properties")
    configuration = node.child("defaultConfiguration")
    name = node.text("id") or node.fail("must have an 'id'")
    return Rule(
        id=name,
        level=configuration.text("level") if configuration else None,
        score=_score(name, properties, warnings),
        help_uri=node.text("helpUri") or "",
        messages=ChainMap(_messages(node, "messageStrings"), shared),
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
