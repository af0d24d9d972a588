"""Laws of a replay: numbers of cells are those of pandas, what does not fit is reported, and nothing else changes."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.cli.main import main
from cxg_widget.errors import ClosedDataset, CxgWidgetError, DamagedStore, InvalidOption, InvalidValue, TargetNotWritten
from cxg_widget.replay.fitting import PLACES
from cxg_widget.session.pictures import html_file
from tests.examples import MORE
from tests.memory import MemoryDataset, small
from tests.unit.test_raw_offer import scaled
from tests.unit.test_undo_machine import Machine

STATIC = Path(html_file.__file__).parents[2] / "static"
needs_bundle = pytest.mark.skipif(not (STATIC / "file.js").exists(), reason="the bundle is not built: make build")
EVIL = """</iframe></div></script><script>alert(1)</script><!-- <img src=x onerror='alert(2)'> "&amp;"""
SQUARE = [[-1, -1], [1, -1], [1, 1], [-1, 1]]


def frame_of(n, kinds, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "x": rng.normal(size=n), "y": rng.normal(size=n), "kind": pd.Categorical(rng.choice(kinds, n)),
        "depth": rng.integers(0, 100, n), "CD3E": rng.poisson(1, n).astype(float), "NKG7": rng.poisson(2, n),
    })  # fmt: skip


A, B = frame_of(300, ["a", "b", "c"]), frame_of(500, ["a", "b"], 1).drop(columns=["depth", "NKG7"])


def opened(frame):
    return open_dataset(frame, embedding=("x", "y"), var=[one for one in ("CD3E", "NKG7") if one in frame])


@pytest.fixture
def w():
    widget = CxgWidget(opened(A), color="kind", restore=False)
    widget.sets.add("ab", {"kind": ["a", "b"]})
    widget.sets.add("c", {"kind": "c"})
    widget.sets.add("square", SQUARE)
    widget.sets.add("deep", "depth > 50")
    widget.sets.add("rows", [1, 2, 3])
    widget.filters["CD3E"] = (1, None)
    widget.filters["depth"] = (5, None)
    mine = widget.annotations.new("mine")
    mine.assign("first", {"kind": "a"})
    mine.assign("positive", "CD3E > 2")
    widget.genes.pin(["CD3E", "NKG7"])
    yield widget
    widget.close()


def in_square(frame):
    return (frame.x.abs() < 1) & (frame.y.abs() < 1)


def test_numbers_of_both_datasets_are_those_of_pandas(w):
    counts = w.replay(w.state, opened(B)).frame()
    truth = {
        ("all", ""): (len(A), len(B)), ("set", "ab"): (A.kind.isin(["a", "b"]).sum(), len(B)),
        ("set", "c"): ((A.kind == "c").sum(), pd.NA), ("set", "square"): (in_square(A).sum(), in_square(B).sum()),
        ("set", "deep"): ((A.depth > 50).sum(), pd.NA), ("set", "rows"): (3, pd.NA),
        ("filter", "var:CD3E"): ((A.CD3E >= 1).sum(), (B.CD3E >= 1).sum()),
        ("filter", "depth"): ((A.depth >= 5).sum(), pd.NA),
        ("filters together", ""): (((A.CD3E >= 1) & (A.depth >= 5)).sum(), (B.CD3E >= 1).sum()),
        ("label of mine", "first"): tuple(((one.kind == "a") & (one.CD3E <= 2)).sum() for one in (A, B)),
        ("label of mine", "positive"): ((A.CD3E > 2).sum(), (B.CD3E > 2).sum()),
        **{("category of kind", k): ((A.kind == k).sum(), (B.kind == k).sum()) for k in "ab"},
        ("category of kind", "c"): ((A.kind == "c").sum(), pd.NA),
    }  # fmt: skip
    wanted = pd.DataFrame(list(truth.values()), pd.MultiIndex.from_tuples(truth), ["before", "after"]).astype("Int64")
    assert set(counts.index) == set(truth)
    pd.testing.assert_frame_equal(counts.loc[list(truth), ["before", "after"]], wanted, check_names=False)
    shares = wanted.astype("Float64") / [len(A), len(B)]
    found = counts.loc[list(truth), ["share_before", "share_after"]].set_axis(["before", "after"], axis=1)
    pd.testing.assert_frame_equal(found, shares, check_names=False)


def test_one_sentence_names_everything_that_is_missing_and_each_part_says_why(w):
    w.labels = "kind"
    before = w.state
    design = {"sample": "donor", "condition": "kind"}
    state = {
        **before, "layer": "raw", "hover": ["depth", "batch"], "embedding": ["depth", "CD3E"], "study_design": design,
    }  # fmt: skip
    found = w.replay(state, opened(B))
    assert set(found.missing) == {"depth", "NKG7", "batch", "donor", "layer 'raw'"}
    assert found.summary.count("Not there either") == 1
    assert all(name in found.summary for name in ("'depth'", "'NKG7'", "'batch'", "'donor'", "layer 'raw'"))
    faults = {(one.setting, one.name): one.fault for one in found.parts if one.fault}
    assert faults.keys() == {
        ("sets", "c"), ("sets", "deep"), ("sets", "rows"), ("filters", "depth"), ("pinned_genes", "NKG7"),
        ("layer", ""), ("hover", ""), ("embedding", ""), ("study_design", ""),
    }  # fmt: skip
    assert "no value 'c'" in faults["sets", "c"]
    assert "belong to another dataset" in faults["sets", "rows"]
    assert {"labels", "color", "annotations"} <= found.state.keys()
    assert w.state == before


def test_the_state_that_fits_opens_the_other_data_without_an_error(w):
    found = w.replay(w.state, opened(B))
    with pytest.warns(UserWarning, match="2 rules of labels match other rows"):
        other = CxgWidget(opened(B), **found.state, restore=False)
    assert list(other.sets) == ["ab", "square"]
    assert other.filters.mask.tolist() == (B.CD3E >= 1).tolist()
    assert other.genes.pinned == ("CD3E",)


def test_on_its_own_data_all_of_a_state_fits_but_views_and_is_one_step(w):
    w.view, w.layer = [-1, 1, -1, 1], None
    w.grid(["kind", "CD3E"])
    w.hidden, w.cmap, w.vmax = ["b"], "magma", "p99"
    state = w.state
    other = CxgWidget(opened(A), restore=False)
    found = other.replay(json.loads(json.dumps(state)))
    assert [one for one in found.parts if one.fault] == []
    assert other.state == {name: one for name, one in state.items() if name != "view"}
    assert [other.sets[one].mask.tolist() for one in w.sets] == [w.sets[one].mask.tolist() for one in w.sets]
    assert other.undo()
    assert other.state == CxgWidget(opened(A), restore=False).state
    assert not other.undo()


class Replayed(Machine):
    """Does anything to a widget, and replays its state in the end."""

    def check_shown(self):
        """Leave this to the tests of undo."""

    def undo(self):
        return False

    def teardown(self):
        if not hasattr(self, "w"):
            return
        w, data = self.w, self.w.dataset
        state = json.loads(json.dumps(w.state))
        other = CxgWidget(data.with_own_columns(), restore=False)
        assert [one for one in other.replay(state).parts if one.fault] == []
        assert other.state == {name: one for name, one in state.items() if name not in PLACES}
        assert other.filters.mask.tobytes() == w.filters.mask.tobytes()
        assert [other.sets[one].mask.tobytes() for one in other.sets] == [w.sets[one].mask.tobytes() for one in w.sets]
        other.close()
        w.close()


def test_whatever_was_done_its_state_fits_its_own_data_and_gives_the_same_cells(monkeypatch):
    run_state_machine_as_test(
        type("Machine", (Replayed,), {"patch": monkeypatch}),
        settings=settings(
            max_examples=8 * MORE, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck),
            phases=[Phase.generate], derandomize=True,
        ),
    )  # fmt: skip


@needs_bundle
def test_after_any_failure_the_state_is_the_one_before(w, tmp_path):
    state, new = w.state, {"color": "CD3E"}
    for error, call in (
        (TargetNotWritten, lambda: w.replay(new, report=tmp_path / "none" / "report.html")),
        (InvalidValue, lambda: w.replay(new, report=tmp_path / "report.png")),
        (InvalidValue, lambda: w.replay([new])),
        (InvalidOption, lambda: w.replay({**new, "colour": "CD3E"})),
        (CxgWidgetError, lambda: w.replay(new, tmp_path / "missing.h5ad")),
        (DamagedStore, lambda: w.replay({"sets": state["sets"]}, small(9, broken=["emb/umap"]))),
    ):
        with pytest.raises(error):
            call()
        assert w.state == state
    w.close()
    with pytest.raises(ClosedDataset):
        w.replay(new)


def test_a_nested_set_keeps_its_cells_where_its_parent_does_not_fit():
    w = CxgWidget(opened(A), restore=False)
    w.sets.add("deep", "depth > 50")
    w.sets.add("a", {"kind": "a"})
    w.sets.add("inner", "CD3E > 1", within="a")
    state = w.state
    state["sets"][2]["within"] = "deep"
    found = w.replay(state, opened(B))
    assert [one["name"] for one in found.state["sets"]] == ["a", "inner"]
    assert "within" not in found.state["sets"][1]
    assert found.frame().loc[("set", "inner"), "after"] == ((B.kind == "a") & (B.CD3E > 1)).sum()


def test_a_gene_of_a_layer_alone_colors_the_plot_with_that_layer():
    w = CxgWidget(scaled()[0], restore=False)
    found = w.replay({"color": "only in raw", "layer": "raw"})
    assert (found.missing, w.color, w.layer) == ((), "only in raw", "raw")


def test_regions_of_a_named_embedding_are_pointed_out_in_other_data_alone():
    w = CxgWidget(small(200), restore=False)
    w.sets.add("square", SQUARE)
    assert "drawn in 'umap'" in " ".join(w.replay(w.state, small(100)).notes)
    assert w.replay(w.state, w.dataset).notes == ()


class Texts(HTMLParser):
    """Elements of a page with their attributes, and all its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


@needs_bundle
def test_the_report_shows_both_plots_and_hostile_names_as_text(tmp_path):
    data = small(400)
    data.title = EVIL
    other = MemoryDataset({EVIL: np.arange(50)}, np.eye(50, 1, dtype=np.float32), [EVIL], {EVIL: np.eye(50, 2)})
    other.title = f"other {EVIL}"
    w = CxgWidget(data, color="cell_type", restore=False)
    w.sets.add(EVIL, {"donor name": "d1"})
    w.sets.add(f"{EVIL} 2", "n_counts > 10")
    state = {**w.state, "pinned_genes": [f"{EVIL} 3", EVIL]}
    found = w.replay(state, other, report=tmp_path / "report.html")
    page = Texts((tmp_path / "report.html").read_text(encoding="utf-8"))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("iframe") == tags.count("img") == tags.count("figure") == 2
    assert {"script", "object", "embed", "form", "link", "base"}.isdisjoint(tags)
    assert {name for _, attrs in page.tags for name in attrs if name.startswith("on")} == {"onload"}
    policy = next(attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv"))
    assert policy.startswith("default-src 'none'; script-src 'unsafe-hashes' 'sha256-")
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    for words in (EVIL, f"other {EVIL}", f"{EVIL} 2", found.summary):
        assert re.sub(r"\s+", " ", words) in re.sub(r"\s+", " ", page.text)
    srcdocs = [attrs["srcdoc"] for tag, attrs in page.tags if tag == "iframe"]
    assert all(one.startswith("<!doctype html>") for one in srcdocs)


@needs_bundle
def test_a_report_is_bounded_whatever_the_number_of_cells(tmp_path, monkeypatch):
    from cxg_widget.replay import page

    w = CxgWidget(small(60_000), color="cell_type", restore=False)
    w.replay(w.state, small(200), report=tmp_path / "whole.html")
    monkeypatch.setattr(page, "EMBEDDED_BYTES", 700_000)
    w.replay(w.state, small(200), report=tmp_path / "less.html")
    whole, less = ((tmp_path / name).stat().st_size for name in ("whole.html", "less.html"))
    assert whole > 1_500_000 > less


def test_the_command_prints_what_fits_and_writes_the_report(tmp_path, capsys):
    w = CxgWidget(opened(A), color="kind", restore=False)
    w.sets.add("ab", {"kind": ["a", "b"]})
    w.sets.add("deep", "depth > 50")
    (tmp_path / "analysis.json").write_text(json.dumps(w.state))
    for name, frame in (("a", A), ("b", B)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    command = ["replay", str(tmp_path / "analysis.json"), str(tmp_path / "b.csv")]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "no obs column or gene 'depth'" in printed
    assert re.search(rf"set +ab +- +{len(B)}\n", printed)
    assert main([*command, "--source", str(tmp_path / "a.csv")]) == 0
    assert re.search(rf"set +ab +{A.kind.isin(['a', 'b']).sum()} +{len(B)}\n", capsys.readouterr().out)
    if (STATIC / "file.js").exists():
        assert main([*command, "--report", str(tmp_path / "out.html")]) == 0
        assert "are not known" in (tmp_path / "out.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["{", "[]", '{"colour": "x"}', None])
def test_a_state_that_is_none_is_one_sentence(tmp_path, capsys, text):
    if text is not None:
        (tmp_path / "state.json").write_text(text)
    assert main(["replay", str(tmp_path / "state.json"), str(tmp_path / "none.h5ad")]) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
