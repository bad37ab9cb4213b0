"""What the features of Python have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.feature import Feature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.python.rules import PythonRules


class PythonFeature(Feature):
    """Knows the rules of Python."""

    rules: PythonRules
