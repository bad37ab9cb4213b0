"""JavaScript's and TypeScript's semantics over the solver."""

from toolroll_codegraph.resolve.javascript.rules import JavaScriptRules

__all__ = ["JavaScriptRules"]
