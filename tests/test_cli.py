"""The command line: what it prints, where errors go, and with which exit code it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import h5py
import pytest

from cxg_widget import __version__
from cxg_widget.cli.arguments import option
from cxg_widget.cli.main import main
from tests.datasets.make_atlas import make_atlas, make_truth


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
    assert printed.err.startswith(f"cxg-widget: '{store}' already exists")
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
    import shutil

    import tiledb

    path = shutil.copytree(store, tmp_path / "hostile.cxg")
    with tiledb.open(str(path / "cxg_group_metadata"), "w") as array:
        array.meta["corpora"] = json.dumps({"title": "\x1b[2Jcleared"})
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
    "arguments",
    [
        [],
        ["paint"],
        ["inspect"],
        ["validate"],
        ["convert", "a.cxg"],
        ["convert", "a.cxg", "b.cxg", "--format", "zarr"],
        ["inspect", "a.cxg", "--option", "key"],
        ["demo", "--cells", "few"],
        ["demo", "--genes", "0"],
        ["demo", "--size"],
    ],
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


def test_convert_says_what_it_wrote_and_what_it_could_not_carry(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "small.h5ad"
    assert main(["convert", str(store), str(target)]) == 0
    assert capsys.readouterr().out.startswith("Wrote 200 obs x 30 var (")
    assert main(["convert", str(target), str(tmp_path / "again.cxg"), "--best"]) == 0
    assert capsys.readouterr().out.startswith("Wrote 200 obs x 30 var (")
    assert main(["convert", str(store), str(target)]) == 1
    assert "exists already and is not overwritten" in capsys.readouterr().err
    assert main(["convert", str(store), str(tmp_path / "other.h5ad"), "--layer", "counts"]) == 1
    assert "counts" in capsys.readouterr().err


def test_options_of_a_kind_of_store_choose_what_is_inspected_and_converted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = make_truth()
    atlas = make_atlas(tmp_path / "atlas", truth)  # snapshot 0 lacks the last five cells
    for options, number, n_obs in ((["--option", "version=0"], 0, len(truth.obs) - 5), ([], 1, len(truth.obs))):
        assert main(["inspect", str(atlas), *options]) == 0
        lines = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert ["version", str(number)] in lines
        assert ["shape", str(n_obs), "obs", "x", str(truth.X.shape[1]), "var"] in lines
        target = tmp_path / f"{number}.h5ad"
        assert main(["convert", str(atlas), str(target), *options]) == 0
        with h5py.File(target) as file:
            assert file["obs"][file["obs"].attrs["_index"]].shape == (n_obs,)
        capsys.readouterr()
    assert main(["inspect", str(atlas), "--option", "version=x"]) == 1
    assert "version" in capsys.readouterr().err
    assert main(["inspect", str(atlas), "--option", "obs_tables=cells"]) == 1
    assert "Did you mean 'obs_table'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "value"),
    [("a=1", 1), ("a=rna", "rna"), ('a="1"', "1"), ('a=["lat", "lon"]', ["lat", "lon"]), ("a=", ""), ("a=b=c", "b=c")],
)
def test_an_option_is_json_where_it_can_be_and_text_where_not(text: str, value: object) -> None:
    assert option(text) == ("a", value)


def test_validate_ends_with_0_where_every_must_is_kept_and_with_1_where_not(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shutil

    import tiledb

    assert main(["validate", str(store)]) == 0
    assert capsys.readouterr().out == f"{store}: valid CXG 0.3.0.\n"
    path = shutil.copytree(store, tmp_path / "broken.cxg")
    with tiledb.open(str(path / "cxg_group_metadata"), "w") as array:
        array.meta["cxg_properties"] = '{"title": 3}'
    assert main(["validate", str(path)]) == 0
    out = capsys.readouterr().out
    assert "SHOULD  cxg_group_metadata metadata cxg_properties, title: 3\n" in out
    assert "valid CXG 0.3.0; 0 MUST and 1 SHOULD rules fail" in out
    with tiledb.open(str(path / "cxg_group_metadata"), "w") as array:
        array.meta["cxg_version"] = "\x1b[2J"
    assert main(["validate", str(path)]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[0].startswith("MUST    cxg_group_metadata metadata cxg_version: ")
    assert "\x1b" not in out
    assert main(["validate", str(path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [one["rule"] for one in found["violations"]] == ["version-semantic", "properties-title"]


def test_validate_of_nothing_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(tmp_path / "missing.cxg")]) == 2
    assert "no such file or directory" in capsys.readouterr().err


def test_validate_says_what_a_store_of_another_format_is_and_how_to_convert_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cells.csv"
    path.write_text("x,y\n1,2\n")
    assert main(["validate", str(path)]) == 1
    said = capsys.readouterr().out.strip()
    assert said == f"{path} is a CSV file, not a CXG; `cxg-widget convert {path} new.cxg` makes one."
    assert main(["validate", str(path), "--json"]) == 1


def test_inspect_names_version_layout_types_and_sizes(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(store)]) == 0
    lines = capsys.readouterr().out.splitlines()
    words = [line.split(maxsplit=1) for line in lines]
    assert ["version", "0.3.0"] in words
    assert ["layout", "Xr and Xc: sparse, by rows and by columns"] in words
    assert ["name_0", "index"] in words
    assert ["is_doublet", "boolean (2)"] in words
    assert ["feature_name", "string"] in words
    for path in ("Xr", "Xc", "emb/umap"):
        assert any(line.startswith(f"    {path} ") and line.endswith("iB") for line in lines), path


def test_inspect_as_json_is_what_the_dataset_says(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from cxg_widget import open_dataset

    assert main(["inspect", str(store), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    with open_dataset(store) as dataset:
        assert found["details"] == dict(dataset.details)
        assert found["n_obs"] == dataset.n_obs
        assert [one["name"] for one in found["obs"]] == list(dataset.obs_columns)
        assert {one["name"]: one["axes"] for one in found["embeddings"]} == dict(dataset.embeddings)
        assert found["default_embedding"] == "umap"
    on_disk = sum(file.lstat().st_size for file in store.rglob("*") if file.is_file() and "__tiledb" not in file.name)
    assert sum(found["sizes"].values()) == on_disk


def test_inspect_counts_the_values_that_are_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.datasets.make_cxg import make_cxg, make_truth

    truth = make_truth()
    for layout, expected in (("columns", (truth.X != 0).sum()), ("sparse", (truth.X != 0).sum()), ("dense", None)):
        path = make_cxg(tmp_path / f"{layout}.cxg", truth, layout)
        assert main(["inspect", str(path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["details"].get("stored_values") == expected


def test_versions_names_python_the_package_and_what_it_needs_and_no_tool_of_developers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    import platform

    import numpy as np
    import tiledb

    assert main(["versions"]) == 0
    found = dict(line.split(" ", 1) for line in capsys.readouterr().out.splitlines())
    assert found["python"] == platform.python_version()
    assert found["cxg-widget"] == __version__
    assert found["numpy"] == np.__version__
    assert found["tiledb"] == tiledb.__version__
    assert "h5py" in found
    assert not {"ruff", "mypy", "duckdb"} & set(found)
