"""The bar of commands that take long."""

from __future__ import annotations

import io

import pytest

from toolroll.progress_bar import progress_bar


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with progress_bar("looking") as report:
        assert report is not None
        report(1, 3, "[red]parsing")
        report(2, 3, None)
    shown = terminal.getvalue()
    assert "[red]parsing" in shown
    assert "2/3" in shown


def test_nothing_is_shown_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("looking") as report:
        assert report is None
    assert capsys.readouterr() == ("", "")
