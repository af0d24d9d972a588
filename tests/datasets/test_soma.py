"""Experiments of SOMA: columns of every type, gaps, measurements, colors, and a sentence for what is none."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pandas as pd
import pytest
import tiledb

from cxg_widget import CxgWidget
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.soma.table import _dates
from cxg_widget.errors import DamagedStore, InvalidOption, InvalidStore, InvalidValue, UnknownName
from tests.datasets.read_soma import arrays, truth_of, unpack


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return unpack(tmp_path_factory.mktemp("soma"))


@pytest.fixture(scope="module")
def gaps(folder):
    with open_dataset(folder / "gaps.soma") as dataset:
        yield dataset


def test_columns_of_var_keep_their_types_and_nulls_are_missing(gaps):
    var = gaps.var()
    for bits in (8, 16, 32, 64):
        assert var[f"uint{bits}"].dtype == f"uint{bits}"
        assert var[f"uint{bits}"].tolist() == list(range(9))
    for name in ("uint32_null", "float_null"):
        np.testing.assert_array_equal(var[name].to_numpy(), [np.nan, *range(1, 9)])
    assert var["bool_null"].isna().tolist() == [True, *[False] * 8]
    assert var["bool_null"].tolist()[1:] == [row % 2 == 0 for row in range(1, 9)]


def test_joinids_are_a_column_so_that_rows_lead_back_to_the_experiment(gaps):
    assert gaps.obs(["soma_joinid"])["soma_joinid"].tolist() == arrays()["gaps/obs/soma_joinid"].tolist()


def test_what_is_left_out_is_said(gaps):
    assert [note for note in gaps.notes if "spatial scenes" in note]
    assert [note for note in gaps.notes if "'raw_bytes'" in note]


def test_dates_are_days_where_their_time_is_midnight(gaps):
    assert gaps.obs(["time_ns"])["time_ns"].tolist()[:2] == ["2020-02-28", "2020-02-29"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_points_in_time_read_as_those_of_tables(unit):
    times = np.array(["2020-02-28T12:30:01.25", "2020-02-29", "NaT", "1960-01-01T00:00:01"], f"M8[{unit}]")
    with open_dataset(pd.DataFrame({"x": np.arange(4.0), "y": np.arange(4.0), "when": times})) as table:
        expected = [table.obs_record(row, ["when"])["when"] for row in range(4)]
    assert _dates(times, None).tolist() == expected
    assert expected[0].startswith("2020-02-28 12:30:01")


def test_a_cell_without_coordinates_is_not_drawn(gaps):
    assert np.isnan(gaps.embedding("umap")[0]).all()
    assert np.isfinite(gaps.embedding("umap")[1:]).all()


def test_ordered_categories_stay_ordered(folder):
    with open_dataset(folder / "whole.soma") as dataset:
        assert dataset.codes("stage").ordered
        assert not dataset.codes("cell_type").ordered


def test_colors_of_scanpy_are_those_of_the_categories(folder):
    with open_dataset(folder / "whole.soma") as dataset:
        expected = dict(zip(["T cell", "B cell", "é <b>"], ["#ff0000", "#00ff00", "#0000ff"], strict=True))
        assert dataset.category_colors("cell_type") == expected
        assert dataset.category_colors("stage") == {}


def test_a_measurement_is_chosen_by_its_name(folder):
    path = folder / "whole.soma"
    with open_dataset(path, measurement="raw") as dataset:
        np.testing.assert_array_equal(dataset.values("ENSG001"), truth_of("whole").X[:, 1])
        assert dataset.details["measurement"] == "raw"
        assert dataset.embeddings == {"qc": 2}
        np.testing.assert_array_equal(dataset.embedding()[:, 0], truth_of("whole").obs["n_genes"])
        assert dataset.axis_labels() == ("n_genes", "score")
        assert any("the axes are n_genes and score" in note for note in dataset.notes)
    with pytest.raises(UnknownName, match="measurement 'RNB'"):
        open_dataset(path, measurement="RNB")
    with pytest.raises(InvalidOption, match="it must be a name"):
        open_dataset(path, measurement=1)
    with pytest.raises(InvalidValue, match="memory_bytes"):
        open_dataset(path, memory_bytes=-1)


def test_rows_by_name_come_in_the_order_of_their_joinids(folder):
    with open_dataset(folder / "strings.soma") as dataset:
        names = arrays()["strings/names"].tolist()
        assert dataset.obs_index == "barcode"
        assert dataset.obs_names().tolist() == names
        assert dataset.obs_names([5, 3, 3]).tolist() == [names[5], names[3], names[3]]
        obs = dataset.obs()
        assert obs["n"].tolist() == [row * 3 for row in range(60)]
        assert obs["text"].tolist() == [f"é{row}" for row in range(60)]
        assert dataset.obs_record(7)["n"] == 21
        np.testing.assert_array_equal(dataset.values("a"), arrays()["strings/X"][:, 0])


def test_without_an_embedding_two_columns_are_drawn(folder):
    with open_dataset(folder / "strings.soma") as dataset:
        xy = dataset.embedding(("n", "a"))
        np.testing.assert_array_equal(xy[:, 1], arrays()["strings/X"][:, 0])


@pytest.mark.parametrize("memory_bytes", [0, 2**30])
def test_genes_are_the_same_whether_tiles_are_kept_or_not(folder, memory_bytes):
    truth = truth_of("gaps")
    with open_dataset(folder / "gaps.soma", memory_bytes=memory_bytes, cache_bytes=0) as dataset:
        for name, vector in zip(truth.var_labels[::-1], dataset.vectors(truth.var_labels[::-1]), strict=True):
            np.testing.assert_array_equal(vector.dense(60), truth.X[:, truth.var_labels.index(name)])
        part = dataset.vector_block("ENSG003", None, 10, 25).dense(15)
        np.testing.assert_array_equal(part, truth.X[10:25, 3])
        is_told = any("keeps cells together" in note and "cxg-widget convert" in note for note in dataset.notes)
        assert is_told == (memory_bytes == 0)


def test_a_gene_after_the_first_is_read_from_memory_and_memory_is_let_go(folder):
    dataset = open_dataset(folder / "whole.soma", cache_bytes=0)
    dataset.values("ENSG001")
    before = dataset.traffic
    dataset.values("ENSG002")
    assert dataset.traffic == before
    budget = dataset._budget
    assert 0 < budget.used_bytes <= budget.limit_bytes
    dataset.close()
    assert budget.used_bytes == 0


def test_the_plan_of_a_gene_is_the_tiles_that_hold_it(folder):
    with open_dataset(folder / "whole.soma") as dataset:
        grain = dataset._read_grain(None)
        x = truth_of("whole").X
        assert grain.n_entries == np.count_nonzero(x)
        # 60 rows by 9 genes lie in one tile: one gene costs all of its entries, two joinids and a value each.
        assert dataset.plan(positions=[3]).n_bytes == 20 * np.count_nonzero(x)


def test_while_tiles_are_read_progress_is_told_and_can_end_the_reading(folder):
    class Enough(Exception):
        pass

    def tell(done):
        told.append(done)
        if len(told) == 1:
            raise Enough

    told: list[float] = []
    with open_dataset(folder / "whole.soma") as dataset:
        stop = dataset.tell_progress_to(tell)
        with pytest.raises(Enough):
            dataset.values("ENSG001")
        stop()
        np.testing.assert_array_equal(dataset.values("ENSG001"), truth_of("whole").X[:, 1])


def test_a_collection_is_no_experiment_and_the_sentence_says_where_one_is(folder):
    with pytest.raises(InvalidStore, match=r"is a SOMACollection, not a SOMAExperiment.*census_data/homo_sapiens'"):
        open_dataset(folder / "census.soma")
    with pytest.raises(InvalidStore, match="open the experiment above it"):
        open_dataset(folder / "whole.soma" / "ms" / "RNA")
    with pytest.raises(InvalidStore, match="holds none"):
        open_dataset(folder / "whole.soma" / "ms")


def test_an_experiment_of_a_later_version_is_refused(folder, tmp_path):
    path = shutil.copytree(folder / "whole.soma", tmp_path / "later.soma")
    with tiledb.Group(str(path), "w") as group:
        group.meta["soma_encoding_version"] = "2.0.0"
    with pytest.raises(InvalidStore, match=r"'2\.0\.0' of SOMA; this release reads version 1"):
        open_dataset(path)


@pytest.mark.parametrize("part", ["obs", "ms", "ms/RNA/var"])
def test_a_missing_part_is_named(folder, tmp_path, part):
    path = shutil.copytree(folder / "whole.soma", tmp_path / "part.soma")
    parent, _, name = part.rpartition("/")
    with tiledb.Group(str(path / parent), "w") as group:
        group.remove(name)
    with pytest.raises(InvalidStore, match=f"{part.replace('ms/', '.*')} is missing"):
        open_dataset(path)


def test_lost_values_are_a_sentence_and_the_rest_stays_usable(folder, tmp_path):
    path = shutil.copytree(folder / "whole.soma", tmp_path / "lost.soma")
    for file in (path / "ms/RNA/X/data/__fragments").rglob("a0.tdb"):
        file.unlink()
    with open_dataset(path) as dataset:
        with pytest.raises(DamagedStore, match="X/data"):
            dataset.values("ENSG001")
        assert len(dataset.obs()) == 60


def test_an_experiment_without_x_says_so_when_a_gene_is_wanted(folder, tmp_path):
    path = shutil.copytree(folder / "whole.soma", tmp_path / "bare.soma")
    with tiledb.Group(str(path / "ms/RNA"), "w") as group:
        group.remove("X")
    with open_dataset(path) as dataset:
        assert len(dataset.embedding("umap")) == 60
        with pytest.raises(InvalidStore, match="has no X"):
            dataset.values("ENSG001")


def test_identity_changes_with_a_write(folder, tmp_path):
    path = shutil.copytree(folder / "whole.soma", tmp_path / "written.soma")
    with open_dataset(path) as dataset:
        before = dataset.identity
    with open_dataset(path) as dataset:
        assert dataset.identity == before
    with tiledb.open(str(path / "ms/RNA/X/data"), "w") as array:
        array[np.array([0]), np.array([0])] = np.array([5], dtype=np.float32)
    with open_dataset(path) as dataset:
        assert dataset.identity != before
        assert dataset.values("ENSG000")[0] == 5


def test_the_widget_draws_it_and_hands_cells_back(folder):
    truth = truth_of("whole")
    w = CxgWidget(folder / "whole.soma", color="GENE1")
    try:
        w.select({"cell_type": "T cell"})
        found = w.selection.obs(["stage", "ENSG001"])
        expected = truth.obs["cell_type"] == "T cell"
        assert found.index.tolist() == truth.obs.index[expected].tolist()
        np.testing.assert_array_equal(found["ENSG001"], truth.X[expected, 1])
    finally:
        w.close()


def test_inspect_says_what_an_experiment_holds(folder, capsys):
    from cxg_widget.cli.main import main

    assert main(["inspect", "--json", str(folder / "whole.soma")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == "soma"
    assert found["details"]["measurements"] == ["RNA", "raw"]
    assert found["layers"] == ["counts"]
    assert found["sizes"]["ms/RNA/X/data"] > 0
