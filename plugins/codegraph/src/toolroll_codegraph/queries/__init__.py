"""Questions to a stored graph."""
