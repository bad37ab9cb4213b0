"""The `toolroll` command: each module one command, imported when it is used."""
