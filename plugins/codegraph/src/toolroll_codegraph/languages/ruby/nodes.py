"""Which method handles which kind of Ruby's syntax nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolroll_codegraph.facts import Frame
from toolroll_codegraph.languages.grammar import Dispatch

Handler = Callable[[Any, Frame, Any], int]
NODES: Final[Dispatch[Handler]] = Dispatch("ruby")
