"""Laws of odd arguments and files: one sentence in one line, without secrets, and no foreign exception."""

import io
import json
from contextlib import suppress
from threading import Thread

import h5py
import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets import open_dataset
from cxg_widget.errors import CxgWidgetError, InvalidStore, InvalidValue, Overtaken, StorageError
from cxg_widget.session.exchange import error_frame
from cxg_widget.table.csv import csv_text
from cxg_widget.text.redaction import redacted
from cxg_widget.text.spreadsheet import harmless, restored
from tests.datasets.make_anndata import make_anndata, truth_of
from tests.memory import small

FORMULAS = [
    "=1+1",
    "\n=1+1",
    "\t=1",
    "\uff1d1+1",
    " =x",
    "+x",
    "-x",
    "@x",
    "\uff20x",
    "\ufeff=1",
    "\r=1",
    "'=1",
    "''=1",
]
PLAIN = ["a", "'a", "'", "=", "-5", "1e5", "a=b", "", "T cell", "\u2212x"]


def test_one_function_makes_texts_harmless_and_gives_them_back():
    for text in FORMULAS:
        assert harmless(text) == f"'{text}"
    for text in PLAIN:
        assert harmless(text) == text
    for text in [*FORMULAS, *PLAIN, *(f"'{one}" for one in FORMULAS + PLAIN)]:
        assert restored(harmless(text)) == text
    rows = pd.read_csv(io.StringIO(csv_text(pd.DataFrame({"a": FORMULAS}))), index_col=0, dtype=str)["a"]
    assert all(str(one).startswith("'") for one in rows)


def test_labels_that_a_spreadsheet_would_run_are_harmless_in_a_csv_and_loaded_as_they_were(tmp_path):
    labels = [one for one in (*FORMULAS, *PLAIN) if one.strip()]
    dataset = small(2 * len(labels))
    w = CxgWidget(dataset)
    w.annotations.new("=name")
    for at, label in enumerate(labels):
        mask = np.zeros(dataset.n_obs, dtype=bool)
        mask[at] = True
        w.annotations["=name"].assign(label, mask)
    w.annotations.save(tmp_path / "a.csv")
    text = (tmp_path / "a.csv").read_text(encoding="utf-8")
    table = pd.read_csv(io.StringIO(text.partition("\n")[2]), index_col=0, dtype=str, keep_default_na=False)
    assert list(table.columns) == ["'=name"]
    assert all(one == harmless(restored(one)) for one in table["'=name"])
    other = CxgWidget(dataset)
    other.annotations.load(tmp_path / "a.csv")
    ours, theirs = (one.dataset.codes("=name") for one in (w, other))
    assert [theirs.categories[code] for code in theirs.codes[: len(labels)]] == labels
    assert ours.categories == theirs.categories


def test_a_csv_that_was_written_without_apostrophes_is_loaded_as_it_is(tmp_path):
    names = small(2).obs_names()
    (tmp_path / "a.csv").write_text(f"index,mine\n{names[0]},'=1\n{names[1]},=1\n", encoding="utf-8")
    w = CxgWidget(small(2))
    w.annotations.load(tmp_path / "a.csv")
    assert set(w.dataset.codes("mine").categories) == {"'=1", "=1"}


@pytest.mark.parametrize(
    "attrs", ["[" * 100_000, "[1]", '{"cxg_widget": [1]}', "5", '{"cxg_widget": {"categories": 5}}']
)
def test_metadata_of_files_that_nobody_wrote_in_earnest_are_a_sentence(tmp_path, attrs):
    pq = pytest.importorskip("pyarrow.parquet")
    table = pd.DataFrame({"mine": pd.Categorical(["a", "b"])}, index=list(small(2).obs_names()))
    import pyarrow as pa

    stored = pa.Table.from_pandas(table)
    for pandas in ({"attributes": attrs}, attrs, {"index_columns": 5}, {"columns": [5], "index_columns": [{}]}):
        text = pandas if isinstance(pandas, str) else json.dumps(pandas)
        if isinstance(pandas, dict) and "attributes" in pandas and not attrs.startswith("[["):
            about = json.loads(stored.schema.metadata[b"pandas"])
            text = json.dumps({**about, "attributes": json.loads(attrs)})
        pq.write_table(stored.replace_schema_metadata({b"pandas": text.encode()}), tmp_path / "a.parquet")
        (tmp_path / "a.csv").write_text(f"# {{{attrs}\nindex,mine\n{table.index[0]},a\n", encoding="utf-8")
        for name in ("a.parquet", "a.csv"):
            w = CxgWidget(small(2))
            with suppress(CxgWidgetError):  # and of nothing else
                w.annotations.load(tmp_path / name)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u8", "i8"])
def test_codes_of_any_type_are_read_and_those_beyond_all_categories_refused(tmp_path, dtype):
    path = make_anndata(tmp_path, truth_of("0.8"))
    with h5py.File(path, "r+") as file:
        codes = np.where(file["obs/cell_type/codes"][:] < 0, 0, file["obs/cell_type/codes"][:])
        attrs = dict(file["obs/cell_type/codes"].attrs)
        del file["obs/cell_type/codes"]
        file["obs/cell_type"].create_dataset("codes", data=codes.astype(dtype)).attrs.update(attrs)
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(dataset.codes("cell_type").codes, codes)
    with h5py.File(path, "r+") as file:
        file["obs/cell_type/codes"][3] = np.iinfo(dtype).max
    with open_dataset(path) as dataset, pytest.raises(InvalidStore, match=f"holds code {np.iinfo(dtype).max}"):
        dataset.codes("cell_type")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("table", {"sort": np.array(["a", "b"])}), ("table", {"sort": np.array([1])}), ("axes", range(10**12)),
        ("axes", range(10**30)), ("axes", np.arange(50)), ("color", range(10**12)), ("hover", range(10**12)),
        ("view", range(10**12)), ("hidden", range(10**12)), ("contours", range(10**12)), ("sets", range(10**12)),
        ("annotations", range(10**12)), ("palette", range(10**12)), ("pinned_genes", range(10**12)),
        ("filters", range(10**12)), ("embedding", np.zeros((40, 40))), ("cmap", np.zeros((40, 40))),
    ],
)  # fmt: skip
def test_odd_values_of_settings_are_one_sentence_in_one_line(name, value):
    with pytest.raises(CxgWidgetError) as error:
        CxgWidget(small(20), **{name: value})
    assert "\n" not in str(error.value)
    w = CxgWidget(small(20))
    with pytest.raises(CxgWidgetError):
        setattr(w, name, value)


SECRETS = [
    "s3://KEY:SECRET@host/a.cxg", "https://h/a.zarr?sig=SECRET&x=1", "azure://c/a?sv=1&sig=SECRET", "a?sig=SECRET",
    "https://h/a.cxg?X-Amz-Signature=SECRET",
]  # fmt: skip


@pytest.mark.parametrize("uri", SECRETS)
def test_no_sentence_repeats_a_secret_within_an_address(uri):
    for sentence in (f"'{uri}': no such file", f"{uri}: cannot read X (refused {uri}).", f"{uri}"):
        error = StorageError(sentence)
        frame = error_frame("color", error, uri)
        assert "SECRET" not in str(error) + repr(error) + repr(frame.message)
        assert "SECRET" not in repr(error_frame("color", ValueError(sentence), uri).message)
    dataset = small(5)
    dataset._note(f"{uri} is odd.")
    dataset.title = uri
    assert "SECRET" not in " ".join(dataset.notes) + dataset.title
    if "://" not in uri:
        with pytest.raises(CxgWidgetError) as error:
            open_dataset(uri)
        assert "SECRET" not in str(error.value)


def test_sentences_without_secrets_stay_as_they_are():
    for text in ("s3://bucket/a@b.cxg", "a = b and key: x", "https://host/a.cxg: no such file", "n_genes=5"):
        assert redacted(text) == text


def test_what_is_overtaken_never_leaves_the_handler_whoever_sends(monkeypatch):
    w, sent, escaped = CxgWidget(small(200)), [], []
    w._exchange._send = lambda content, _: sent.append(content)

    def overtaken(*_):
        raise Overtaken("other cells are on show.")

    monkeypatch.setattr(w, "_show", overtaken)

    def send(at):
        update = {"method": "update", "state": {"color": ("cell_type", "n_counts")[at % 2]}, "buffer_paths": []}
        try:
            for _ in range(20):
                w._handle_msg({"content": {"data": update}, "buffers": []})
        except BaseException as error:
            escaped.append(error)

    threads = [Thread(target=send, args=(at,)) for at in range(4)]
    [one.start() for one in threads]
    [one.join() for one in threads]
    assert escaped == []


def test_arrays_in_sentences_are_one_line():
    with pytest.raises(InvalidValue) as error:
        CxgWidget(small(20)).view = np.zeros((30, 3))
    assert "\n" not in str(error.value)
