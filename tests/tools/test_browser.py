"""Finding a browser: the one that is named wins, and where none is found a sentence says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import browser


def test_the_browser_named_in_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXG_BROWSER", "/opt/mine/chrome")
    assert browser.find() == "/opt/mine/chrome"


def test_a_browser_on_the_path_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "chromium-browser"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.delenv("CXG_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert browser.find() == str(program)


def test_without_browser_and_package_manager_one_sentence_says_to_set_cxg_browser(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CXG_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(browser, "_PLACES", ())
    monkeypatch.setattr("sys.argv", ["browser.py", "--install"])
    assert browser.main() == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert "set CXG_BROWSER" in printed.err
