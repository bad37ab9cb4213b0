"""The store: files with their facts, functions, calls and relations, by project."""
