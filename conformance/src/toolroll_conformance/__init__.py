"""Holds a Toolroll pack, or any other MCP server, to its contract."""
