"""Where runs of Cell Ranger and Space Ranger keep their matrices, and what becomes of odd and missing pieces."""

from __future__ import annotations

import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import io

from cxg_widget import open_dataset
from cxg_widget.cli.main import main
from cxg_widget.errors import DamagedStore, InvalidOption, InvalidStore
from tests.datasets.make_tenx import make_counts, make_names, write_analysis, write_h5, write_mtx, write_tissue

BARCODES, FEATURES = make_names()


def write_run(folder, times=1, *, name="filtered_feature_bc_matrix.h5", barcodes=BARCODES):
    folder.mkdir(parents=True, exist_ok=True)
    write_h5(folder / name, make_counts() * times, barcodes, FEATURES)
    return folder


def third_gene(path, **options):
    with open_dataset(path, **options) as dataset:
        return dataset.values("GENE3").tolist()


EXPECTED = make_counts()[:, 3]


# Several matrices in one run.


@pytest.mark.parametrize(
    ("places", "name", "opened"),
    [
        (("per_sample_outs/s1/count", "per_sample_outs/s2/count"), "sample_filtered_feature_bc_matrix.h5", "s2"),
        (("per_sample_outs/s1", "per_sample_outs/s2"), "sample_filtered_feature_bc_matrix.h5", "s2"),
        (
            ("binned_outputs/square_008um", "binned_outputs/square_016um"),
            "filtered_feature_bc_matrix.h5",
            "square_016um",
        ),
        (("binned_outputs/square_008um", "segmented_outputs"), "filtered_feature_bc_matrix.h5", "segmented_outputs"),
    ],
)
def test_a_sample_or_a_size_of_bins_is_opened_by_its_key(tmp_path, places, name, opened):
    outs = tmp_path / "run" / "outs"
    for times, place in enumerate(places, 1):
        write_analysis(write_run(outs / place, times, name=name), BARCODES)
    for path in (outs, outs.parent):
        assert third_gene(path, key=opened) == (2 * EXPECTED).tolist()
        with pytest.raises(InvalidOption, match=f"holds several matrices: .*{opened}.*name one, such as key="):
            open_dataset(path)
    with open_dataset(outs, key=opened) as dataset:
        assert list(dataset.embeddings) == ["umap", "tsne", "pca"]
        assert dataset.title == f"run {opened}"


def test_files_of_several_samples_in_a_folder_are_told_apart_by_what_stands_before_their_names(tmp_path):
    for times, sample in enumerate(("GSM1_a_", "GSM2_b_"), 1):
        write_run(tmp_path, times, name=f"{sample}filtered_feature_bc_matrix.h5")
    assert third_gene(tmp_path, key="GSM2_b_") == (2 * EXPECTED).tolist()
    with pytest.raises(InvalidOption, match="holds several matrices: GSM1_a_, GSM2_b_"):
        open_dataset(tmp_path)


def test_of_several_genomes_in_a_folder_none_is_taken_without_a_word(tmp_path):
    barcodes, features = make_names(has_antibodies=False)
    for times, genome in enumerate(("GRCh38", "mm10"), 1):
        write_mtx(
            tmp_path / "filtered_gene_bc_matrices" / genome,
            make_counts()[:, :14] * times,
            barcodes,
            features,
            version=2,
        )
    assert third_gene(tmp_path, key="mm10") == (2 * EXPECTED).tolist()
    with pytest.raises(InvalidOption, match="holds several matrices: GRCh38, mm10"):
        open_dataset(tmp_path)


def test_a_run_of_cell_ranger_2_is_found_and_described(tmp_path, capsys):
    barcodes, features = make_names(has_antibodies=False)
    counts = make_counts()[:, :14]
    write_mtx(tmp_path / "a" / "outs" / "filtered_gene_bc_matrices" / "mm10", counts, barcodes, features, version=2)
    write_analysis(tmp_path / "a" / "outs", barcodes)
    (tmp_path / "b").mkdir()
    write_h5(tmp_path / "b" / "filtered_gene_bc_matrices_h5.h5", counts, barcodes, features, version=2)
    for path in (tmp_path / "a", tmp_path / "b"):
        assert third_gene(path) == EXPECTED.tolist()
        assert main(["inspect", str(path)]) == 0
    assert "analysis/clustering/gene_expression_graphclust/clusters.csv" in capsys.readouterr().out


def test_samples_that_aggr_put_together_are_columns(tmp_path):
    barcodes = [f"{one[:-1]}{1 + number % 3}" for number, one in enumerate(BARCODES)]
    outs = tmp_path / "both" / "outs"
    write_run(outs / "count", barcodes=barcodes)
    (outs / "aggregation.csv").write_text("sample_id,molecule_h5,donor\nS1,/x,d1\nS2,/y,d1\n")
    for path in (outs, outs.parent, outs / "count"):
        with open_dataset(path) as dataset:
            assert dataset.title == "both"
            found = dataset.obs(["sample_id", "donor"]).astype(object)
            expected = [["S1", "d1"], ["S2", "d1"], [None, None]] * 20
            assert found.where(found.notna(), None).to_numpy().tolist() == expected
            assert "molecule_h5" not in dataset.obs_columns


def test_cells_that_space_ranger_segmented_open_with_their_images(tmp_path):
    write_run(tmp_path, name="filtered_feature_cell_matrix.h5")
    write_tissue(tmp_path, BARCODES)
    (tmp_path / "spatial" / "tissue_positions.csv").unlink()
    with open_dataset(tmp_path) as dataset:
        assert list(dataset.embeddings) == ["qc"]
        assert len(dataset.sections().images) == 2


# Odd and missing pieces.


def body_of(folder):
    return (folder / "matrix.mtx").read_text()


def in_lines(text, change):
    return "".join(line if line.startswith("%") else change(line) for line in text.splitlines(keepends=True))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: in_lines(text, lambda line: line.replace(" ", "\t")),
        lambda text: in_lines(text, lambda line: line.replace(" ", "  ")),
        lambda text: in_lines(text, lambda line: line.replace("\n", " \n")),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text + "\n\n",
    ],
    ids=["tabs", "two spaces", "a space at the end", "CRLF", "empty lines"],
)
def test_a_text_is_separated_as_matrix_market_allows(tmp_path, change):
    folder = write_mtx(tmp_path / "m", make_counts(), BARCODES, FEATURES, is_plain=True)
    text = body_of(folder)
    (folder / "matrix.mtx").write_text(change(text), newline="")
    assert third_gene(folder) == EXPECTED.tolist()


def test_names_are_cut_at_the_ends_of_lines_alone(tmp_path):
    folder = write_mtx(tmp_path / "m", make_counts(), BARCODES, FEATURES, is_plain=True)
    names = (folder / "features.tsv").read_text().replace("GENE5", "GENE\x855\u2028")
    (folder / "features.tsv").write_text(names, newline="")
    (folder / "barcodes.tsv").write_bytes(b"\xef\xbb\xbf" + (folder / "barcodes.tsv").read_bytes() + b"\r\n\n")
    with open_dataset(folder) as dataset:
        assert list(dataset.obs_names()) == BARCODES
        assert dataset.var()["feature_name"].iloc[5] == "GENE\x855\u2028"


def test_entries_that_are_named_twice_are_added_up_as_scipy_does(tmp_path):
    folder = write_mtx(tmp_path / "m", make_counts(), BARCODES, FEATURES, is_plain=True)
    head = "%%MatrixMarket matrix coordinate integer general\n17 60 4\n"
    (folder / "matrix.mtx").write_text(f"{head}1 2 1\n1 2 2\n1 2 -5\n4 1 7\n")
    truth = io.mmread(folder / "matrix.mtx").toarray().T
    with open_dataset(folder) as dataset:
        for gene in (0, 3):
            np.testing.assert_array_equal(dataset.values(FEATURES["id"][gene]), truth[:, gene])


@pytest.mark.parametrize("line", ["1 1 5000000000\n", "4294967297 1 1\n", "1 4294967297 1\n"])
def test_a_number_that_is_too_large_does_not_begin_anew(tmp_path, line):
    folder = write_mtx(tmp_path / "m", make_counts(), BARCODES, FEATURES, is_plain=True)
    (folder / "matrix.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n17 60 1\n{line}")
    with pytest.raises(InvalidStore, match="has a number above 2,147,483,647"):
        third_gene(folder)


def test_a_text_with_more_entries_than_it_says_is_no_text_that_is_cut_off(tmp_path):
    folder = write_mtx(tmp_path / "m", make_counts(), BARCODES, FEATURES, is_plain=True)
    (folder / "matrix.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n17 60 1\n1 1 1\n2 1 1\n")
    with pytest.raises(DamagedStore, match="has too many lines: it declares 1 entries"):
        third_gene(folder)


def test_a_folder_without_its_names_says_which_file_it_lacks(tmp_path):
    for name, needed in (("barcodes.tsv.gz", "no barcodes.tsv,"), ("features.tsv.gz", "no features.tsv or genes.tsv,")):
        folder = write_mtx(tmp_path / name, make_counts(), BARCODES, FEATURES)
        (folder / name).unlink()
        with pytest.raises(InvalidStore, match=needed):
            open_dataset(folder)


def replace(group, name, values):
    del group[name]
    group[name] = values


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda group: replace(group, "shape", np.array([17, 60, 1])), r"matrix/shape is \[17, 60, 1\]; it must be"),
        (lambda group: replace(group, "shape", np.array(["many", "few"], "S4")), "it must be the numbers of features"),
        (
            lambda group: replace(group, "shape", np.array([60, 17])),
            "has 60 entries of barcodes, but its shape says 17",
        ),
        (lambda group: group["features"].pop("id"), "matrix/features has no usable id"),
    ],
)
def test_a_file_that_contradicts_itself_is_one_sentence(tmp_path, damage, sentence):
    path = write_h5(tmp_path / "a.h5", make_counts(), BARCODES, FEATURES)
    with h5py.File(path, "r+") as file:
        damage(file["matrix"])
    with pytest.raises(InvalidStore, match=sentence):
        open_dataset(path)


def test_a_table_that_cannot_be_read_says_so_once(tmp_path):
    outs = write_run(tmp_path / "outs")
    write_analysis(outs, BARCODES)
    (outs / "analysis" / "clustering" / "gene_expression_graphclust" / "clusters.csv").write_bytes(b"\xff\xfe\0" * 50)
    with open_dataset(outs) as dataset:
        with pytest.raises(DamagedStore, match=r"clusters\.csv cannot be read") as caught:
            dataset.codes("graphclust")
        assert str(caught.value).count("cannot be read") == 1


def test_matrices_without_cells_or_genes_or_entries_open(tmp_path):
    counts = make_counts()
    for number, (some, barcodes, features) in enumerate(
        ((counts[:0], [], FEATURES), (counts[:, :0], BARCODES, FEATURES[:0]), (counts * 0, BARCODES, FEATURES))
    ):
        for path in (
            write_h5(tmp_path / f"{number}.h5", some, barcodes, features),
            write_mtx(tmp_path / str(number), some, barcodes, features),
        ):
            with open_dataset(path) as dataset:
                assert dataset.embedding().shape == (len(barcodes), 2)
                assert not dataset.numbers("total_counts").any()


def test_barcodes_that_are_there_twice_each_have_their_place(tmp_path):
    barcodes = [BARCODES[0], *BARCODES[:1], *BARCODES[2:]]
    outs = write_run(tmp_path / "outs", barcodes=barcodes)
    tables = write_analysis(outs, BARCODES)
    with open_dataset(outs) as dataset:
        assert pd.Index(dataset.obs_names()).tolist() == barcodes
        expected = tables["umap"].reindex(barcodes).to_numpy(np.float32)
        np.testing.assert_array_equal(dataset.embedding("umap"), expected)
