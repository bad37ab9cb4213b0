"""The reference pages leave nothing out, and show the defaults as they are."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import toolroll
from toolroll import hookspecs
from toolroll.settings import CORE_TABLES, BackendSelection

DOCS = Path(__file__).parents[1]


def test_every_public_name_is_documented() -> None:
    """api.md names all of `toolroll.__all__`."""
    named = set(re.findall(r"`([A-Za-z_]+)`", (DOCS / "api.md").read_text("utf-8")))
    assert set(toolroll.__all__) - {"hookimpl"} <= named


def test_every_hook_is_documented() -> None:
    """api.md names all hooks, and no other."""
    documented = set(re.findall(r"`(toolroll_[a-z]+)\(\)`", (DOCS / "api.md").read_text("utf-8")))
    assert documented == {name for name in vars(hookspecs) if name.startswith("toolroll_")}


def test_settings_page_names_every_kind_of_backend() -> None:
    """Its second sample chooses one; the kinds beside it are named."""
    page = (DOCS / "settings.md").read_text("utf-8")
    sample = page.split("```toml\n")[2]
    assert BackendSelection(**tomllib.loads(sample.split("```")[0])["backends"])
    assert set(BackendSelection.model_fields) <= set(re.findall(r"\w+", sample))


@pytest.mark.parametrize("table", sorted(CORE_TABLES.keys() - {"backends"}))
def test_settings_page_shows_every_key_with_its_default(table: str) -> None:
    """The sample file is valid, whole, and shows defaults (roots, data_dir and allow apart)."""
    page = (DOCS / "settings.md").read_text("utf-8")
    shown = tomllib.loads(page.split("```toml\n")[1].split("```")[0])[table]
    model = CORE_TABLES[table]
    assert set(shown) == set(model.model_fields)
    examples = {"roots", "data_dir", "allow"}
    for key, value in model().model_dump(mode="json").items():
        if key not in examples:
            assert shown[key] == value, key
