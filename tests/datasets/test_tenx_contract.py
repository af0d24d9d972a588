"""The contract over every layout of 10x, and what is particular to its runs."""

import gzip

import h5py
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from cxg_widget import errors, open_dataset
from cxg_widget.testing import DatasetTests
from tests.datasets.make_tenx import (
    LAYOUTS,
    make_counts,
    make_names,
    make_tenx,
    write_analysis,
    write_h5,
    write_mtx,
    write_tissue,
)


@pytest.fixture(scope="module", params=LAYOUTS)
def store(request, tmp_path_factory):
    return make_tenx(tmp_path_factory.mktemp("tenx"), request.param)


class TestTenX(DatasetTests):
    def test_cells_lie_by_umap_else_by_their_counts(self, dataset, truth):
        assert dataset.format == "10x"
        assert dataset.default_embedding == next(iter(truth.embeddings))
        assert any("no projection" in note for note in dataset.notes) == ("qc" in truth.embeddings)
        labels = ("log1p(total_counts)", "log1p(n_genes_by_counts)") if "qc" in truth.embeddings else None
        assert dataset.axis_labels() == labels


def test_samples_side_by_side_in_a_folder_are_told_apart_by_what_stands_before_their_names(tmp_path):
    for sample, times in (("GSM1_a_", 1), ("GSM2_b_", 2)):
        folder = write_mtx(tmp_path / sample, make_counts() * times, *make_names())
        for path in folder.iterdir():
            path.rename(tmp_path / f"{sample}{path.name}")
        folder.rmdir()
        with open_dataset(tmp_path, key=sample) as dataset:
            np.testing.assert_array_equal(dataset.values("GENE3"), make_counts()[:, 3] * times)
    with pytest.raises(errors.InvalidOption, match="several matrices: GSM1_a_, GSM2_b_; name one"):
        open_dataset(tmp_path)


@pytest.fixture
def outs(tmp_path):
    barcodes, features = make_names(has_twins=True)
    write_h5(tmp_path / "filtered_feature_bc_matrix.h5", make_counts(), barcodes, features)
    return tmp_path


def test_a_name_that_two_genes_share_finds_the_first_and_ids_find_both(outs):
    with open_dataset(outs) as dataset:
        found = [dataset.find_var(name) for name in ("GENE8", "ENSG00000000008", "ENSG00000000009")]
        assert found == [8, 8, 9]
        assert dataset.var()["feature_type"].value_counts().to_dict() == {"Gene Expression": 14, "Antibody Capture": 3}
        assert dataset.var()["genome"].unique().tolist() == ["GRCh38"]


@pytest.mark.parametrize("name", ["tissue_positions.csv", "tissue_positions_list.csv", "tissue_positions.parquet"])
def test_spots_lie_on_the_image_where_their_pixels_are(outs, name):
    barcodes, _ = make_names()
    found = write_tissue(outs, barcodes, name=name)
    with open_dataset(outs) as dataset:
        assert dataset.default_embedding == "spatial"
        places = found[["pxl_col_in_fullres", "pxl_row_in_fullres"]].to_numpy(np.float32)
        np.testing.assert_array_equal(dataset.embedding(), places)
        obs = dataset.obs(["in_tissue", "array_row", "array_col"])
        pd.testing.assert_frame_equal(
            obs.astype(int), found[["in_tissue", "array_row", "array_col"]], check_names=False, check_index_type=False
        )
        sections = dataset.sections()
        name = next(iter(sections.images))
        assert (name.rpartition("/")[2], sections.spot, sections.images[name].scale) == ("hires", 20.0, 1 / 3)
        with Image.open(outs / "spatial" / "tissue_hires_image.png") as image:
            np.testing.assert_array_equal(
                dataset.section_image(name, (10, 40), (5, 25)), np.asarray(image)[10:40, 5:25]
            )


def test_an_image_that_is_cut_off_is_left_out_or_says_so(outs):
    barcodes, _ = make_names()
    write_tissue(outs, barcodes)
    hires, lowres = (outs / "spatial" / f"tissue_{one}_image.png" for one in ("hires", "lowres"))
    hires.write_bytes(hires.read_bytes()[:2000])
    lowres.write_bytes(b"no image")
    with open_dataset(outs) as dataset:
        (name,) = dataset.sections().images
        assert any("tissue_lowres_image.png is left out" in note for note in dataset.notes)
        with pytest.raises(errors.DamagedStore, match=r"tissue_hires_image\.png cannot be read"):
            dataset.section_image(name, (0, 300), (0, 400))


def test_opening_reads_no_entry_of_the_matrix(outs):
    with h5py.File(outs / "filtered_feature_bc_matrix.h5", "r+") as file:
        del file["matrix/data"]
        file["matrix"].create_dataset("data", shape=(10**6,), dtype=np.int32, chunks=(1000,))
    write_analysis(outs, make_names()[0])
    with open_dataset(outs) as dataset:
        assert np.isfinite(dataset.embedding("umap")).any()
        with pytest.raises(errors.InvalidStore, match="values but"):
            dataset.vector("GENE1")


def test_types_of_cells_are_columns_and_a_table_without_the_barcodes_says_so(outs):
    barcodes, _ = make_names()
    folder = outs / "cell_types"
    folder.mkdir()
    table = pd.DataFrame({"coarse_cell_type": ["T cell", "B cell"] * 30, "fine_cell_type": ["naive"] * 60}, barcodes)
    table.to_csv(folder / "cell_types.csv", index_label="barcode")
    with open_dataset(outs) as dataset:
        assert dataset.obs(["coarse_cell_type"])["coarse_cell_type"].tolist() == table["coarse_cell_type"].tolist()
    table.set_axis([f"{one}x" for one in barcodes]).to_csv(folder / "cell_types.csv", index_label="barcode")
    with open_dataset(outs) as dataset, pytest.raises(errors.InvalidStore, match="none of the barcodes"):
        dataset.obs(["coarse_cell_type"])


def test_several_genomes_ask_for_one_by_key(tmp_path):
    barcodes, features = make_names(has_antibodies=False)
    counts = make_counts()[:, :14]
    path = write_h5(tmp_path / "two.h5", counts, barcodes, features, version=2)
    with h5py.File(path, "r+") as file:
        file.copy("GRCh38", "mm10")
        file["mm10/data"][:] = file["mm10/data"][:] * 2
    with pytest.raises(errors.InvalidOption, match="several matrices: GRCh38, mm10; name one, such as key='GRCh38'"):
        open_dataset(path)
    with open_dataset(path, key="mm10") as dataset:
        np.testing.assert_array_equal(dataset.values("GENE3"), counts[:, 3] * 2)
    with pytest.raises(errors.InvalidOption, match="GRCh38"):
        open_dataset(path, key="GRCh37")


def write(folder, text):
    with gzip.open(folder / "matrix.mtx.gz", "wt") as file:
        file.write(text)


HEAD = "%%MatrixMarket matrix coordinate integer general\n%\n"


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("hello\n", errors.InvalidStore, "is not a MatrixMarket coordinate file"),
        (HEAD + "17 60\n", errors.InvalidStore, "no line with its numbers"),
        (HEAD + "16 60 1\n1 1 1\n", errors.InvalidStore, "features.tsv.gz has 17 lines, but matrix.mtx.gz says 16"),
        (HEAD + "17 59 1\n1 1 1\n", errors.InvalidStore, "barcodes.tsv.gz has 60 lines, but matrix.mtx.gz says 59"),
        (HEAD + "17 60 2\n1 1 1\n", errors.DamagedStore, "is cut off"),
        (HEAD + "17 60 1\n18 1 1\n", errors.InvalidStore, "names a feature that is not among the 17"),
        (HEAD + "17 60 1\n1 0 1\n", errors.InvalidStore, "names a barcode that is not among the 60"),
        (HEAD + "17 60 1\n1 1 x\n", errors.DamagedStore, "cannot be read"),
        (HEAD + "17 60 900\n1 1 1\n", errors.DamagedStore, "is cut off"),
    ],
)
def test_a_text_that_contradicts_itself_is_one_sentence(tmp_path, text, error, says):
    folder = write_mtx(tmp_path / "m", make_counts(), *make_names())
    write(folder, text)
    with pytest.raises(error, match=says), open_dataset(folder) as dataset:
        dataset.vector("GENE1")


def test_a_small_text_cannot_ask_for_much_memory(tmp_path):
    folder = write_mtx(tmp_path / "m", make_counts(), *make_names(), is_plain=True)
    (folder / "matrix.mtx").write_text(HEAD + "17 60 1000\n1 1 1\n")
    with pytest.raises(errors.InvalidStore, match="but the file is too small for them"):
        open_dataset(folder)
    other = write_mtx(tmp_path / "n", make_counts(), *make_names())
    with pytest.raises(errors.InvalidStore, match="more than memory_bytes=100;"):
        open_dataset(other, memory_bytes=100)


def test_entries_in_any_order_and_real_values_are_read(tmp_path):
    barcodes, features = make_names()
    values = make_counts() * np.float32(0.5)
    folder = write_mtx(tmp_path / "m", make_counts(), barcodes, features, is_plain=True)
    rows, columns = np.nonzero(values)
    order = np.random.default_rng(0).permutation(len(rows))
    lines = [f"{columns[i] + 1} {rows[i] + 1} {values[rows[i], columns[i]]}\n" for i in order]
    head = f"%%MatrixMarket matrix coordinate real general\n17 60 {len(rows)}\n"
    (folder / "matrix.mtx").write_text(head + "".join(lines))
    with open_dataset(folder) as dataset:
        for gene in (0, 3, 15):
            np.testing.assert_array_equal(dataset.values(features["id"][gene]), values[:, gene])
        np.testing.assert_allclose(dataset.numbers("total_counts"), values[:, :14].sum(axis=1))
        assert dataset.obs_columns["total_counts"].kind == "float"


def test_plain_h5_of_other_kinds_is_not_taken_for_10x(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["matrix/data"] = np.arange(3)
    with pytest.raises(errors.CxgWidgetError, match="not AnnData"):
        open_dataset(tmp_path / "other.h5")
