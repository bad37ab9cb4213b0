"""JavaScript and TypeScript; their files in components are read by `component_module.py`."""

from toolroll_codegraph.languages.javascript.module import dialect_of, extract_javascript

__all__ = ["dialect_of", "extract_javascript"]
