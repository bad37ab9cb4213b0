"""JavaScript and TypeScript, in files of their own and in components of Vue, Svelte and Astro."""

from toolroll_codegraph.languages.javascript.component_module import extract_component
from toolroll_codegraph.languages.javascript.module import dialect_of, extract_javascript

__all__ = ["dialect_of", "extract_component", "extract_javascript"]
