"""From a directory to stored facts and a stored graph."""
