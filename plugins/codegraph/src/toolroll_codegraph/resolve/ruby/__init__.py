"""How Ruby objects answer calls."""

from toolroll_codegraph.resolve.ruby.rules import RubyRules

__all__ = ["RubyRules"]
