"""The MCP host: the one place that knows the protocol and its SDK."""
