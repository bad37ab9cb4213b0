"""The ways in: a pack in process, over real stdio, over real HTTP, or a stranger's server."""
