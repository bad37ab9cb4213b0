"""Where packs keep their data: SQL databases, migrations, short-lived secrets."""

from __future__ import annotations

from toolroll.storage.database import Database
from toolroll.storage.secrets import MemorySecrets, SecretCache

__all__ = ["Database", "MemorySecrets", "SecretCache"]
