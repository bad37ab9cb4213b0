"""Credential hand-over: envelopes, rotation, expiry, and no plaintext anywhere."""

from __future__ import annotations

import json
import logging

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import toolroll
from toolroll.storage.credentials import (
    Binding,
    CredentialUnavailable,
    CredentialVault,
    Envelope,
    Keyring,
)
from toolroll.storage.secrets import MemorySecrets

SECRET = "sk-planted-credential-0123456789"
BINDING = Binding(tenant="a" * 64, project="proj", path="/a.txt", job="job-1")
KEYRING = Keyring.of({3: "an old secret of the host", 8: "a newer secret of the host"})


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=["memory", "redis"])
def cache(request, clock):
    if request.param == "memory":
        return MemorySecrets(clock)
    return request.getfixturevalue("redis").secrets()


@pytest.fixture
def vault(cache, clock):
    return CredentialVault(cache, KEYRING, prefix="mcp:files:cred", ttl=300, clock=clock)


def open_with(vault, reference, binding=BINDING):
    with vault.use(reference, binding) as credential:
        return credential


@given(st.text(), st.text(), st.text(), st.text())
def test_what_is_sealed_opens_for_its_binding(credential, project, path, job):
    binding = Binding("t", project, path, job)
    data = credential.encode("utf-8", "surrogatepass")
    envelope = KEYRING.seal(data, binding, 5.0)
    assert KEYRING.open(Envelope.from_bytes(envelope.to_bytes()), binding) == data


@pytest.mark.parametrize("name", ["tenant", "project", "path", "job"])
def test_it_opens_for_no_other_binding(name):
    envelope = KEYRING.seal(SECRET.encode(), BINDING, 5.0)
    with pytest.raises(CredentialUnavailable, match="another job"):
        KEYRING.open(envelope, evolve(BINDING, **{name: "other"}))


def test_fields_of_a_binding_cannot_flow_into_one_another():
    assert Binding("t", "a", "b|c", "d").digest() != Binding("t", "a|b", "c", "d").digest()
    assert Binding("t", 'a", "b', "c", "d").digest() != Binding("t", "a", 'b", "c', "d").digest()


@pytest.mark.parametrize(
    "change",
    [
        {"dek_id": b"\0" * 16},
        {"expires_at": 9e9},
        {"kek_id": 3},
        {"ciphertext": b""},
        {"ciphertext": b"\0" * 60},
    ],
    ids=str,
)
def test_a_changed_envelope_does_not_open(change):
    envelope = KEYRING.seal(SECRET.encode(), BINDING, 5.0)
    with pytest.raises(CredentialUnavailable, match="damaged"):
        KEYRING.open(evolve(envelope, **change), BINDING)


def test_every_bit_of_the_ciphertext_is_vouched_for():
    envelope = KEYRING.seal(b"x", BINDING, 5.0)
    for position in range(len(envelope.ciphertext)):
        flipped = bytearray(envelope.ciphertext)
        flipped[position] ^= 1
        with pytest.raises(CredentialUnavailable):
            KEYRING.open(evolve(envelope, ciphertext=bytes(flipped)), BINDING)


def test_an_envelope_has_the_five_fields_and_a_data_key_of_its_own():
    first, second = (KEYRING.seal(SECRET.encode(), BINDING, 5.0) for _ in range(2))
    fields = json.loads(first.to_bytes())
    assert sorted(fields) == ["aad", "ciphertext", "dek_id", "expires_at", "kek_id"]
    assert first.dek_id != second.dek_id
    assert first.ciphertext != second.ciphertext


def test_the_highest_key_seals_and_every_key_opens():
    assert KEYRING.seal(b"x", BINDING, 5.0).kek_id == 8
    old = Keyring.of({3: "an old secret of the host"}).seal(b"x", BINDING, 5.0)
    assert old.kek_id == 3
    assert KEYRING.open(old, BINDING) == b"x"


def test_a_key_that_was_taken_away_opens_nothing():
    envelope = KEYRING.seal(b"x", BINDING, 5.0)
    with pytest.raises(CredentialUnavailable, match="key 8"):
        Keyring.of({3: "an old secret of the host"}).open(envelope, BINDING)


@pytest.mark.parametrize("keks", [{}, {1: "  "}, {70_000: "x" * 20}, {-1: "x" * 20}])
def test_bad_keys_are_refused(keks):
    with pytest.raises(toolroll.SettingsError):
        Keyring.of(keks)


def test_a_credential_is_used_once(vault):
    reference = vault.put(SECRET, BINDING)
    assert open_with(vault, reference) == SECRET
    with pytest.raises(CredentialUnavailable, match="missing"):
        open_with(vault, reference)


def test_after_a_failure_the_job_can_try_again(vault):
    reference = vault.put(SECRET, BINDING)
    with pytest.raises(ConnectionError), vault.use(reference, BINDING):
        raise ConnectionError
    assert open_with(vault, reference) == SECRET


def test_it_can_be_forgotten_unused(vault):
    reference = vault.put(SECRET, BINDING)
    vault.forget(reference)
    with pytest.raises(CredentialUnavailable):
        open_with(vault, reference)


def test_an_expired_credential_is_gone(vault, clock):
    reference = vault.put(SECRET, BINDING)
    clock.now += 301
    with pytest.raises(CredentialUnavailable, match="expired"):
        open_with(vault, reference)


def test_two_writes_of_one_file_have_two_credentials(vault):
    first, second = vault.put("one", BINDING), vault.put("two", BINDING)
    assert (open_with(vault, first), open_with(vault, second)) == ("one", "two")


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b'{"kek_id": 1}', b"\xff"])
def test_what_is_no_envelope_is_refused(cache, vault, data):
    cache.put("mcp:files:cred:x", data, 60)
    with pytest.raises(CredentialUnavailable, match="damaged"):
        open_with(vault, "x")


def test_the_cache_holds_no_plaintext_and_no_name(redis, clock):
    vault = CredentialVault(redis.secrets(), KEYRING, prefix="p", ttl=300, clock=clock)
    vault.put(SECRET, Binding("tenant-name", "project-name", "/path-name", "job-name"))
    [key] = redis._client.keys("*")
    kept = key + redis._client.get(key)
    for word in (SECRET, "tenant-name", "project-name", "path-name", "job-name"):
        assert word.encode() not in kept
    assert 0 < redis._client.ttl(key) <= 300


def test_nothing_that_can_be_logged_shows_a_secret(caplog):
    caplog.set_level(logging.DEBUG)
    envelope = KEYRING.seal(SECRET.encode(), BINDING, 5.0)
    shown = [repr(KEYRING), repr(envelope), str(envelope), caplog.text]
    try:
        KEYRING.open(evolve(envelope, ciphertext=b"\0" * 60), BINDING)
    except CredentialUnavailable as error:
        shown += [str(error), repr(error), repr(error.__cause__)]
    assert not any("secret of the host" in text or SECRET in text for text in shown)
