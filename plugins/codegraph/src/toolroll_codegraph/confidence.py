"""How sure a call is: the numbers that are stored, and the words that are told."""

from __future__ import annotations

from typing import Final

CERTAIN: Final = 3
"""Follows from how values flow."""
LIKELY: Final = 2
POSSIBLE: Final = 1
REFERENCE: Final = 0
"""No call: one function hands the other to somebody who may call it."""
WORDS: Final = {CERTAIN: "high", LIKELY: "medium", POSSIBLE: "low"}
