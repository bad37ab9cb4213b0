"""Reading SARIF 2.1.0 logs of real scanners into scans of project files."""

from __future__ import annotations

from toolroll_file_assoc.sarif.reader import read_log
from toolroll_file_assoc.sarif.scan import Scan, ScannedFinding

__all__ = ["Scan", "ScannedFinding", "read_log"]
