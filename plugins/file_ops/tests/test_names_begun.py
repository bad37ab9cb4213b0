"""A symbol that is not written to its end, or otherwise, finds the names that begin so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Host

FILES = {
    "src/group.py": "class GroupResult:\n    def join_native(self): ...\n",
    "src/tables.py": "class GroupResultTables:\n    '''Rows of groups.'''\n",
    "src/use.py": "# group the rows by key\nresult = GroupResult()\nresult.join_native()\n" * 30,
    "src/open.py": "# open rows, open the rows, open all rows\nrows = open_all(_OpenRows())\n" * 9,
    "src/rows.py": "class _OpenRows:\n    '''All.'''\n" + "    x = 1\n" * 99,
    "docs/groups.md": "# Groups\n\nA group is re-read, a groupRe-read or a native join.\n",
}


@pytest.mark.parametrize(
    ("query", "file"),
    [
        ("GroupResul", "src/group.py"),
        ("grouprES", "src/group.py"),
        ("GroupResultTab", "src/tables.py"),
        ("GroupResult.join_nat", "src/group.py"),
        ("join_nat", "src/group.py"),
        ("`join_nati()`", "src/group.py"),
        ("joinNative", "src/group.py"),
        ("group_result", "src/group.py"),
        ("GROUP_RESULT_TABLES", "src/tables.py"),
        ("OpenRows", "src/rows.py"),
    ],
)
def test_the_definition_comes_first(host: Host, query: str, file: str) -> None:
    host.write(FILES)
    host.index()
    assert host.found(query)[0] == file


def test_underscores_stand_for_themselves(host: Host) -> None:
    host.write(FILES | {"src/joining.py": "def joinXnative(): ...\n"})
    host.index()
    assert host.found("join_nativ")[0] == "src/group.py"


def test_definitions_are_found_by_how_they_begin_among_many_uses(host: Host) -> None:
    body = "".join(f"    value_{number} = {number}\n" for number in range(40))
    host.write({f"src/kind{number}.py": f"class Field:\n{body}" for number in range(5)})
    host.write({f"src/field{number}.py": "a.field  # class field\n" * 3 for number in range(120)})
    host.index()
    for query in ("Field", "class Field", "class Field:"):
        assert {path[:8] for path in host.found(query)[:5]} == {"src/kind"}
