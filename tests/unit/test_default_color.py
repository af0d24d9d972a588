"""A color that the dataset offers is shown where nobody says; None is a color like any other: none."""

import json
import time

import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets import Column
from cxg_widget.display.color_target import color_of_itself
from tests.memory import small

OFFERED = "obs:cell_type"


@pytest.fixture
def make():
    made = []

    def build(offered=OFFERED, broken=(), columns=None, **options):
        dataset = small(broken=broken)
        dataset.default_color = offered
        if columns is not None:
            dataset.obs_columns = {column.name: column for column in columns}
        made.append(CxgWidget(dataset, **options))
        return made[-1]

    yield build
    for widget in made:
        widget.close()


def legend(widget):
    return next(widget._session.streams.color()).message


def test_what_is_offered_is_shown_unless_something_or_nothing_is_asked_for(make):
    assert (make().color, legend(make()).spec) == (OFFERED, OFFERED)
    assert (make(color=None).color, legend(make(color=None)).spec) == (None, "")
    assert make(color="CD3E").color == "CD3E"


def test_cell_types_are_shown_where_the_store_offers_nothing_and_are_read_for_that_alone(make):
    w = make(offered=None)
    assert (w.color, legend(w).spec, w.state["color"]) == ("cell_type", "obs:cell_type", "cell_type")
    w = make(offered=None, color=None)
    assert (w.color, legend(w).spec, w.state["color"]) == (None, "", None)
    assert color_of_itself(unread := small()) == "cell_type"
    assert unread.reads == []


NUMBER, FEW = Column("n_counts", "float"), Column("donor", "categorical", 4)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([NUMBER, FEW], None),
        ([Column("leiden", "categorical", 9), Column("author_cell_type", "categorical", 30)], "author_cell_type"),
        ([Column("author_cell_type", "categorical", 9), Column("cell_type", "string")], "cell_type"),
        ([FEW, Column("louvain", "categorical", 9), Column("Leiden", "categorical", 9)], "Leiden"),
        ([Column("cell_type", "categorical", 1), Column("CellType", "categorical", 5)], "CellType"),
        ([Column("cell_type", "categorical", 0), Column("louvain", "categorical", 257)], None),
        ([Column("leiden", "int"), Column("cell_type", "boolean", 2), Column("seurat_clusters", "categorical", 3)],
         "seurat_clusters"),
        ([Column("cell_type_ontology_term_id", "categorical", 9), Column("my_cell_type", "categorical", 9)], None),
    ],
)  # fmt: skip
def test_of_columns_with_the_usual_names_the_best_is_shown_that_divides_the_cells(columns, expected):
    dataset = small()
    dataset.obs_columns = {column.name: column for column in columns}
    assert color_of_itself(dataset) == expected


def test_no_color_set_later_is_no_color(make):
    w = make()
    w.color = None
    assert (w.color, legend(w).spec) == (None, "")


@pytest.mark.parametrize("color", [None, OFFERED, "CD3E", ["CD3E", "MS4A1"]])
@pytest.mark.parametrize("offered", [None, OFFERED, "var:MS4A1"])
def test_state_brings_back_the_same_color_whatever_is_offered(make, color, offered):
    w = make(offered)
    w.color = color
    state = json.loads(json.dumps(w.state))
    assert make(offered, **state).color == color
    other = make(offered, color="n_counts")
    other.state = state
    assert other.color == color
    assert other.state == state


def test_a_state_that_says_nothing_of_color_is_what_the_constructor_shows(make):
    for offered in (OFFERED, None):
        w = make(offered, color="n_counts")
        w.state = {"opacity": 0.5}
        assert w.color == make(offered, opacity=0.5).color == (offered or "cell_type")
    w = make(None, columns=[NUMBER], color="n_counts")
    w.state = {"opacity": 0.5}
    assert w.color is None
    assert "color" not in w.state


def test_categories_of_the_color_on_offer_can_be_hidden_from_the_start(make):
    assert make(hidden=["B cell"]).hidden == ["B cell"]
    with pytest.raises(ValueError, match="no category 'B cel'"):
        make(hidden=["B cel"])


@pytest.mark.parametrize("offered", [OFFERED, None])
def test_a_color_on_offer_that_cannot_be_read_is_dropped_and_the_points_are_shown(make, offered):
    w = make(offered, broken=["obs/cell_type"])
    end = time.monotonic() + 20
    while w.color is not None and time.monotonic() < end:
        time.sleep(0.01)
    assert (w.color, w._session.coloring().target.spec) == (None, "")
    assert next(w._session.streams.points()).message.n_points == 1000
    assert w.state == {"embedding": "umap", "color": None}
