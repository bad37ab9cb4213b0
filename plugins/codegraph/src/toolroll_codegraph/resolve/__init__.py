"""From the facts of all files to one call graph."""
