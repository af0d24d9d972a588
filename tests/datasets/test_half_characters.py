"""Laws of half characters, which JSON holds and no message or file: read as U+FFFD in each store, with a note."""

import json
import os
import shutil
from contextlib import closing, suppress
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import tiledb
import zarr

from cxg_widget import CxgWidget
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.errors import CxgWidgetError
from cxg_widget.text.half_characters import load_json, xml_text
from tests.datasets.make_anndata import make_anndata, truth_of
from tests.datasets.make_cxg import make_cxg, make_truth
from tests.memory import Codes, small

pytestmark = pytest.mark.filterwarnings("ignore:Glyph")
HALF, PAIR = "x\ud800", "\U0001f9ec"


def strictly(value):
    """Write JSON as Jupyter does."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def check_page(w):
    for stream in (w._session.streams.show(), w._session.streams.dataset()):
        for frame in stream:
            strictly(frame.pack(0)[0])
    strictly([w.summary, w.state, list(w.dataset.notes), w.dataset.title])


def check_all(w, folder, more=("a.png", "a.pdf")):
    check_page(w)
    for name in ("a.html", "a.svg", *more):
        w.save(folder / name)
    ElementTree.parse(folder / "a.svg")
    w.table.to_csv(folder / "a.csv")
    (folder / "a.csv").read_text(encoding="utf-8")


def put_in_json(path, array, key, change):
    with tiledb.open(str(path / array)) as stored:
        found = json.loads(stored.meta[key]) if key in stored.meta else {}
    change(found)
    with tiledb.open(str(path / array), "w") as stored:
        stored.meta[key] = json.dumps(found)


CHANGES = {
    "title": ("cxg_group_metadata", "corpora", lambda found: found.update(title=f"A {HALF} title {PAIR}")),
    "colors": ("cxg_group_metadata", "cxg_category_colors", lambda found: found.update({HALF: {HALF: "red"}})),
    "gene sets": ("obs", "genesets", lambda found: found.update({HALF: ["CD3E", HALF]})),
    "categories": ("obs", "cxg_schema", lambda found: found["cell_type"]["categories"].append(HALF)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_half_characters_of_a_cxg_are_a_note(tmp_path, what):
    write_demo(str(tmp_path / "a.cxg"), n_obs=100, seed=0)
    put_in_json(tmp_path / "a.cxg", *CHANGES[what])
    with closing(CxgWidget(tmp_path / "a.cxg", color="cell_type")) as w:
        with suppress(CxgWidgetError):
            strictly({name: list(genes) for name, genes in w.dataset.gene_sets.items()})
        check_page(w)
        assert any("half characters" in note for note in w.dataset.notes) or what in ("colors", "gene sets")
        assert what != "title" or w.dataset.title == f"A x\ufffd title {PAIR}"
        assert what != "gene sets" or w.dataset.gene_sets["x\ufffd"] == ("CD3E", "x\ufffd")


def test_half_characters_everywhere_in_a_cxg_break_neither_page_nor_file(tmp_path):
    write_demo(str(tmp_path / "a.cxg"), n_obs=100, seed=0)
    for change in CHANGES.values():
        put_in_json(tmp_path / "a.cxg", *change)
    with closing(CxgWidget(tmp_path / "a.cxg", color="cell_type")) as w:
        check_all(w, tmp_path)


def test_half_characters_of_attributes_of_zarr_are_repaired(tmp_path):
    path = make_anndata(tmp_path, truth_of("0.13"), container="zarr2")
    root = zarr.open_group(str(path), mode="r+")
    root["uns"].attrs["title"] = HALF
    root.attrs["extra"] = {HALF: HALF}
    with open_dataset(path) as dataset:
        strictly([list(dataset.obs_columns), list(dataset.embeddings), dataset.title, list(dataset.notes)])


@pytest.mark.parametrize("kind", ["h5ad", "zarr2", "cxg"])
def test_a_file_whose_name_is_no_utf_8_is_opened_or_refused_in_a_sentence(tmp_path, kind):
    if kind == "cxg":
        path = tmp_path / "a.cxg"
        make_cxg(path, make_truth())
    else:
        path = make_anndata(tmp_path, truth_of("0.13"), container=kind)
    odd = tmp_path / os.fsdecode(b"odd\xff" + os.fsencode(path.suffix))
    shutil.move(path, odd)
    try:
        w = CxgWidget(odd)
    except CxgWidgetError as error:
        strictly(str(error))
    else:
        with closing(w):
            check_all(w, tmp_path, more=())


@pytest.mark.parametrize("text", ["\ufffe \uffff \x01 \x0b", HALF])
@pytest.mark.parametrize("where", ["category", "column", "gene"])
def test_names_that_xml_cannot_hold_make_an_svg_that_is_xml(tmp_path, text, where):
    codes = Codes(np.zeros(50, np.int8), (f"a{text}b" if where == "category" else "b",))
    dataset = small(50)
    if where == "gene":
        if text == HALF:
            pytest.skip("pandas refuses it as a name")
        dataset._genes[0] = color = f"g{text}"
    else:
        color = f"c{text}" if where == "column" and text != HALF else "c"
        dataset._obs[color] = codes
        dataset.obs_columns[color] = type(dataset.obs_columns["cell_type"])(color, "categorical", 1)
    with closing(CxgWidget(dataset, color=color)) as w:
        for name in ("a.svg", "b.pdf", "c.html"):
            if not (text == HALF and name != "a.svg"):
                w.save(tmp_path / name)
        ElementTree.parse(tmp_path / "a.svg")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r'"\ud800"', "\ufffd"), (r'"\uDC00a"', "\ufffda"), (r'"\ud83e\uddec"', PAIR), (r'"\\ud800"', r"\ud800"),
        (r'"\ud800\ud83e\uddec"', "\ufffd" + PAIR), (r'"\\\ud800"', "\\\ufffd"), (r'"\u00e4"', "ä"),
    ],
)  # fmt: skip
def test_json_is_repaired_and_nothing_else_in_it_changes(text, wanted):
    found, is_repaired = load_json(text)
    assert found == wanted
    assert is_repaired == ("\ufffd" in wanted)
    assert xml_text("a\tb\n" + PAIR) == "a\tb\n" + PAIR


def with_names(frame, columns=None, index=None, index_name=None):
    """Return a DataFrame whose names are objects, since texts of pandas 3 take no half characters."""
    made = frame.copy()
    made.columns = pd.Index(list(columns or made.columns), dtype=object)
    made.index = pd.Index(list(made.index if index is None else index), dtype=object, name=index_name)
    return made


def in_memory(change):
    n = 6
    parts = SimpleNamespace(
        obs=with_names(pd.DataFrame({"score": np.arange(n) * 1.0, "type": pd.Categorical(["u", "v"] * (n // 2))})),
        var=with_names(pd.DataFrame({"length": [1.0, 2.0]}), index=["g1", "g2"]),
        obsm={"X_umap": np.arange(2.0 * n).reshape(n, 2)}, X=np.arange(2 * n, dtype=np.float32).reshape(n, 2),
        layers={"counts": np.ones((n, 2), np.float32)}, uns={}, raw=None, n_obs=n, n_vars=2,
    )  # fmt: skip
    change(parts)
    return parts


IN_MEMORY = {
    "obs column": lambda one: setattr(one, "obs", with_names(one.obs, ["score", HALF])),
    "obs names": lambda one: setattr(one, "obs", with_names(one.obs, index=[f"{HALF}{at}" for at in range(6)])),
    "name of the obs index": lambda one: setattr(one, "obs", with_names(one.obs, index_name=HALF)),
    "obs texts": lambda one: one.obs.insert(0, "text", pd.Series([HALF, "b"] * 3, dtype=object, index=one.obs.index)),
    "var column": lambda one: setattr(one, "var", with_names(one.var, [HALF])),
    "var names": lambda one: setattr(one, "var", with_names(one.var, index=["g1", HALF])),
    "embedding": lambda one: one.obsm.update({f"X_{HALF}": one.obsm.pop("X_umap")}),
    "layer": lambda one: one.layers.update({HALF: one.layers.pop("counts")}),
}


@pytest.mark.parametrize("what", IN_MEMORY)
def test_half_characters_in_an_anndata_in_memory_are_read_as_u_fffd_wherever_they_stand(what):
    with closing(CxgWidget(in_memory(IN_MEMORY[what]), restore=False)) as w:
        data = w.dataset
        for column in data.obs_columns:
            w.color = column
            w.counts(column)
        for layer in (None, *data.layers):
            w.layer = layer
            w.color = data.var_labels[1]
            assert len(w.compare(np.arange(6) < 3, layer=layer).frame()) == 2
        found = strictly([
            list(data.obs_columns), list(data.var_columns), list(data.layers), list(data.embeddings),
            data.obs().astype(str).reset_index().to_dict("list"), data.var().astype(str).reset_index().to_dict("list"),
        ])  # fmt: skip
        assert found.decode().count("x\ufffd") >= 1
        check_page(w)


def test_half_characters_everywhere_in_an_anndata_in_memory_break_neither_page_nor_file(tmp_path):
    parts = in_memory(lambda one: [change(one) for change in IN_MEMORY.values()])
    with closing(CxgWidget(parts, restore=False)) as w:
        w.color = w.dataset.var_labels[1]
        check_all(w, tmp_path)
