"""What is said around a question finds nothing by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Host

FILES = {
    "src/registry.py": "def implemented(code, function):\n    '''Class, responsible for code.'''\n",
    "src/again.py": "def call(times):\n    '''Retry what failed.'''\n",
    "src/other.py": "def call(times):\n    '''Wait until it ends.'''\n",
}


@pytest.mark.parametrize(
    "question",
    [
        "which class or function is responsible for this: retry what failed?",
        "where is the code implemented to retry what failed",
    ],
)
def test_the_frame_of_a_question_finds_nothing(host: Host, question: str) -> None:
    host.write(FILES)
    host.index()
    assert host.found(question)[0] == "src/again.py"
