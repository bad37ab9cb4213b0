"""One module for each language: syntax in, facts out."""
