"""Bearer keys: stored as hashes, read again when they change, refused when in doubt."""

from __future__ import annotations

import hashlib
import json
import math
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from toolroll import NotFound, SettingsError
from toolroll.context import tenant_of
from toolroll.host.keys import KeyRecord, KeyStore


@pytest.fixture
def store(tmp_path: Path) -> KeyStore:
    return KeyStore(tmp_path / "data")


@pytest.mark.parametrize("days", [math.nan, math.inf, 1e300, 4e6])
def test_a_lifetime_that_no_calendar_has_is_refused(store: KeyStore, days: float) -> None:
    with pytest.raises(SettingsError, match="a key cannot live"):
        store.create("long", days=days)
    assert store.list() == ()


def test_a_key_is_verified_and_never_stored(store: KeyStore, tmp_path: Path) -> None:
    key = store.create("ci", scopes=("read",))
    record = store.verify(key)
    assert record is not None
    assert (record.name, record.scopes, record.expires_at) == ("ci", ("read",), "")
    assert record.tenant == tenant_of(key) == hashlib.sha256(key.encode()).hexdigest()
    file = tmp_path / "data" / "keys.json"
    assert key not in file.read_text("utf-8")
    assert file.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in file.parent.iterdir()) == ["keys.json", "locks"]


def test_keys_differ_and_are_long(store: KeyStore) -> None:
    keys = {store.create(str(number)) for number in range(20)}
    assert len(keys) == 20
    assert all(key.startswith("tr_") and len(key) >= 40 for key in keys)


@pytest.mark.parametrize("key", ["", "tr_", "tr_" + "x" * 43, "é", "\x00"])
def test_another_key_is_refused(store: KeyStore, key: str) -> None:
    store.create("ci")
    assert store.verify(key) is None


def test_a_running_host_sees_new_and_revoked_keys_at_once(store: KeyStore, tmp_path: Path) -> None:
    host = KeyStore(tmp_path / "data")
    assert host.list() == ()
    first, second = store.create("first"), store.create("second")
    assert host.verify(first) is not None
    store.revoke("first")
    assert host.verify(first) is None
    assert host.verify(second) is not None
    (tmp_path / "data" / "keys.json").unlink()
    assert host.verify(second) is None


def test_changes_at_the_same_time_undo_none_of_one_another(store: KeyStore, tmp_path: Path) -> None:
    store.create("old")

    def make(number: int) -> str:
        return KeyStore(tmp_path / "data").create(f"new-{number}")

    with ThreadPoolExecutor(8) as pool:
        revoked = pool.submit(store.revoke, "old")
        keys = list(pool.map(make, range(12)))
        revoked.result()
    assert sorted(record.name for record in store.list()) == sorted(f"new-{n}" for n in range(12))
    assert all(store.verify(key) for key in keys)


def test_a_key_ends_when_its_time_is_over(store: KeyStore) -> None:
    key = store.create("short", days=1)
    record = store.verify(key)
    assert record is not None
    ends = datetime.fromisoformat(record.expires_at)
    assert timedelta(hours=23) < ends - datetime.now(UTC) <= timedelta(days=1)
    assert record.is_live(ends - timedelta(seconds=1))
    assert not record.is_live(ends)


def test_an_expired_key_is_refused_and_still_listed(store: KeyStore, tmp_path: Path) -> None:
    key = store.create("short", days=1)
    file = tmp_path / "data" / "keys.json"
    rows = json.loads(file.read_text("utf-8"))
    rows["keys"][0]["expires_at"] = "2001-01-01T00:00:00+00:00"
    file.write_text(json.dumps(rows), "utf-8")
    assert store.verify(key) is None
    assert [record.name for record in store.list()] == ["short"]


def test_names_are_unique_and_listed_in_order(store: KeyStore) -> None:
    store.create("b")
    store.create("a")
    assert [record.name for record in store.list()] == ["a", "b"]
    with pytest.raises(SettingsError, match="'a' exists"):
        store.create("a")
    with pytest.raises(SettingsError, match="needs a name"):
        store.create("  ")
    for name in ("\x1b[31m", "\udcff"):
        with pytest.raises(SettingsError, match="without control characters"):
            store.create(name)
    with pytest.raises(SettingsError, match="unknown scope 'admin'; known: read, write"):
        store.create("c", scopes=("admin",))


def test_revoking_what_is_not_there_names_what_is(store: KeyStore) -> None:
    with pytest.raises(NotFound, match="no key is named 'x'; keys: none"):
        store.revoke("x")
    store.create("a")
    with pytest.raises(NotFound, match="keys: a"):
        store.revoke("x")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"keys": 5}', '{"keys": [{"name": "x"}]}', '{"keys": [{"x": 1}]}'],
)
def test_a_damaged_file_lets_nobody_in(store: KeyStore, tmp_path: Path, text: str) -> None:
    key = store.create("ci")
    (tmp_path / "data" / "keys.json").write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=r"keys\.json is damaged"):
        store.verify(key)
    with pytest.raises(SettingsError, match=r"keys\.json is damaged"):
        store.create("another")


def test_a_record_survives_its_file() -> None:
    record = KeyRecord("ci", "t", ("write", "read"), "2026-01-01T00:00:00+00:00")
    assert record.scopes == ("read", "write")
    assert record.is_live(datetime.now(UTC))
