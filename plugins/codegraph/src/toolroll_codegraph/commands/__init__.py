"""`toolroll codegraph …`: index, watch, query, impact, export, projects, forget."""

from toolroll_codegraph.commands import graph, impact, projects
from toolroll_codegraph.commands.group import commands

__all__ = ["commands", "graph", "impact", "projects"]
