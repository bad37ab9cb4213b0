"""What SQLite takes and PostgreSQL might not."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

from toolroll.runtime import Runtime


def test_a_case_whose_test_has_a_long_name_is_triaged_and_recalled(
    host: Any, postgres_database: str, tmp_path: Path
) -> None:
    name = f"tests/test_limits.py::test_limit[{secrets.token_hex(2_000)}]"
    case = {"version": "1", "job": "unit", "test_name": name, "error_message": "too small"}
    scenario = {"name": "long", "cases": [{"id": id, **case} for id in ("C1", "C2")]}
    (host.root / "long.json").write_text(json.dumps(scenario))
    settings = {"storage": {"url": postgres_database}, "investigation": {"scenario_dirs": ["."]}}
    with Runtime.open(
        roots=[host.root],
        data_dir=tmp_path / "data-postgres",
        overrides={"packs": {"allow": ("investigation",)}, **settings},
    ) as runtime:
        there = type(host)(runtime, host.root, tmp_path / "data-postgres")
        there.answer("start_investigation", scenario="long")
        there.submit("C1", "F0_RECALL", {})
        told = there.submit("C1", "F1_TRIAGE", {"symptom_category": "flake"})
        assert told["next_step"] == "F5_REVIEW"
        prompt = there.answer("get_prompt", case_id="C2", step="F0_RECALL")
        assert "### Root causes linked to it" in prompt
