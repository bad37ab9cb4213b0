"""Starting `toolroll` processes: cold, or quickly from one that has imported the libraries."""
