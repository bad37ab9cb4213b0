"""`python -m toolroll` is the `toolroll` command."""

from __future__ import annotations

from toolroll.cli.main import main

if __name__ == "__main__":
    main()
