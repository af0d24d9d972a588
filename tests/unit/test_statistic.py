"""Which number a pixel shows: what may be asked for, what is told of the rest, and what a change of it sends."""

import json
import threading
from dataclasses import replace

import numpy as np
import pytest
from datashader import reductions as rd

from cxg_widget import CxgWidget, errors
from cxg_widget.color.paper import PAPERS
from cxg_widget.display.settings import Settings
from cxg_widget.draw.aggregate import by_datashader
from cxg_widget.session.session import Session
from cxg_widget.widget.static_picture import static_picture
from cxg_widget.wire import protocol as p
from tests.memory import small
from tests.stills import still


@pytest.fixture
def make():
    made = []

    def build(n_obs=500, **options):
        made.append(CxgWidget(small(n_obs), **{"color": "n_counts", **options}))
        return made[-1]

    yield build
    for widget in made:
        widget.close()


NAMES = ["auto", "mean", "max", "min", "sum", "std", "var", "count"]
OBJECTS = [
    rd.std("n_genes"), rd.count(), rd.any("CD3E"), rd.where(rd.max("n_counts"), "var:CD3E"), rd.first("n_genes"),
]  # fmt: skip


def id_of(value):
    """Name a case; older reductions have an address for a text, of which each process has another."""
    return value if isinstance(value, str) else getattr(value, "__name__", type(value).__name__)


@pytest.mark.parametrize("value", [*NAMES, *OBJECTS], ids=id_of)
def test_names_and_reductions_to_one_number_are_taken_when_made_and_later(make, value):
    assert make(statistic=value).statistic == value
    later = make()
    later.statistic = value
    assert later.statistic == value
    assert later.get_state()["statistic"] == (value if isinstance(value, str) else repr(value))
    json.dumps(later.get_state()["statistic"])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("avg", "no statistic 'avg'"),
        (rd.std, "no statistic"),
        (3, "no statistic 3"),
        (None, "no statistic None"),
        (rd.std("n_gene"), "n_gene"),
        (rd.std("cell_type"), "must be of numbers"),
        (rd.by("cell_type", rd.count()), "one number for each pixel"),
        (rd.summary(a=rd.count(), b=rd.max("n_counts")), "one number for each pixel"),
        (rd.max_n("n_counts", 3), "one number for each pixel"),
        (rd.mode("n_counts"), "no reduction of points"),
    ],
    ids=id_of,
)
def test_anything_else_is_one_sentence_and_changes_nothing(make, value, said):
    w = make(statistic="sum")
    with pytest.raises(errors.CxgWidgetError, match=said) as caught:
        w.statistic = value
    assert "\n" not in str(caught.value)
    assert w.statistic == w._session.settings.statistic == "sum"
    with pytest.raises(errors.CxgWidgetError, match=said):
        make(statistic=value)


def test_the_page_sends_back_the_name_of_an_object_and_changes_nothing(make):
    w = make(statistic=rd.std("n_genes"))
    w.set_state({"statistic": repr(rd.std("n_genes")), "opacity": 0.5})
    assert (w.statistic, w.opacity) == (rd.std("n_genes"), 0.5)
    w.set_state({"statistic": "max"})
    assert w.statistic == "max"


@pytest.mark.parametrize(
    ("before", "after", "is_sent"),
    [("mean", "std", True), ("std", "max", True), ("std", "sum", False), ("auto", "mean", False)],
)
def test_cells_are_sent_anew_where_who_draws_them_changes_and_not_else(before, after, is_sent):
    session = Session(small(500), Settings(embedding="umap", color="n_counts", statistic=before))
    first = next(frame.message.seq for frame in session.streams.points())
    session.settings = replace(session.settings, statistic=after)
    assert (session.display.number("points") > first) == is_sent


def test_a_static_picture_of_pixels_has_them_in_its_colors_and_says_so():
    session = Session(small(5_000), Settings(embedding="umap", color="n_counts", statistic="sum"))
    image, key = still(session, None, (200, 150), paper=PAPERS["white"])
    assert "sum per pixel" in key.detail
    assert np.ptp(image[..., :3].reshape(-1, 3).astype(int), axis=1).max() > 100


def test_no_static_picture_waits_for_datashader_to_start(monkeypatch):
    session = Session(small(500), Settings(embedding="umap", color="n_counts", statistic="std"))
    monkeypatch.setattr(by_datashader, "_used", threading.Event())
    assert static_picture(session, 120, "a") == {}
    still(session, None, (20, 20), paper=PAPERS["white"])
    assert set(static_picture(session, 120, "a")) >= {"text/html", "image/png"}


def test_the_status_line_is_told_of_the_start_of_datashader_once(monkeypatch):
    told = []
    settings = Settings(embedding="umap", color="n_counts", statistic="std", max_points=100)
    session = Session(small(500), settings, announce=lambda frame: told.append(frame.message))
    monkeypatch.setattr(by_datashader, "_used", threading.Event())
    for _ in range(2):
        list(session.answer(p.Aggregate([-9.0, 9.0, -9.0, 9.0], 20, 20, 1.0, -1, False, statistic="std")))
    assert [(one.of, one.done) for one in told if one.of == "datashader"] == [("datashader", 0.0), ("datashader", 1.0)]
