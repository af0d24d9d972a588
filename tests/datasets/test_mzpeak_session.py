"""The widget's work on an mzPeak: colors, search, selections, and the aggregated map of all peaks."""

from __future__ import annotations

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.cli.main import main
from cxg_widget.datasets import open_dataset
from cxg_widget.display.settings import Settings
from cxg_widget.errors import UnknownName
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.datasets.make_mzpeak import make_mzpeak, make_run, peaks_truth
from tests.stills import still_png
from tests.unit.test_encoding import decode


@pytest.fixture(scope="module")
def run():
    return make_run()


@pytest.fixture(scope="module")
def path(run, tmp_path_factory):
    return make_mzpeak(tmp_path_factory.mktemp("mz") / "a.mzpeak", run, "delta", rows_per_group=60)


def chromatogram(run, low, high):
    peaks = run.peaks()
    inside = peaks[peaks["mz"].between(low, high)]
    return np.bincount(inside["row"], inside["intensity"], minlength=len(run.meta))


def test_a_window_colors_the_spectra(path, run):
    with open_dataset(path) as dataset:
        session = Session(dataset, Settings(embedding="base_peak_mz", color="mz:445.12+-0.02"))
        legend, *chunks = session.streams.color()
        truth = chromatogram(run, 445.10, 445.14)
        assert (legend.message.name, legend.message.detail) == ("m/z 445.12 ± 0.02 Th", "mz:445.12+-0.02")
        assert legend.message.spec == "var:mz:445.12+-0.02"
        assert legend.message.hi == pytest.approx(truth.max())
        codes = decode(chunks, dataset.n_obs).astype(float)
        found = legend.message.lo + codes / 65534 * (legend.message.hi - legend.message.lo)
        np.testing.assert_allclose(found, truth[session.held.order.rows], atol=truth.max() / 65534)


def test_the_widget_colors_selects_and_answers(path, run):
    w = CxgWidget(path)
    try:
        w.color = "mz:445.12+-0.02"
        assert w.color == "mz:445.12+-0.02"
        w.color = ["mz:445.12", "mz:810.4155"]
        w.color = "ms_level"
        with pytest.raises(
            UnknownName, match=r"'mz:445\.12\+-' is not an m/z window.*write mz:445\.12, mz:445\.12\+-0\.02"
        ):
            w.color = "mz:445.12+-"
        with pytest.raises(UnknownName, match="not a number above 0"):
            w.color = "var:mz:x"
        assert w.color == "ms_level"
        w.select(polygon=[[0, 0], [5, 0], [5, 2000], [0, 2000]])
        inside = run.meta["retention_time"].between(0, 5).to_numpy()
        np.testing.assert_array_equal(w.selection.mask, inside)
        assert w.selection.obs(["charge"]).index.tolist() == run.meta.index[inside].tolist()
        w.select(query="ms_level == 2 and precursor_mz > 600")
        expected = (run.meta["ms_level"] == 2) & (run.meta["precursor_mz"] > 600)
        assert len(w.selection) == expected.sum()
    finally:
        w.close()


def test_search_offers_what_a_query_means(path):
    with open_dataset(path) as dataset:
        session = Session(dataset)
        for query in ("mz:445.2+-0.05", "445.2"):
            (frame,) = session.answer(p.Search(query, 10))
            assert frame.message.matches[0]["kind"] == "var"
            assert frame.message.matches[0]["spec"].startswith("var:mz:445.2")
        (frame,) = session.answer(p.Search("445.12", 10))
        specs = [match["spec"] for match in frame.message.matches]
        found = [dataset.find_var(spec.removeprefix("var:")) for spec in specs if spec.startswith("var:")]
        assert found.count(dataset.find_var("mz:445.12")) == 1
        (frame,) = session.answer(p.Search("level", 10))
        assert [match["spec"] for match in frame.message.matches] == ["obs:ms_level"]


@pytest.mark.parametrize("render", ["points", "raster"])
def test_all_peaks_are_drawn_and_selected(path, run, render):
    truth = peaks_truth(run, "delta").obs
    with open_dataset(path, observations="peaks") as dataset:
        session = Session(dataset, Settings(embedding="peaks", color="log1p_intensity", render=render))
        session.prepare()
        view = (0.0, 10.0, 100.0, 1000.0)
        assert still_png(session, view, (60, 40))[1:4] == b"PNG"
        if render == "raster":
            frames = list(
                session.answer(
                    p.Aggregate(view=list(view), width=60, height=40, diameter=1.0, highlighted=-1, dark=False)
                )
            )
            assert frames[0].message.kind in ("image", "cells")
        list(session.answer(p.Lasso(polygon=[2, 300, 6, 300, 6, 700, 2, 700], mode="replace")))
        inside = truth["retention_time"].between(2, 6) & truth["mz"].between(300, 700)
        np.testing.assert_array_equal(session.mask, inside)
        obs = session.selected.obs(["mz", "ms_level"])
        np.testing.assert_array_equal(obs["mz"], truth["mz"][inside])


def test_inspect_says_what_the_store_holds(path, capsys):
    assert main(["inspect", str(path)]) in (None, 0)
    told = capsys.readouterr().out
    assert "40 obs x 5 var" in told
    assert "base_peak_mz (2) *" in told
