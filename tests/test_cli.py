"""The command line: what it prints, where errors go, and with which exit code it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cxg_widget import __version__
from cxg_widget.cli import main


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "small.cxg"
    assert main(["demo", str(path), "--cells", "200", "--genes", "30"]) == 0
    return path


def test_demo_says_what_it_wrote_and_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new.cxg"
    assert main(["demo", str(path), "--cells", "1e3", "--genes", "3", "--seed", "7"]) == 0
    assert capsys.readouterr().out == f"Wrote 1,000 synthetic cells x 3 genes to {path}\n"


def test_demo_keeps_what_is_there_unless_forced(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", str(store), "--cells", "10"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"cxg-widget: '{store}' exists already")
    assert printed.err.count("\n") == 1
    assert main(["demo", str(store), "--cells", "200", "--genes", "30", "--force"]) == 0


def test_inspect_names_shape_embeddings_columns_and_gene_sets(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(store)]) == 0
    out = capsys.readouterr().out
    for line in ("200 obs x 30 var", "umap (2) *", "pca (10)", "categorical (16)", "T cell markers"):
        assert line in out


def test_inspect_prints_no_control_characters_of_a_store(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import json
    import shutil

    import tiledb

    path = shutil.copytree(store, tmp_path / "hostile.cxg")
    with tiledb.open(str(path / "cxg_group_metadata"), "w") as array:
        array.meta["cxg_properties"] = json.dumps({"title": "\x1b[2Jcleared"})
    assert main(["inspect", str(path)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b[2Jcleared" in out


def test_an_error_is_one_sentence_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(tmp_path / "missing.cxg")]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("cxg-widget: ")
    assert "no such file or directory" in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [[], ["paint"], ["inspect"], ["demo", "--cells", "few"], ["demo", "--genes", "0"], ["demo", "--size"]]
)
def test_wrong_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage: cxg-widget" in capsys.readouterr().err


def test_the_module_runs_as_the_command_does(store: Path) -> None:
    command = [sys.executable, "-m", "cxg_widget", "inspect", str(store)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("SYNTHETIC")


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"cxg-widget {__version__}\n"


def test_a_reader_that_stops_early_is_no_error_message(store: Path) -> None:
    command = f"'{sys.executable}' -m cxg_widget inspect '{store}' | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
