"""JavaScript and TypeScript syntax to facts."""

from toolroll_codegraph.languages.javascript.module import dialect_of, extract_javascript

__all__ = ["dialect_of", "extract_javascript"]
