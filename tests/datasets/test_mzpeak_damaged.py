"""What an mzPeak says when it is damaged, compressed, encrypted or contradicts itself; and what stays readable."""

from __future__ import annotations

import json
import os
import struct
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cxg_widget.datasets import open_dataset, readers
from cxg_widget.errors import DamagedStore, InvalidStore, MissingDependency
from tests.datasets.make_mzpeak import (
    _bytes,
    chunk_table,
    make_mzpeak,
    make_run,
    packed_metadata,
    point_table,
    spectra_truth,
    write_members,
)


@pytest.fixture(scope="module")
def run():
    return make_run()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.mzpeak"


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def refused(path, error, sentence, **options):
    """Assert that opening ends in one sentence that begins with the path."""
    with pytest.raises(error, match=sentence) as caught:
        open_dataset(path, **options)
    told = str(caught.value)
    assert told.startswith(str(path))
    assert "\n" not in told
    assert len(told) < 600


def index(*files):
    return json.dumps({"files": [dict(zip(("name", "entity_type", "data_kind"), one, strict=True)) for one in files]})


# --- the container ---------------------------------------------------------------------------------------------------


def test_what_is_no_zip_and_no_folder_is_refused(path):
    path.write_text("hello")
    refused(path, InvalidStore, "not a ZIP file and not a directory", format="mzpeak")


@pytest.mark.parametrize("kept", [40, 1000, -5])
def test_a_truncated_archive_is_damage(path, run, kept):
    make_mzpeak(path, run)
    path.write_bytes(path.read_bytes()[:kept])
    refused(path, DamagedStore, "the ZIP archive is truncated or damaged")


@pytest.mark.parametrize("has_checksums", [True, False])
def test_a_page_that_does_not_match_its_checksum_is_damage(path, run, has_checksums):
    sink, table = pa.BufferOutputStream(), point_table(run)
    options = {"compression": "none", "use_dictionary": False, "write_page_checksum": has_checksums}
    pq.write_table(table, sink, **options)
    written = bytearray(sink.getvalue().to_pybytes())
    value = run.peaks()["intensity"].to_numpy()[5].tobytes()
    assert written.count(value) == 1
    written[written.index(value)] ^= 1
    make_mzpeak(path, run, members={"spectra_data.parquet": bytes(written)})
    with open_dataset(path, observations="peaks") as dataset:
        if has_checksums:
            with pytest.raises(DamagedStore, match=r"'spectra_data.parquet' cannot be read as Parquet: .*CRC"):
                dataset.numbers("intensity")
        else:
            found, expected = dataset.numbers("intensity"), run.peaks()["intensity"].to_numpy()
            assert np.flatnonzero(found != expected).tolist() == [5]


def test_a_store_without_an_index_is_none(path, run, tmp_path):
    members = members_of(make_mzpeak(tmp_path / "whole.mzpeak", run))
    del members["mzpeak_index.json"]
    refused(write_members(path, members), InvalidStore, "no mzpeak_index.json")
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", InvalidStore, "no mzpeak_index.json", format="mzpeak")


def test_compressed_members_are_refused(path, run, tmp_path):
    members = members_of(make_mzpeak(tmp_path / "whole.mzpeak", run))
    write_members(path, members, method=zipfile.ZIP_DEFLATED)
    refused(path, InvalidStore, "member 'mzpeak_index.json' is compressed; mzPeak members must be STORED")


def test_a_listed_member_that_is_not_there_is_named(path, run, tmp_path):
    make_mzpeak(path, run, lists=["x.parquet"])
    refused(path, InvalidStore, "the index lists 'x.parquet' but the archive has no member of this name")
    folder = make_mzpeak(tmp_path / "unpacked", run, folder=True, lists=["x.parquet"])
    refused(folder, InvalidStore, "the index lists 'x.parquet' but the folder has no member of this name")


@pytest.mark.parametrize("name", ["../x.parquet", "/etc/passwd", "a/../../x", "..\\x", "C:x", "", "a\0b"])
@pytest.mark.parametrize("folder", [True, False])
def test_names_that_lead_out_of_the_store_are_refused(tmp_path, name, folder):
    (tmp_path / "x.parquet").write_bytes(b"secret")
    path = tmp_path / "store.mzpeak"
    write_members(path, {"mzpeak_index.json": index((name, "spectrum", "metadata")).encode()}, folder=folder)
    refused(path, InvalidStore, "not a valid name of a member")


def test_links_out_of_a_folder_are_not_followed(tmp_path, run):
    outside = make_mzpeak(tmp_path / "outside", run, folder=True)
    path = make_mzpeak(tmp_path / "store", run, folder=True)
    (path / "spectra_data.parquet").unlink()
    (path / "spectra_data.parquet").symlink_to(outside / "spectra_data.parquet")
    refused(path, InvalidStore, "'spectra_data.parquet' is a link out of the folder; such links are not followed")


def test_members_that_lie_elsewhere_than_the_directory_says_are_damage(path, run):
    make_mzpeak(path, run)
    with zipfile.ZipFile(path) as archive:
        at = archive.getinfo("spectra_metadata.parquet").header_offset
    content = bytearray(path.read_bytes())
    content[at : at + 4] = b"XXXX"
    path.write_bytes(content)
    refused(path, DamagedStore, "'spectra_metadata.parquet' is not at the place that the archive lists")


@pytest.mark.parametrize(
    ("content", "error", "sentence"),
    [
        (b"{", DamagedStore, "is not valid JSON"),
        (b"\xff\xfe{", DamagedStore, "is not valid JSON"),
        (b"[" * 100_000, DamagedStore, "is not valid JSON"),
        (b"[]", InvalidStore, "has no list of files"),
        (b'{"files": {}}', InvalidStore, "has no list of files"),
        (b'{"files": [{}]}', InvalidStore, "an entry without name, entity_type or data_kind"),
        (b'{"files": [3]}', InvalidStore, "an entry without name, entity_type or data_kind"),
        (b'{"files": []}', InvalidStore, "no spectrum metadata; the index lists nothing"),
    ],
)
def test_an_index_that_is_none_is_refused(path, content, error, sentence):
    refused(write_members(path, {"mzpeak_index.json": content}), error, sentence)


# --- Parquet ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"hello", b"PAR1" + bytes(50) + b"PAR1"])
def test_metadata_that_are_no_parquet_are_damage(path, run, content):
    make_mzpeak(path, run, members={"spectra_metadata.parquet": content})
    refused(path, DamagedStore, "member 'spectra_metadata.parquet' cannot be read as Parquet")


def test_lost_points_leave_the_spectra_readable(path, run):
    make_mzpeak(path, run, members={"spectra_data.parquet": b"PAR1"})
    with open_dataset(path) as dataset:
        assert len(dataset.obs()) == dataset.n_obs == len(run.meta)
        assert any("'spectra_data.parquet' cannot be read as Parquet" in note for note in dataset.notes)
        with pytest.raises(DamagedStore, match="cannot be read as Parquet"):
            dataset.values("mz:445.12")
    refused(path, DamagedStore, "cannot be read as Parquet", observations="peaks")


def test_pages_that_are_cut_out_fail_the_chromatogram_and_nothing_else(path, run):
    make_mzpeak(path, run)
    content = bytearray(members_of(path)["spectra_data.parquet"])
    content[200:2000] = bytes(1800)
    make_mzpeak(path, run, members={"spectra_data.parquet": bytes(content)})
    with open_dataset(path) as dataset:
        with pytest.raises(DamagedStore, match=r"'spectra_data\.parquet' cannot be read as Parquet"):
            dataset.values("mz:445.12")
        assert len(dataset.obs()) == dataset.n_obs


def test_encrypted_parquet_is_called_that(path, run):
    encryption = pytest.importorskip("pyarrow.parquet.encryption")

    class Kms(encryption.KmsClient):
        def wrap_key(self, key, master):
            return key.hex()

        def unwrap_key(self, key, master):
            return bytes.fromhex(key)

    factory = encryption.CryptoFactory(lambda _: Kms())
    properties = factory.file_encryption_properties(
        encryption.KmsConnectionConfig(), encryption.EncryptionConfiguration(footer_key="k", uniform_encryption=True)
    )
    sink = pa.BufferOutputStream()
    table = point_table(run)
    with pq.ParquetWriter(sink, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
    make_mzpeak(path, run, members={"spectra_data.parquet": sink.getvalue().to_pybytes()})
    refused(path, InvalidStore, "'spectra_data.parquet' is encrypted Parquet")


def relabelled(table, **changes):
    found = json.loads(table.schema.metadata[b"spectrum_array_index"]) | changes
    return table.replace_schema_metadata({"spectrum_array_index": json.dumps(found)})


def test_layouts_that_are_unknown_or_not_described_are_refused(path, run, tmp_path):
    table = point_table(run)
    cases = {
        "has no spectrum_array_index": table.replace_schema_metadata({}),
        "has no spectrum_array_index in": table.replace_schema_metadata({"spectrum_array_index": "{"}),
        "unknown data layout, 'foo'": relabelled(table, prefix="foo"),
        "no column of m/z": relabelled(table, entries=[]),
        "no column of m/z chunk": relabelled(chunk_table(run, "delta"), entries=[]),
    }
    for sentence, data in cases.items():
        refused(make_mzpeak(path, run, data=data), InvalidStore, sentence)
    entries = json.loads(chunk_table(run, "slof").schema.metadata[b"spectrum_array_index"])["entries"]
    entries[-1]["transform"] = "MS:1000574"
    data = relabelled(chunk_table(run, "slof"), entries=entries)
    refused(make_mzpeak(path, run, data=data), InvalidStore, "unknown transform, 'MS:1000574'; known are SLOF and PIC")


def test_without_points_there_are_spectra_and_no_peaks(path, run):
    files = {"m.parquet": _bytes(packed_metadata(run), 10**6)}
    files["mzpeak_index.json"] = index(("m.parquet", "spectrum", "metadata")).encode()
    write_members(path, files)
    with open_dataset(path) as dataset:
        assert (dataset.n_obs, dataset.n_var) == (len(run.meta), 0)
        with pytest.raises(InvalidStore, match=r"no spectrum data member; it has \[spectrum metadata\]"):
            dataset.values("mz:445.12")
    refused(path, InvalidStore, "no spectrum data member", observations="peaks")
    refused(path, InvalidStore, "no spectrum peaks member", signal="peaks")


def test_a_run_of_no_spectra_is_empty(path):
    run = make_run(0)
    make_mzpeak(path, run, split=True)
    for observations in ("spectra", "peaks"):
        with open_dataset(path, observations=observations) as dataset:
            assert dataset.n_obs == 0
            assert len(dataset.obs()) == 0
            assert dataset.embedding(None).shape == (0, 2) if dataset.embeddings else True


# --- chunks ----------------------------------------------------------------------------------------------------------


def lengthen(chunks):
    longest(chunks)["intensity"].append(5.0)


def lie(chunks):
    longest(chunks)["mz_chunk_start"] += 3
    longest(chunks)["mz_chunk_end"] += 3


def shift(chunks):
    """Let a chunk say less than it holds."""
    longest(chunks)["mz_chunk_end"] = longest(chunks)["mz_chunk_start"] + 1e-3


def rename(chunks):
    longest(chunks)["chunk_encoding"] = "MS:1003826"


def break_numbers(chunks):
    longest(chunks)["mz_chunk_values"][-1] = float("nan")


def cut(chunks):
    key = "intensity_packed_bytes" if "intensity_packed_bytes" in chunks[0] else "mz_numpress_linear_bytes"
    longest(chunks)[key] = longest(chunks)[key][:-1]


def lose_scale(chunks):
    longest(chunks)["mz_numpress_linear_bytes"][:8] = struct.pack(">d", np.nan)


def lose_slof_scale(chunks):
    longest(chunks)["intensity_packed_bytes"][:8] = struct.pack(">d", np.nan)


def go_below_zero(chunks):
    minus_five = [0xFB]  # seven leading half bytes of 15, then 11
    n = len(longest(chunks)["intensity_packed_bytes"])
    longest(chunks)["intensity_packed_bytes"] = minus_five * n


def longest(chunks):
    def points(chunk):
        return len(chunk["mz_chunk_values"]) + len(chunk.get("mz_numpress_linear_bytes") or ())

    return max(chunks, key=points)


def name_another_spectrum(chunks):
    longest(chunks)["spectrum_index"] = 4_000


@pytest.mark.parametrize(
    ("encoding", "edit", "sentence"),
    [
        ("delta", lengthen, "chunk m/z and intensity lengths differ"),
        ("none", lengthen, "chunk m/z and intensity lengths differ"),
        ("linear", lengthen, "chunk m/z and intensity lengths differ"),
        ("none", lie, "a chunk holds m/z outside its own bounds"),
        ("none", shift, "a chunk holds m/z outside its own bounds"),
        ("linear", lie, "a chunk holds m/z outside its own bounds"),
        ("delta", break_numbers, "the m/z of a chunk cannot be decoded"),
        ("linear", lose_scale, "the m/z of a chunk cannot be decoded"),
        ("linear", cut, "truncated|lengths differ"),
        ("slof", cut, "the intensity buffer of a chunk is truncated"),
        ("slof", lose_slof_scale, "the intensity of a chunk cannot be decoded"),
        ("pic", go_below_zero, "the intensity of a chunk cannot be decoded"),
        ("delta", name_another_spectrum, "names spectrum 4000, which is not in the metadata"),
    ],
)
def test_a_chunk_that_contradicts_itself_is_damage(path, run, encoding, edit, sentence):
    make_mzpeak(path, run, encoding, edit=[edit])
    with open_dataset(path) as dataset:
        with pytest.raises(DamagedStore, match=sentence) as caught:
            dataset.values("mz:500+-499")
        assert str(caught.value).startswith(f"{path}: member 'spectra_data.parquet'")
        assert len(dataset.obs()) == dataset.n_obs
    with pytest.raises(DamagedStore, match=sentence), open_dataset(path, observations="peaks") as dataset:
        dataset.embedding()


def test_an_unknown_chunk_encoding_is_named(path, run):
    make_mzpeak(path, run, "delta", edit=[rename])
    with (
        open_dataset(path) as dataset,
        pytest.raises(InvalidStore, match=r"unsupported chunk encoding \['MS:1003826'\]"),
    ):
        dataset.values("mz:500+-499")


def test_a_spectrum_that_is_listed_twice_is_refused(path, run):
    metadata = packed_metadata(run)
    twice = pa.concat_tables([metadata, metadata.slice(0, 1)]).replace_schema_metadata(metadata.schema.metadata)
    make_mzpeak(path, run, members={"spectra_metadata.parquet": _bytes(twice, 10**6)})
    with open_dataset(path) as dataset, pytest.raises(InvalidStore, match="several spectra the same index"):
        dataset.values("mz:445.12")


def test_several_ions_of_a_spectrum_show_the_first_with_a_note(path, run, tmp_path):
    members = members_of(make_mzpeak(tmp_path / "whole.mzpeak", run, split=True))
    ions = pq.read_table(pa.BufferReader(members["selected_ion.parquet"]))
    more = ions.slice(0, 3).set_column(1, "selected_ion_mz", pa.array([1.0, 2.0, 3.0]))
    members["selected_ion.parquet"] = _bytes(pa.concat_tables([ions, more]), 10**6)
    with open_dataset(write_members(path, members)) as dataset:
        np.testing.assert_array_equal(dataset.numbers("precursor_mz"), run.meta["precursor_mz"])
        assert any("3 spectra have several entries of selected_ion" in note for note in dataset.notes)


def test_identity_changes_with_the_file_and_with_what_is_observed(path, run, tmp_path):
    make_mzpeak(path, run)
    folder = make_mzpeak(tmp_path / "unpacked", run, folder=True)

    def identity(where, **options):
        with open_dataset(where, **options) as dataset:
            return dataset.identity

    for where, file in ((path, path), (folder, folder / "spectra_data.parquet")):
        before = identity(where)
        assert identity(where) == before != identity(where, observations="peaks")
        os.utime(file, ns=(1, 1))
        assert identity(where) != before


def test_details_and_sizes_are_those_of_the_members(path, run):
    make_mzpeak(path, run, "delta", rows_per_group=50)
    with open_dataset(path) as dataset:
        members = members_of(path)
        assert dataset.sizes == {name: len(content) for name, content in members.items()}
        details = dataset.details
        assert (details["version"], details["container"]) == ("0.9.0", "archive")
        assert details["layouts"] == {"spectra_data.parquet": "chunk"}
        assert details["n_spectra"] == len(run.meta)
        assert "spectrum.parameters" in details["left_out"]


def test_without_pyarrow_the_sentence_says_how_to_install_it(path, run, monkeypatch):
    make_mzpeak(path, run)
    monkeypatch.setattr(readers, "find_spec", lambda _: None)
    with pytest.raises(MissingDependency, match=r"mzPeak.*needs pyarrow: pip install 'cxg-widget\[mzpeak\]'"):
        open_dataset(path)


def test_bytes_are_told_by_their_type_wherever_the_transform_stands(path, run):
    table = chunk_table(run, "slof")
    entries = json.loads(table.schema.metadata[b"spectrum_array_index"])["entries"]
    for entry in entries:
        entry["transform"] = "MS:1002312" if entry["array_type"] == "MS:1000514" else "MS:1002314"
    make_mzpeak(path, run, data=relabelled(table, entries=entries))
    truth = spectra_truth(run, "slof")
    with open_dataset(path) as dataset:
        for position, name in enumerate(truth.var_labels):
            np.testing.assert_allclose(dataset.values(name), truth.X[:, position], rtol=1e-6)
