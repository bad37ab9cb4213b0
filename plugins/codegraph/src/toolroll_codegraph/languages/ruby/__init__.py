"""Ruby syntax to facts."""

from toolroll_codegraph.languages.ruby.extraction import extract_ruby

__all__ = ["extract_ruby"]
