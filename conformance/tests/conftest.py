"""Puts the zoo of packs on the import path; it is no distribution."""

from __future__ import annotations

import sys
from pathlib import Path

ZOO = Path(__file__).parents[1] / "zoo"
if str(ZOO) not in sys.path:
    sys.path.insert(0, str(ZOO))
