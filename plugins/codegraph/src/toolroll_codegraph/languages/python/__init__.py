"""Python syntax to facts."""

from toolroll_codegraph.languages.python.module import extract_python

__all__ = ["extract_python"]
