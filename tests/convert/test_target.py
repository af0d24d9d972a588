"""A target is there complete, or not at all; nothing is overwritten."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from cxg_widget.convert import convert
from cxg_widget.datasets import open_dataset
from cxg_widget.errors import DamagedStore, InvalidOption, InvalidStore, InvalidValue, TargetExists, UnknownName
from tests.convert.conftest import truth_with
from tests.datasets.make_cxg import make_cxg
from tests.datasets.test_cxg_damaged import lose_data


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return make_cxg(tmp_path_factory.mktemp("target") / "source.cxg", truth_with(0.1))


@pytest.fixture
def source(written, tmp_path):
    return shutil.copytree(written, tmp_path / "source.cxg")


def names(folder):
    return sorted(os.listdir(folder))


@pytest.mark.parametrize("target", ["new.cxg", "new.h5ad"])
def test_an_existing_target_is_never_touched(source, tmp_path, target):
    path = tmp_path / target
    path.write_text("precious")
    with pytest.raises(TargetExists, match=r"exists already and is not overwritten"):
        convert(source, path)
    assert path.read_text() == "precious"
    assert names(tmp_path) == sorted(["source.cxg", target])


def test_a_dangling_link_is_something_too(source, tmp_path):
    (tmp_path / "new.cxg").symlink_to(tmp_path / "nowhere")
    with pytest.raises(TargetExists):
        convert(source, tmp_path / "new.cxg")


@pytest.mark.parametrize(
    ("target", "share"), [("new.cxg", 0.0), ("new.cxg", 0.3), ("new.cxg", 0.9), ("new.h5ad", 0.07), ("new.h5ad", 0.9)]
)
def test_an_interruption_leaves_nothing(source, tmp_path, target, share):
    def interrupt(what, part):
        if part >= share:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert(source, tmp_path / target, progress=interrupt)
    assert names(tmp_path) == ["source.cxg"]


@pytest.mark.parametrize("target", ["new.cxg", "new.h5ad"])
def test_a_damaged_matrix_leaves_nothing(source, tmp_path, target):
    lose_data(source / "Xc")
    with pytest.raises(DamagedStore, match="Xc"):
        convert(source, tmp_path / target)
    assert names(tmp_path) == ["source.cxg"]


def test_what_a_killed_run_left_is_named_so_and_removed_by_the_next(source, tmp_path):
    slow = (
        "import sys, time\nfrom cxg_widget.convert import convert\n"
        "def tell(what, part):\n    if part > 0.05:\n        print('now', flush=True)\n        time.sleep(60)\n"
        "convert(sys.argv[1], sys.argv[2], progress=tell)\n"
    )
    command = [sys.executable, "-c", slow, str(source), str(tmp_path / "new.cxg")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    left, _ = names(tmp_path)
    assert re.fullmatch(rf"new\.cxg\.[0-9a-f]{{8}}-{process.pid}-[0-9a-f]{{16}}\.partial", left)
    assert (tmp_path / left).stat().st_mode & 0o077 == 0
    convert(source, tmp_path / "new.cxg")
    assert names(tmp_path) == ["new.cxg", "source.cxg"]


def test_a_target_that_appears_meanwhile_is_kept(source, tmp_path):
    def appear(what, part):
        (tmp_path / "new.h5ad").write_text("first")

    with pytest.raises(TargetExists):
        convert(source, tmp_path / "new.h5ad", progress=appear)
    assert (tmp_path / "new.h5ad").read_text() == "first"
    assert names(tmp_path) == ["new.h5ad", "source.cxg"]


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        ("new", {}, "neither in .cxg nor in .h5ad"),
        ("new.zarr", {}, "neither in .cxg nor in .h5ad"),
        ("new.cxg", {"format": "zarr"}, "cannot write the format 'zarr'"),
        ("new.cxg", {"format": "h5ad"}, "source_format="),
        ("s3://bucket/new.cxg", {}, "no local path"),
    ],
)
def test_a_target_that_cannot_be_is_refused_in_one_sentence(source, tmp_path, target, options, words):
    path = target if "://" in target else tmp_path / target
    with pytest.raises(InvalidValue, match=words):
        convert(source, path, **options)
    assert names(tmp_path) == ["source.cxg"]


def test_any_name_will_do_with_a_format(source, tmp_path):
    assert convert(source, tmp_path / "here.there", format="h5ad").format == "h5ad"
    with open_dataset(tmp_path / "here.there", format="h5ad") as dataset:
        assert dataset.n_obs > 0


def test_unknown_layers_and_options_are_refused(source, tmp_path):
    with pytest.raises(UnknownName, match="counts"):
        convert(source, tmp_path / "new.cxg", layer="counts")
    with pytest.raises(InvalidOption, match="tiles"):
        convert(source, tmp_path / "new.h5ad", explorer_diffexp=True)
    assert names(tmp_path) == ["source.cxg"]


def test_without_a_matrix_there_is_no_cxg_but_an_h5ad(tmp_path):
    source = make_cxg(tmp_path / "source.cxg", truth_with(0.1), parts=("obs", "var", "emb"))
    with pytest.raises(InvalidStore, match="no expression matrix"):
        convert(source, tmp_path / "new.cxg")
    done = convert(source, tmp_path / "new.h5ad")
    assert done.n_values is None
    assert any("no expression matrix" in sentence for sentence in done.left_out)
    with open_dataset(tmp_path / "new.h5ad") as dataset:
        assert len(dataset.obs()) == dataset.n_obs


@pytest.mark.parametrize("layers", [{}, {"counts": np.eye(4, 3, dtype=np.float32)}])
@pytest.mark.parametrize("n_var", [0, 3])
def test_an_anndata_without_x_carries_the_rest_or_says_what_to_pass(tmp_path, layers, n_var):
    pytest.importorskip("scipy", reason="AnnData in memory needs it")
    from tests.datasets.test_anndata_memory import StandIn

    obs = pd.DataFrame({"group": pd.Categorical(list("aabb"))}, index=list("wxyz"))
    xy, var = np.arange(8, dtype=np.float32).reshape(4, 2), pd.DataFrame(index=list("abc")[:n_var])
    layers = {name: values[:, :n_var] for name, values in layers.items()}
    adata = StandIn(None, obs, var, {"X_umap": xy}, layers=layers)
    done = convert(open_dataset(adata), tmp_path / "new.h5ad")
    assert any("no X" in sentence or "matrix is empty" in sentence for sentence in done.left_out)
    with open_dataset(tmp_path / "new.h5ad") as dataset:
        pd.testing.assert_frame_equal(dataset.obs(), obs)
        np.testing.assert_array_equal(dataset.embedding("umap"), xy)
        assert dataset.n_var == n_var
    advice = (
        r"Pass layer='counts' \(--layer\)"
        if layers and n_var
        else "To convert only obs, var and the embeddings, write an .h5ad"
    )
    with pytest.raises(InvalidStore, match=advice):
        convert(open_dataset(adata), tmp_path / "new.cxg")
    assert names(tmp_path) == ["new.h5ad"]
    if layers and n_var:
        convert(open_dataset(adata), tmp_path / "new.cxg", layer="counts")
        with open_dataset(tmp_path / "new.cxg") as dataset:
            assert dataset.values("b").tolist() == [0, 1, 0, 0]


def test_progress_goes_up_to_the_end(source, tmp_path):
    told = []
    convert(source, tmp_path / "new.cxg", progress=lambda what, part: told.append(part))
    assert told == sorted(told)
    assert told[0] == 0
    assert told[-1] == pytest.approx(1)


def test_a_bar_with_the_time_left_is_shown_when_asked_for(source, tmp_path, capsys):
    convert(source, tmp_path / "new.cxg", progress=True)
    assert "matrix" in capsys.readouterr().err
