"""Ruby syntax to facts: `extraction.py`. Imports nothing, for a resolver asks for names alone."""
