"""Table [fileio]: the document's defaults, and bad values named at start."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fileio_host import open_host

from toolroll import SettingsError
from toolroll_fileio import FileioSettings


def test_defaults_are_those_of_the_document() -> None:
    settings = FileioSettings()
    assert (settings.allow_root_wipe, settings.list_limit_default) == (False, 256)
    search = settings.search
    assert (search.enabled, search.limit_default, search.limit_max) == (True, 5, 20)
    assert (search.vector_candidates, search.bm25_candidates) == (30, 30)
    assert (search.rerank.model, search.rerank.enabled) == ("rerank-v3.5", False)
    assert (settings.index.slo_p95_seconds, settings.index.retry_max) == (30, 5)
    assert settings.security.credential_cache_prefix == "mcp:files:cred"
    assert settings.security.credential_cache_ttl_seconds == 300


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ({"max_file_bites": 1}, "max_file_bytes"),
        ({"max_file_bytes": 0}, "max_file_bytes"),
        ({"list_limit_default": 10, "list_limit_max": 5}, "list_limit_max"),
        ({"search": {"limit_default": 30}}, "limit_max"),
        ({"search": {"limit_default": 30, "limit_max": 20}}, "limit_max"),
        ({"search": {"fallback": {"semantic_weight": 0, "lexical_weight": 0}}}, "lexical_weight"),
        ({"search": {"rerank": {"endpoint": "ftp://x"}}}, "endpoint"),
        ({"search": {"embedding": {"engine": "magic"}}}, "engine"),
        ({"index": {"workers": 0}}, "workers"),
        ({"security": {"encryption_keks": {"70000": "x" * 20}}}, "encryption_keks"),
        ({"security": {"encryption_keks": {"3": "too short"}}}, "encryption_keks"),
    ],
)
def test_bad_settings_fail_at_start_with_the_key_named(
    tmp_path: Path, table: dict[str, Any], named: str
) -> None:
    with pytest.raises(SettingsError, match=named):
        open_host(tmp_path, fileio=table)


def test_a_secret_in_the_settings_is_never_shown(tmp_path: Path) -> None:
    secret = "planted-key-encryption-secret"
    with pytest.raises(SettingsError) as caught:
        open_host(
            tmp_path, fileio={"security": {"encryption_keks": {"3": secret, "99999": secret}}}
        )
    assert secret not in str(caught.value)
    kept = FileioSettings.model_validate({"security": {"encryption_keks": {3: secret}}})
    assert secret not in repr(kept)


def test_weights_count_by_their_share() -> None:
    settings = FileioSettings.model_validate(
        {"search": {"fallback": {"semantic_weight": 3, "lexical_weight": 1}}}
    )
    assert settings.search.fallback.semantic_share == 0.75
