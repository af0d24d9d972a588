"""One real run in two layouts, against what pyarrow alone reads of it."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from cxg_widget.datasets import open_dataset


@pytest.fixture(scope="module")
def folder(real_data):
    return real_data / "mzpeak" / "small.unpacked.mzpeak"


@pytest.fixture(scope="module", params=["small.chunked.mzpeak", "small.unpacked.mzpeak"])
def path(request, real_data):
    return real_data / "mzpeak" / request.param


@pytest.fixture(scope="module")
def points(folder):
    """The rows of the point layout, nulls dropped."""
    struct = pq.read_table(folder / "spectra_data.parquet")["point"].combine_chunks()
    frame = pd.DataFrame({name: struct.field(name).to_numpy(zero_copy_only=False) for name in ("mz", "intensity")})
    frame["spectrum"] = struct.field("spectrum_index").to_numpy(zero_copy_only=False).astype(np.int64)
    return frame.dropna(ignore_index=True)


@pytest.fixture(scope="module")
def metadata(folder):
    return pq.read_table(folder / "spectra_metadata.parquet")


def test_both_layouts_hold_the_same_peaks(path, points):
    with open_dataset(path, observations="peaks") as dataset:
        assert dataset.n_obs == len(points) == 203_086
        obs = dataset.obs()
        np.testing.assert_array_equal(obs["spectrum_index"], points["spectrum"])
        np.testing.assert_array_equal(obs["intensity"], points["intensity"])
        np.testing.assert_allclose(obs["mz"], points["mz"], atol=1e-7, rtol=0)
        np.testing.assert_array_equal(dataset.embedding()[:, 1], obs["mz"].to_numpy(np.float32))
        found = dataset.viewport((0.1, 0.2), (400, 500))
        inside = obs["retention_time"].between(0.1, 0.2) & obs["mz"].between(400, 500)
        np.testing.assert_array_equal(found.rows, np.flatnonzero(inside))


@pytest.mark.parametrize(("text", "low", "high"), [("mz:810.41+-0.02", 810.39, 810.43), ("mz:600+-150", 450, 750)])
def test_a_chromatogram_is_the_sum_over_the_window(path, points, text, low, high):
    inside = points[points["mz"].between(low, high)]
    expected = np.bincount(inside["spectrum"], inside["intensity"], minlength=48)
    with open_dataset(path) as dataset:
        np.testing.assert_allclose(dataset.values(text), expected, rtol=1e-6)


def test_columns_are_those_of_the_metadata_in_readable_names(path, metadata):
    spectrum = pd.DataFrame(metadata["spectrum"].to_pylist())
    ions = pd.DataFrame(metadata["selected_ion"].to_pylist()).dropna(subset="source_index").set_index("source_index")
    with open_dataset(path) as dataset:
        obs = dataset.obs()
        assert obs.index.tolist() == spectrum["id"].tolist()
        assert obs["ms_level"].value_counts().to_dict() == {1: 14, 2: 34}
        assert obs["polarity"].unique().tolist() == ["positive"]
        np.testing.assert_allclose(obs["retention_time"], spectrum["time"], rtol=1e-6)
        np.testing.assert_array_equal(obs["base_peak_mz"], spectrum["MS_1000504_base_peak_mz_unit_MS_1000040"])
        np.testing.assert_allclose(
            obs["total_ion_current"], spectrum["MS_1000285_total_ion_current_unit_MS_1000131"], rtol=1e-6
        )
        kinds = {"MS:1000128": "profile spectrum", "MS:1000127": "centroid spectrum"}
        expected = spectrum["MS_1000525_spectrum_representation"].map(kinds)
        assert obs["spectrum_representation"].tolist() == expected.tolist()
        precursors = ions["MS_1000744_selected_ion_mz_unit_MS_1000040"].reindex(range(48)).to_numpy()
        np.testing.assert_allclose(obs["precursor_mz"], precursors)
        xy = dataset.embedding("precursor_mz")
        np.testing.assert_array_equal(np.isnan(xy[:, 1]), np.isnan(precursors))
        assert dataset.title == "small"
        assert dataset.notes == ()


def test_the_centroids_of_the_archive_can_be_chosen(real_data):
    with open_dataset(real_data / "mzpeak" / "small.chunked.mzpeak", observations="peaks", signal="peaks") as dataset:
        assert dataset.n_obs == 24_903
        assert dataset.details["layouts"] == {"spectra_peaks.parquet": "point"}
        assert dataset.numbers("intensity").max() == np.float32(2637890.75)


@pytest.fixture(scope="module")
def numpress(real_data):
    return real_data / "mzpeak" / "small.numpress.mzpeak"


@pytest.mark.parametrize(("low", "high"), [(810.39, 810.43), (450, 750), (0, 4000), (402.80, 402.83), (1636.3, 1636.6)])
def test_chromatograms_of_numpress_are_those_of_the_plain_run_within_the_error_of_numpress(numpress, points, low, high):
    """SLOF rounds log(1 + intensity) x scale to a whole number; m/z near an end of the window may change sides."""
    per_point, near = 2e-4, 1e-5  # of the scales in this file
    certain = points[points["mz"].between(low + near, high - near)]
    possible = points[points["mz"].between(low - near, high + near)]
    least, most = (np.bincount(part["spectrum"], part["intensity"], minlength=48) for part in (certain, possible))
    with open_dataset(numpress) as dataset:
        found = dataset.values(f"mz:{(low + high) / 2!r}+-{(high - low) / 2!r}")
    assert (found >= least * (1 - per_point) - 1e-3).all()
    assert (found <= most * (1 + per_point) + 1e-3).all()
    assert most.sum() > 0


def test_peaks_of_numpress_are_those_that_the_reference_library_decodes(numpress):
    pynumpress = pytest.importorskip("pynumpress")
    with zipfile.ZipFile(numpress) as archive:
        table = pq.read_table(io.BytesIO(archive.read("spectra_data.parquet")))["chunk"].combine_chunks()
    mz, intensity = [], []
    for chunk in table.to_pylist():
        buffers = (
            np.array(chunk[name], np.uint8) for name in ("mz_numpress_linear_bytes", "intensity_numpress_slof_bytes")
        )
        linear, slof = buffers
        one_point = len(linear) == 12  # legal, and refused by the library
        axis = np.array([chunk["mz_chunk_start"]]) if one_point else pynumpress.decode_linear(linear)
        values = np.asarray(pynumpress.decode_slof(slof))
        end = max(chunk["mz_chunk_start"], chunk["mz_chunk_end"])
        is_flank = (values == 0) & ((axis < chunk["mz_chunk_start"] - 0.01) | (axis > end + 0.01))
        mz.append(axis[~is_flank])
        intensity.append(values[~is_flank])
    with open_dataset(numpress, observations="peaks") as dataset:
        obs = dataset.obs()
    np.testing.assert_allclose(obs["mz"], np.concatenate(mz), atol=1e-6)
    np.testing.assert_allclose(obs["intensity"], np.concatenate(intensity), rtol=1e-6, atol=1e-9)
