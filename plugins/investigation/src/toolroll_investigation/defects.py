"""Defect codes and symptom categories: their labels, and those that a model may choose from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

LABELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "pb001": "Product Bug",
        "ab001": "Automation Bug",
        "au001": "Automation Bug",
        "si001": "System Issue",
        "en001": "Environment Issue",
        "fw001": "Firmware Issue",
        "nd001": "No Defect",
        "ti001": "To Investigate",
        "ib003": "Infrastructure Bug",
    }
)

_MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Product Bug": "the code of the product is wrong",
        "Automation Bug": "the test code, the CI configuration or the test's own machinery is "
        "wrong",
        "System Issue": "the infrastructure or environment failed: node, network, cluster, clock "
        "source",
        "Environment Issue": "the lab or cluster was not set up as the test needs it",
        "Firmware Issue": "the firmware or hardware of a device misbehaved",
        "No Defect": "nothing is wrong: a flaky, transient or expected result",
        "To Investigate": "there is too little data to say; a person has to look",
        "Infrastructure Bug": "a component of the shared infrastructure is broken",
    }
)

DEFAULT_CODES: Final = ("pb001", "ab001", "si001", "nd001", "ti001")

CATEGORIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "product": "the product did the wrong thing: a crash, a wrong value, a missed deadline",
        "automation": "the test did the wrong thing: a bad assertion, no cleanup, broken setup",
        "infra": "what the test stands on gave way: node, network, cluster, clock, quota",
        "flake": "it passes and fails without a change; timing on the edge",
        "environment": "the lab differs from what the test needs: cabling, configuration, versions",
        "firmware": "a device's firmware or hardware misbehaves",
        "unknown": "none of the above can be told from the data",
    }
)
DEFAULT_CATEGORIES: Final = ("product", "automation", "infra", "flake", "unknown")


def describe(code: str) -> str:
    """`Product Bug (pb001)`; an unknown code is returned as it is."""
    return f"{LABELS[code]} ({code})" if code in LABELS else code


def vocabulary(scored: Iterable[str] = ()) -> dict[str, str]:
    """The codes a prompt offers, with their meanings: five, and those that answers are scored with.

    A scored code takes the place of the default with the same label, so that there is one code for
    each verdict and a model that obeys the prompt can be right.
    """
    used = set(scored) & set(LABELS)
    taken = {LABELS[code] for code in used}
    offered = used | {code for code in DEFAULT_CODES if LABELS[code] not in taken}
    return {
        code: f"{label}: {_MEANINGS[label]}" for code, label in LABELS.items() if code in offered
    }


def categories(scored: Iterable[str] = ()) -> dict[str, str]:
    """The symptom categories a prompt offers: the usual ones, and those answers are scored with."""
    offered = {*DEFAULT_CATEGORIES, *scored}
    return {name: meaning for name, meaning in CATEGORIES.items() if name in offered}
