"""Names that facts use beside those of the source: of fields, calls and relations."""

from __future__ import annotations

from typing import Final

ANY_KEY: Final = "[*"
"""Field that stands for an element whose key is not known."""
ANY_NUMBER: Final = "[#"
"""Field that stands for an element at a position that is not known (JavaScript)."""
ASKED_KEYS: Final = b"[?"
"""Field for the keys that a Ruby hash is asked for, which its block makes things for."""
SENT: Final = "@sent"
"""Field of a generator for what `yield` returns."""
RETURNED: Final = "@returned"
"""Field of a generator for what it returns at its end."""
RESULT: Final = "()"
"""Ends the name of an interface's field for what its method of that name returns."""
PREFIX: Final = "*"
"""Ends a constant of which only the beginning is known; stands for each gap where more is."""
OF_SINGLETON: Final = "singleton "
"""Begins the name of a Ruby call that `singleton_class` is sent."""
IN_PLACE: Final = "in place"
"""Relation of a Python module with the slot of what it puts in its own place."""
COMPONENT: Final = "@component"
"""Name of what joins a component's options (JavaScript) with its template, which is called with
both."""
