"""Opening reads footers and two columns, a chromatogram the row groups that its window meets: counted by spies."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.mzpeak import signal
from cxg_widget.datasets.tables import parquet_table as tables
from cxg_widget.errors import InvalidValue
from tests.datasets.make_mzpeak import chunk_table, make_mzpeak, make_run, peaks_truth, point_table


@pytest.fixture
def reads(monkeypatch):
    """Member, row groups and columns of each read, in order."""
    seen: list[tuple[str, int | None, tuple[str, ...]]] = []
    batches, read = tables.ParquetTable.batches, tables.ParquetTable.read

    def spied_batches(self, columns, group, values_per_row=1.0):
        seen.append((self.name, group, tuple(columns)))
        return batches(self, columns, group, values_per_row)

    def spied_read(self, columns):
        seen.append((self.name, None, tuple(columns)))
        return read(self, columns)

    monkeypatch.setattr(tables.ParquetTable, "batches", spied_batches)
    monkeypatch.setattr(tables.ParquetTable, "read", spied_read)
    return seen


def by_mz(run, layout):
    """Return a table whose row groups hold neighbouring m/z, and how many rows a group should have."""
    table = point_table(run) if layout == "point" else chunk_table(run, layout)
    struct = table.column(0).combine_chunks()
    name = "mz" if layout == "point" else "mz_chunk_start"
    order = np.argsort(np.nan_to_num(struct.field(name).to_numpy(zero_copy_only=False), nan=0.0), kind="stable")
    sorted_ = pa.table({table.column_names[0]: struct.take(pa.array(order))})
    return sorted_.replace_schema_metadata(table.schema.metadata)


def groups_read(reads, member="spectra_data.parquet"):
    return {group for name, group, _ in reads if name == member and group is not None}


def test_opening_reads_no_points(tmp_path, reads):
    path = make_mzpeak(tmp_path / "a.mzpeak", make_run(), "delta", rows_per_group=37)
    with open_dataset(path) as dataset:
        assert [[column.split("_unit")[0] for column in columns] for _, _, columns in reads] == [
            ["spectrum.MS_1000504_base_peak_mz"],
            ["spectrum.MS_1000505_base_peak_intensity"],
        ]
        reads.clear()
        dataset.codes("ms_level")
        assert [columns for _, _, columns in reads] == [("spectrum.MS_1000511_ms_level",)]


def test_opening_the_map_of_peaks_reads_footers_where_these_count_the_peaks(tmp_path, reads):
    path = make_mzpeak(tmp_path / "a.mzpeak", make_run(), "point", rows_per_group=37)
    with open_dataset(path, observations="peaks") as dataset:
        assert reads == []
        assert dataset.n_obs == len(make_run().peaks())


@pytest.mark.parametrize("layout", ["point", "delta"])
def test_a_chromatogram_reads_the_row_groups_whose_mz_meet_its_window(tmp_path, reads, layout):
    run = make_run()
    table = by_mz(run, layout)
    path = make_mzpeak(tmp_path / "a.mzpeak", run, data=table, rows_per_group=max(1, table.num_rows // 20))
    with open_dataset(path) as dataset:
        n_groups = dataset.details["row_groups"]["spectra_data.parquet"]
        reads.clear()
        found = dataset.values("mz:445.12+-0.02")
        peaks = run.peaks()
        inside = peaks[np.abs(peaks["mz"] - 445.12) <= 0.02]
        expected = np.bincount(inside["row"], inside["intensity"], minlength=len(run.meta))
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        assert n_groups >= 20
        assert 1 <= len(groups_read(reads)) <= 4
        reads.clear()
        assert not dataset.values("mz:3000").any()
        assert groups_read(reads) == set()


def test_chunks_that_do_not_meet_the_window_are_not_decoded(tmp_path, monkeypatch):
    run = make_run()
    path = make_mzpeak(tmp_path / "a.mzpeak", run, "delta")
    decoded = []
    original = signal.decode
    monkeypatch.setattr(signal, "decode", lambda batch, *rest: decoded.append(batch.num_rows) or original(batch, *rest))
    with open_dataset(path) as dataset:
        dataset.values("mz:445.12+-0.02")
    n_chunks = chunk_table(run, "delta").num_rows
    assert 0 < sum(decoded) < n_chunks / 5


@pytest.mark.parametrize("layout", ["point", "delta", "slof"])
def test_a_viewport_reads_the_row_groups_that_meet_it(tmp_path, reads, layout):
    run = make_run()
    path = make_mzpeak(tmp_path / "a.mzpeak", run, layout, rows_per_group=20)
    truth = peaks_truth(run, layout).obs
    with open_dataset(path, observations="peaks") as dataset:
        n_groups = dataset.details["row_groups"]["spectra_data.parquet"]
        time = truth["retention_time"]
        xlim = (time.quantile(0.5), time.quantile(0.6))
        reads.clear()
        found = dataset.viewport(xlim, (500, 300))
        inside = time.between(*xlim) & truth["mz"].between(300, 500)
        assert inside.sum() > 5
        np.testing.assert_array_equal(found.rows, np.flatnonzero(inside))
        np.testing.assert_allclose(found.intensity, truth["intensity"][inside], rtol=1e-6)
        expected = truth.loc[inside, ["retention_time", "mz"]].to_numpy(np.float32)
        np.testing.assert_array_equal(found.xy, expected, strict=True)
        assert len(groups_read(reads)) < n_groups / 3
        assert dataset.viewport((-2, -1), (0, 3000)).rows.size == 0
        for limits in (("a", 1), (1,), (np.nan, 1), None):
            with pytest.raises(InvalidValue, match="xlim must be two numbers"):
                dataset.viewport(limits, (0, 1))


def test_rows_in_order_decode_each_row_group_once(tmp_path, reads, monkeypatch):
    run = make_run()
    path = make_mzpeak(tmp_path / "a.mzpeak", run, "point", rows_per_group=300)
    monkeypatch.setattr("cxg_widget.datasets.base.column_values.ROWS_PER_BLOCK", 7)
    with open_dataset(path, observations="peaks") as dataset:
        n_groups = dataset.details["row_groups"]["spectra_data.parquet"]
        reads.clear()
        dataset.embedding()
        assert [group for name, group, _ in reads if name == "spectra_data.parquet"] == list(range(n_groups))
        reads.clear()
        dataset.obs(["mz"], [0, 5])
        assert groups_read(reads) == {0}


def test_a_large_row_group_is_decoded_in_pieces(tmp_path, monkeypatch):
    run = make_run(200)
    path = make_mzpeak(tmp_path / "a.mzpeak", run, "delta")
    monkeypatch.setattr(tables, "VALUES_PER_BATCH", 100)
    sizes = []
    original = signal.decode
    monkeypatch.setattr(signal, "decode", lambda batch, *rest: sizes.append(batch.num_rows) or original(batch, *rest))
    with open_dataset(path, observations="peaks") as dataset:
        np.testing.assert_array_equal(dataset.numbers("mz"), peaks_truth(run, "delta").obs["mz"])
    assert len(sizes) > 20
    assert max(sizes) <= 100


def test_importing_the_package_imports_no_pyarrow_parquet():
    code = "import sys, cxg_widget.datasets; assert not {'pyarrow', 'numba'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
