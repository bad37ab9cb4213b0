"""Short-lived secrets of one process."""

from __future__ import annotations

from toolroll.storage import MemorySecrets


def test_a_secret_is_there_until_it_expires() -> None:
    now = 0.0
    secrets = MemorySecrets(lambda: now)
    secrets.put("key", b"value", ttl=10)
    now = 9.9
    assert secrets.get("key") == b"value"
    now = 10.0
    assert secrets.get("key") is None


def test_a_secret_is_replaced_and_forgotten() -> None:
    secrets = MemorySecrets()
    secrets.put("key", b"one", ttl=60)
    secrets.put("key", b"two", ttl=60)
    assert secrets.get("key") == b"two"
    secrets.delete("key")
    secrets.delete("key")
    assert secrets.get("key") is None


def test_expired_secrets_leave_memory() -> None:
    now = 0.0
    secrets = MemorySecrets(lambda: now)
    secrets.put("old", b"x", ttl=1)
    now = 2.0
    secrets.put("new", b"x", ttl=1)
    assert list(secrets.__dict__["_values"]) == ["new"]
