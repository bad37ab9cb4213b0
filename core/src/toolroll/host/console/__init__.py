"""The console: one page in the browser that talks MCP to the host that serves it."""
