"""Python's semantics over the solver."""

from toolroll_codegraph.resolve.python.rules import PythonRules

__all__ = ["PythonRules"]
