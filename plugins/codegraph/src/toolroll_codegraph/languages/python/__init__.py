"""Python syntax to facts: `module.py`. Imports nothing, for a resolver asks for names alone."""
