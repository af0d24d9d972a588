"""The table of two versions, and the earlier one's clone; nothing here is timed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks import since, since_report
from benchmarks.since import Tree


def rows(text: str) -> dict[str, list[str]]:
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return {title.strip(): [cell.strip() for cell in cells] for title, *cells in lines}


def test_figures_are_medians_with_their_ratio_and_a_dash_where_the_earlier_version_lacks_a_feature() -> None:
    now = {"sparse gene, MB": [0.2, 0.3, 0.9], "compare, ms": [40.0]}
    text, worse = since_report.write(
        {"few cells": {"now": now, "v1": {"sparse gene, MB": [0.3]}}}, {"date": "today"}, "a\n\nabout", "v1"
    )
    found = rows(text)
    assert found["recolor by a gene, MB received"] == ["0.30", "0.30", "1.00"]
    assert found["compare the selection with the rest, ms"] == ["40", "-", "-"]
    assert "zoom" not in text
    assert {"## few cells", "- date: today", "about"} <= set(text.splitlines())
    assert worse == []


@pytest.mark.parametrize(
    ("now", "then", "is_worse"), [(100.0, 90.0, True), (99.0, 90.0, False), (18.0, 10.0, False), (50.0, 90.0, False)]
)
def test_a_figure_is_worse_above_a_tenth_more_and_by_more_than_its_clock_resolves(
    now: float, then: float, is_worse: bool
) -> None:
    figure = since_report.Figure("a picture, ms", "a", grain=9 if now < 100 else 0)
    text, worse = since_report.write({"few": {"now": {"a": [now]}, "v1": {"a": [then]}}}, {}, "", "v1", (figure,))
    ratio = f"{now / then:.2f}"
    assert worse == ([f"a picture, ms, few: {ratio}"] if is_worse else [])
    assert rows(text)["a picture, ms"][2] == (f"**{ratio}**" if is_worse else ratio)


def test_a_run_with_a_worse_figure_writes_the_table_and_ends_with_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    values = {"now": {"zoom frame, ms": [90.0]}, "v1": {"zoom frame, ms": [30.0]}}
    monkeypatch.setattr(since, "build", lambda commit: Tree(commit, since.HERE.parent, ""))
    monkeypatch.setattr(since.data, "open_store", lambda _: since.Store(tmp_path, 1_000, 3, (), "", {}))
    monkeypatch.setattr(since, "measure", lambda *_: values)
    monkeypatch.setattr(since, "REPORT", tmp_path / "since.md")
    with pytest.raises(SystemExit, match=r"than v1: frame time while zooming, ms, 1,000 cells: 3\.00"):
        since.main(["v1"])
    assert rows((tmp_path / "since.md").read_text())["frame time while zooming, ms"] == ["90", "30", "**3.00**"]
    values["now"] = values["v1"]
    since.main(["v1"])


def test_the_earlier_tree_is_a_clone_at_its_commit_made_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "benchmarks").mkdir(parents=True)
    (source / "Makefile").write_text("setup:\n\t@echo built >> built\n")
    for command in ("init -q", "add .", "commit -qm first", "tag v1", "commit -q --allow-empty -m second"):
        author = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *author, *command.split()], cwd=source, check=True)
    monkeypatch.setattr(since, "HERE", source / "benchmarks")
    monkeypatch.setattr(since, "RAW", tmp_path / "raw")
    assert since.last_tag() == "v1"
    since.build("v1")
    tree = since.build("v1")
    head = ["git", "log", "-1", "--format=%s"]
    assert subprocess.run(head, cwd=tree.root, check=True, capture_output=True, text=True).stdout == "first\n"
    assert (tree.root / "built").read_text() == "built\nbuilt\n"
    assert Path(tree.python).is_relative_to(tree.root)


def test_without_a_tag_or_a_commit_nothing_is_measured_and_a_sentence_names_the_argument(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(since, "last_tag", lambda: "")
    since.main([])
    assert "make bench THEN=COMMIT" in capsys.readouterr().out
