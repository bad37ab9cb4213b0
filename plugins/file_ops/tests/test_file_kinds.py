"""What a file is for decides, where the words leave it open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Host

GATE = "export function openGate(gate) {\n  // lift the bar of the gate until it is open\n}\n"


@pytest.mark.parametrize(
    "other",
    [
        "lib/commonjs/gate.js",
        "build/legacy/gate.cjs",
        "dist/gate.min.js",
        "src/gate.js",
        "site/gate.js.map",
        "locale/de/gate.json",
        "src/css/gate.css",
    ],
)
def test_the_source_comes_before_what_repeats_it(host: Host, other: str) -> None:
    host.write({"src/gate.ts": GATE, other: GATE, "src/door.ts": "// beside the gate\n"})
    host.index()
    for query in ("openGate", "lift the bar of the gate"):
        found = host.found(query)
        assert found[0] == "src/gate.ts"
        assert other in found


def test_words_are_found_by_the_letters_that_stand_for_them(host: Host) -> None:
    host.write({f"src/use_{i}.py": f"used = 'used {i}'\n" * 40 for i in range(250)})
    host.write({"src/core/lru.py": "class LRU:\n    def put(self, key): ...\n"})
    host.index()
    assert host.found("cache with the least recently used")[0] == "src/core/lru.py"
