"""What the features of JavaScript have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.feature import Feature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules


class JavaScriptFeature(Feature):
    """Knows the rules of JavaScript."""

    rules: JavaScriptRules
