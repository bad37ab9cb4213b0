"""What the features of Ruby have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolroll_codegraph.resolve.feature import Feature

if TYPE_CHECKING:
    from toolroll_codegraph.resolve.ruby.rules import RubyRules


class RubyFeature(Feature):
    """Knows the rules of Ruby."""

    rules: RubyRules
