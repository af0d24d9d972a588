"""`to_scanpy` against the arrays that scanpy 1.12 wrote: `tools/scanpy_tables.py` says how."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import InvalidValue
from tests.memory import MemoryDataset
from tests.unit.test_compare_scanpy import FLOAT32, FOLDER

GROUP = Codes(np.load(FOLDER / "matrix.npz")["groups"].copy(), ("a", "b", "c"))
GROUP.codes[np.arange(len(GROUP.codes)) % 9 == 4] = -1
N_OBS = len(GROUP.codes)


def adata_of(dataset, *, order=slice(None), names=None):
    """Return what an AnnData has that is written to."""
    obs = pd.DataFrame({"group": dataset.obs(["group"])["group"].to_numpy()}, index=dataset.obs_names())
    return SimpleNamespace(
        obs=obs.iloc[order], uns={}, var_names=pd.Index(names or dataset.var_names), layers={}, raw=None
    )


@pytest.fixture(scope="module")
def widget():
    x = np.load(FOLDER / "matrix.npz")["log1p"]
    dataset = MemoryDataset(
        {"group": GROUP}, x, [f"gene {at}" for at in range(x.shape[1])], {"umap": np.zeros((N_OBS, 2))}
    )
    with_cells = CxgWidget(dataset)
    yield with_cells
    with_cells.close()


@pytest.mark.parametrize("reference", [None, "b"])
def test_markers_are_laid_out_as_scanpy_lays_them_out(reference, widget):
    adata, told = adata_of(widget.dataset), np.load(FOLDER / "ranked.npz")
    key = "wilcoxon-b" if reference else "wilcoxon-rest"
    layout = json.loads(str(told["layout"]))[key]
    widget.markers(by="group", method="wilcoxon", reference=reference).to_scanpy(adata, key=key)
    ours = adata.uns[key]
    assert ours["params"] == layout["params"]
    assert set(ours) == set(layout)
    for field in ("names", "scores", "logfoldchanges", "pvals", "pvals_adj"):
        assert type(ours[field]).__name__ == layout[field]["type"]
        assert [tuple(one) for one in layout[field]["dtype"]] == ours[field].dtype.descr
    for group in ours["names"].dtype.names:
        place = {name: at for at, name in enumerate(told[f"{key}/names"][group])}
        order = [place[name] for name in ours["names"][group]]
        assert (np.diff(ours["scores"][group]) <= 0).all()
        for field, tolerance in (
            ("scores", FLOAT32),
            ("logfoldchanges", FLOAT32),
            ("pvals", 1e-9),
            ("pvals_adj", 1e-9),
        ):
            np.testing.assert_allclose(ours[field][group], told[f"{key}/{field}"][group][order], rtol=tolerance)
    for part in {"pts", "pts_rest"} & set(ours):
        theirs = pd.DataFrame(told[f"{key}/{part}"], columns=layout[part]["columns"], index=layout[part]["index"])
        pd.testing.assert_frame_equal(ours[part], theirs, check_like=True, rtol=1e-12)


def test_nothing_but_one_entry_of_uns_changes(widget):
    adata = adata_of(widget.dataset)
    before = adata.obs.copy()
    widget.compare({"group": "a"}).to_scanpy(adata)
    widget.markers(by="group").to_scanpy(adata, key="by group")
    assert list(adata.uns) == ["rank_genes_groups", "by group"]
    pd.testing.assert_frame_equal(adata.obs, before)


def test_a_comparison_of_two_sets_is_one_group_and_writes_its_cells_only_where_asked(widget):
    order = np.random.default_rng(3).permutation(N_OBS)
    adata = adata_of(widget.dataset, order=order)
    widget.sets["mine"], widget.sets["theirs"] = {"group": "a"}, {"group": "c"}
    found = widget.compare("mine", "theirs")
    found.to_scanpy(adata, groupby="compared")
    ranked = adata.uns["rank_genes_groups"]
    assert ranked["params"]["groupby"] == "compared"
    assert ranked["params"]["reference"] == "theirs"
    assert ranked["names"].dtype.names == ("mine",)
    frame = found.frame()
    tested = frame["p"].notna().to_numpy()
    pvals = pd.Series(ranked["pvals"]["mine"], ranked["names"]["mine"]).loc[frame.index]
    np.testing.assert_array_equal(pvals[tested], frame["p"][tested])
    assert (pvals[~tested] == 1).all()
    expected = adata.obs["group"].map({"a": "mine", "c": "theirs"}).astype(object)
    assert adata.obs["compared"].astype(object).fillna("-").tolist() == expected.fillna("-").tolist()
    assert adata.obs["compared"].cat.categories.tolist() == ["mine", "theirs"]
    found.to_scanpy(adata, groupby="compared")  # the same cell of a notebook, run again
    with pytest.raises(InvalidValue, match="another column 'group'"):
        found.to_scanpy(adata, groupby="group")


def test_two_polygons_of_one_name_are_a_and_b(widget):
    found = replace(widget.compare({"group": "a"}, {"group": "c"}), sets=("a polygon", "a polygon"))
    adata = adata_of(widget.dataset)
    found.to_scanpy(adata)
    assert adata.uns["rank_genes_groups"]["names"].dtype.names == ("a",)
    assert adata.uns["rank_genes_groups"]["params"]["reference"] == "b"


def test_a_column_that_scanpy_lacks_for_its_dot_plots_is_named(widget):
    adata = adata_of(widget.dataset)
    del adata.obs["group"]
    with pytest.warns(UserWarning, match="adata.obs has no column 'group', by which dot plots"):
        widget.markers(by="group").to_scanpy(adata)


def test_groups_that_cannot_be_tested_are_left_out():
    x = np.load(FOLDER / "matrix.npz")["log1p"]
    alone = Codes(np.where(np.arange(N_OBS) == 3, 2, np.arange(N_OBS) % 2).astype(np.int8), ("a", "b", "alone"))
    dataset = MemoryDataset({"group": alone}, x, [f"g{at}" for at in range(x.shape[1])], {"umap": np.zeros((N_OBS, 2))})
    adata = adata_of(dataset)
    widget = CxgWidget(dataset)
    widget.markers(by="group").to_scanpy(adata)
    assert adata.uns["rank_genes_groups"]["names"].dtype.names == ("a", "b")
    one = widget.markers(by="group")["alone"]
    with pytest.raises(InvalidValue, match="none of these could be tested"):
        one.to_scanpy(adata)
    widget.close()


@pytest.mark.parametrize(
    ("sentence", "change", "options"),
    [
        ("to_scanpy() takes an AnnData; found", None, {}),
        ("adata lacks 2 of the 42 vars compared, such as 'gene 40'", {"names": [f"gene {at}" for at in range(40)]}, {}),
        ("key= is the name of an entry of adata.uns; found ''", {}, {"key": ""}),
        ("groupby= names the column of adata.obs to write; found 3", {}, {"groupby": 3}),
        ("holds other rows", {"order": slice(9)}, {"groupby": "compared"}),
    ],
)
def test_what_cannot_be_written_is_one_sentence_and_changes_nothing(sentence, change, options, widget):
    adata = {} if change is None else adata_of(widget.dataset, **change)
    with pytest.raises(InvalidValue, match=re.escape(sentence)) as caught:
        widget.compare({"group": "a"}).to_scanpy(adata, **options)
    assert "\n" not in str(caught.value)
    assert change is None or (adata.uns == {} and list(adata.obs) == ["group"])
