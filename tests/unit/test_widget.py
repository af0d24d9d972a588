"""Laws of the widget seen from Python: traits, selections, state, failures; the comm is a list."""

import json
import re
import threading

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget, errors
from cxg_widget.datasets import Dataset
from cxg_widget.widget.traits import WidgetTraits
from cxg_widget.wire import protocol as p
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import make_truth
from tests.memory import small


class Recorder:
    """Stands in for the front-end: keeps what is sent, waits for the threads."""

    def __init__(self, widget, monkeypatch):
        self.sent = []
        self._widget = widget
        send = lambda content, buffers=None: self.sent.append((content, buffers))  # noqa: E731
        widget._exchange._send = send

    def settle(self):
        for future in list(self._widget._exchange.jobs._waiting.values()):
            if not future.cancelled():
                future.result()
        return self

    @property
    def kinds(self):
        return [content["kind"] for content, _ in self.settle().sent]

    def ask(self, **request):
        self._widget._handle_custom_msg({"id": 5, **request}, [])
        return self.settle()


@pytest.fixture
def make(monkeypatch):
    made = []

    def build(dataset=None, **options):
        widget = CxgWidget(dataset or small(), **options)
        made.append(widget)
        widget.front = Recorder(widget, monkeypatch)
        return widget

    yield build
    for widget in made:
        widget.close()


def test_a_widget_shows_the_default_embedding_and_no_color_where_none_is_wanted(make):
    w = make(color=None)
    assert (w.embedding, w.color, w.axes, w.view, w.n_selected) == ("umap", None, [0, 1], None, 0)
    assert len(w.selection) == 0


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"colour": "cell_type"}, r"^CxgWidget has no option 'colour'\. Did you mean 'color'\?$"),
        ({"xyzzy": 3}, r"^CxgWidget has no option 'xyzzy'\. help\(CxgWidget\) and help\(open_dataset\) list them\.$"),
        ({"pointsize": 3}, "Did you mean 'point_size'"),
    ],
)
def test_an_unknown_keyword_is_a_type_error_that_names_the_nearest(option, sentence):
    with pytest.raises(TypeError, match=sentence):
        CxgWidget(small(), **option)


@pytest.mark.parametrize(("name", "meant"), [("colour", "color"), ("pointsize", "point_size"), ("v_max", "vmax")])
def test_a_misspelt_trait_is_a_type_error_that_names_the_right_one(make, name, meant):
    w = make()
    with pytest.raises(TypeError, match=f"no trait '{name}'. Did you mean '{meant}'"):
        setattr(w, name, "cell_type")
    assert not hasattr(w, name)
    w.note_of_mine = "kept"
    assert w.note_of_mine == "kept"


def test_a_widget_says_what_it_shows(make):
    w = make(color="CD3E")
    assert repr(w) == "<CxgWidget 'memory': 1,000 obs, umap, color 'CD3E'>"
    w.color = None
    assert repr(w) == "<CxgWidget 'memory': 1,000 obs, umap, color None>"


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"color": "cell_typ"}, "Did you mean 'cell_type'"),
        ({"color": "obs:CD3E"}, "no obs column 'CD3E'"),
        ({"color": "var:n_counts"}, "n_counts"),
        ({"color": ["CD3E", "nope"]}, "nope"),
        ({"color": 5}, "color must be"),
        ({"color": []}, "color must be"),
        ({"embedding": "umpa"}, "Did you mean 'umap'"),
        ({"embedding": 3}, "no embedding 3"),
        ({"axes": (0, 2)}, "axes must be two numbers from 0 to 1"),
        ({"axes": "ab"}, "axes must be"),
        ({"layer": "raw"}, "no layer 'raw'"),
        ({"cmap": "virdis"}, "Did you mean 'viridis'"),
        ({"palette": "okabe"}, "okabe-ito"),
        ({"palette": ["nocolour"]}, "'nocolour' is no color"),
        ({"vmax": "99"}, "percentile like 'p99'"),
        ({"vmin": float("nan")}, "percentile like 'p99'"),
        ({"point_size": -1}, "point_size must be a number from"),
        ({"opacity": 2}, "opacity must be a number from 0 to 1"),
        ({"tool": "laso"}, "Did you mean 'lasso'"),
        ({"view": [0, 1]}, "view must be"),
        ({"view": [1, 0, 0, 1]}, "view must be"),
        ({"height": 5}, "height must be a number from 120"),
        ({"panel_width": 20}, "panel_width must be a number from 160 to 800; found 20"),
        ({"wheel_zoom": 1}, "wheel_zoom must be True or False; found 1"),
        ({"hidden": "B cell"}, "hidden must be a list"),
    ],
)
def test_a_wrong_value_is_a_value_error_in_the_constructor_and_later_and_changes_nothing(make, option, sentence):
    with pytest.raises(ValueError, match=sentence):
        CxgWidget(small(), **option)
    w = make(color="cell_type", vmax="p99")
    before = w.state
    (name, value), *_ = option.items()
    with pytest.raises(ValueError, match=sentence):
        setattr(w, name, value)
    assert w.state == before


def test_color_is_sent_once_per_change_and_nothing_else_is(make):
    w = make(color=None)
    w.color = "cell_type"
    assert w.front.kinds == ["color", "codes"]
    w.color = "CD3E"
    assert w.front.kinds[2:] == ["color", "nonzeros"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("vmax", "p99"), ("vmin", 0.5), ("cmap", "magma"), ("opacity", 0.3), ("point_size", 4), ("tool", "lasso"),
     ("view", [0, 1, 0, 1]), ("hidden", ["B cell"]), ("height", 400), ("wheel_zoom", False), ("panel_width", 300)],
)  # fmt: skip
def test_what_the_shader_can_do_alone_sends_no_data(make, name, value):
    w = make(color="cell_type")
    setattr(w, name, value)
    assert w.front.kinds == []


def test_a_palette_change_sends_colors_not_codes(make):
    w = make(color="cell_type")
    w.palette = ["red", "#00f", (0.0, 1.0, 0.0)]
    assert w.front.kinds == ["palette"]
    assert w.front.sent[0][0]["colors"] == ["#ff0000", "#0000ff", "#00ff00"]


def test_a_palette_of_other_categories_is_refused_with_the_nearest_and_the_last_one_stays(make):
    w = make(color="cell_type", palette={"B cell": "blue"})
    with pytest.raises(ValueError, match=r"^palette: no category 'Tcell'; 'cell_type' has .* Did you mean 'T cell'\?$"):
        w.palette = {"Tcell": "red"}
    assert w.palette == {"B cell": "#0000ff"}
    with pytest.raises(ValueError, match="no category 'yes'"), w.hold_trait_notifications():
        w.color, w.palette = "is_doublet", {"yes": "red"}
    assert (w.color, w.palette) == ("cell_type", {"B cell": "#0000ff"})


def test_a_palette_with_some_other_categories_is_taken_with_a_warning_where_it_was_written(make):
    w = make(color="cell_type")
    with pytest.warns(UserWarning, match="palette: no category 'Tcell'.* Did you mean 'T cell'") as said:
        w.palette = {"B cell": "red", "Tcell": "blue"}
    with pytest.warns(UserWarning, match="palette: no category 'Tcell'") as said_again:
        CxgWidget(small(), color="cell_type", palette={"Tcell": "blue"}).close()
    told = [one for one in [*said, *said_again] if one.category is UserWarning]  # older traitlets deprecate their own
    assert [one.filename for one in told] == [__file__] * 2
    assert w.palette == {"B cell": "#ff0000", "Tcell": "#0000ff"}


@pytest.mark.filterwarnings("error::UserWarning")
def test_a_palette_waits_for_its_coloring_and_a_state_brings_it_back(make):
    w = make()
    w.palette = {"T cell": "red"}
    w.color = "CD3E"
    w.palette = {"T cell": "#00ff00"}
    for color in ("is_doublet", "cell_type"):
        w.color = color
        state = w.state
        other = make()
        other.state = state
        assert other.state == state
    assert w.front.sent[-2][0]["colors"][0] == "#00ff00"
    w.palette = {}


def test_switching_the_embedding_sends_its_points_and_resets_axes_and_view(make):
    w = make(embedding="pca", axes=(3, 4), view=[0, 1, 0, 1])
    w.embedding = "X_umap"
    assert (w.embedding, w.axes, w.view) == ("umap", [0, 1], None)
    assert set(w.front.kinds) == {"points"}
    assert w.front.sent[-1][0]["embedding"] == "umap"


def test_a_failure_from_python_is_raised_where_it_was_caused_and_the_last_color_stays(make):
    w = make(small(broken=["X/CD3E"]), color="MS4A1")
    with pytest.raises(errors.DamagedStore, match="X/CD3E"):
        w.color = "CD3E"
    assert w.color == "MS4A1"
    assert w.front.kinds == []
    with pytest.raises(errors.DamagedStore, match="X/CD3E"):
        CxgWidget(small(broken=["X/CD3E"]), color="CD3E")


def test_a_failure_from_the_front_end_is_said_there_and_set_back(make):
    w = make(small(broken=["X/CD3E"]), color="MS4A1")
    w.set_state({"color": "var:CD3E"})
    w.front.settle()
    w.front.settle()
    said = [content for content, _ in w.front.sent if content["kind"] == "error"]
    assert said[0]["type"] == "DamagedStore"
    assert "X/CD3E" in said[0]["message"]
    assert w.color == "MS4A1"


def test_a_failing_embedding_leaves_the_one_on_show_though_the_view_was_moved(make):
    w = make(small(broken=["emb/pca"]), view=[0.0, 1.0, 0.0, 1.0])
    shown = w.embedding
    assert shown != "pca"
    w.set_state({"embedding": "pca"})
    w.front.settle()
    w.front.settle()
    assert [content["of"] for content, _ in w.front.sent if content["kind"] == "error"] == ["points"]
    assert w.embedding == shown


def test_an_invalid_value_from_the_front_end_is_said_there_and_changes_nothing(make):
    w = make(color="cell_type")
    w.set_state({"color": "no such thing"})
    assert w.color == "cell_type"
    assert w.front.kinds == ["error"]


def set_together(widget, values):
    with widget.hold_trait_notifications():
        for name, value in values.items():
            setattr(widget, name, value)


def test_changes_held_together_are_all_taken_back_when_one_is_wrong(make):
    w = make(small(broken=["X/CD3E"]), color="MS4A1")
    before = w.state
    for wrong in ({"color": "zzz"}, {"cmap": "zzz"}, {"color": "CD3E"}):
        with pytest.raises(errors.CxgWidgetError):
            set_together(w, {"opacity": 0.5, **wrong})
        assert w.state == before
    with pytest.raises(errors.DamagedStore):
        w.state = {"color": "CD3E", "cmap": "magma"}
    for wrong in (5, ["color"], '{"color": "MS4A1"}'):
        with pytest.raises(errors.InvalidValue, match="state must be a dict"):
            w.state = wrong
    assert w.state == before


def test_select_takes_masks_rows_labels_polygons_and_queries_in_four_modes(make):
    w = make()
    frame = w.dataset.obs()
    assert w.select(np.arange(1000) < 10).rows.tolist() == list(range(10))
    assert w.select([20, 21], "add").rows.tolist() == [*range(10), 20, 21]
    assert w.select(["cell 0", "cell 20"], "subtract").rows.tolist() == [*range(1, 10), 21]
    assert w.select(query="n_genes >= 0", mode="intersect").rows.tolist() == [*range(1, 10), 21]
    assert w.n_selected == 10
    expected = np.flatnonzero((frame["cell_type"] == "B cell").to_numpy())
    np.testing.assert_array_equal(w.select(query="cell_type == 'B cell'").rows, expected)
    expected = np.flatnonzero((frame["cell_type"] == "B cell") & frame["donor name"].isin(["d1", "d2"]))
    np.testing.assert_array_equal(w.select({"cell_type": "B cell", "donor name": ["d1", "d2"]}).rows, expected)
    everything = [[-99, -99], [99, -99], [99, 99], [-99, 99]]
    assert len(w.select(polygon=everything)) == 1000
    w.clear_selection()
    assert (len(w.selection), w.n_selected) == (0, 0)


@pytest.mark.parametrize(
    "call",
    [{}, {"what": [1], "query": "n_genes > 1"}, {"what": [5000]}, {"query": "nope > 1"}, {"polygon": [[0, 0]]},
     {"what": {"cell_type": "no such"}}, {"what": "B cell"}],
)  # fmt: skip
def test_a_selection_that_cannot_be_made_leaves_the_last_one(make, call):
    w = make()
    w.select([1, 2, 3])
    with pytest.raises((errors.SelectionError, errors.UnknownName)):
        w.select(**call)
    with pytest.raises(ValueError, match="no selection mode 'xor'"):
        w.select([1], "xor")
    assert w.selection.rows.tolist() == [1, 2, 3]


def test_a_column_given_as_a_keyword_is_answered_with_the_dict(make):
    with pytest.raises(TypeError, match=r"select\(\{'cell_type': 'B cell'\}\)"):
        make().select(cell_type="B cell")


def test_genes_of_the_selection_are_those_of_the_layer_on_show(tmp_path):
    truth = make_truth()
    path = make_anndata(tmp_path, truth, layers={"doubled": (2 * truth.X, "csr")})
    for layer, factor in ((None, 1), ("doubled", 2)):
        w = CxgWidget(path, layer=layer)
        found = w.select([3, 5]).obs([truth.var_labels[0]])
        np.testing.assert_array_equal(found.iloc[:, 0], factor * truth.X[[3, 5], 0])
        w.close()


def test_the_selection_comes_back_as_pandas_holds_it(make):
    w = make()
    w.select(query="is_doublet")
    frame = w.dataset.obs()
    expected = frame[frame["is_doublet"]]
    found = w.selection.obs()
    assert found.equals(expected)
    assert found.index.name == "cell_id"
    assert found["cell_type"].dtype == frame["cell_type"].dtype
    assert list(w.selection.obs(["n_genes", "cell_type"]).columns) == ["n_genes", "cell_type"]


def test_callbacks_hear_of_each_change_until_removed(make):
    w, heard = make(), []
    callback = lambda cells: heard.append(len(cells))  # noqa: E731
    w.on_selection(callback)
    w.select([1, 2])
    w.clear_selection()
    w.front.ask(kind="lasso", polygon=[-99, -99, 99, -99, 99, 99, -99, 99], mode="replace")
    w.on_selection(callback, remove=True)
    w.select([1])
    assert heard == [2, 0, 1000]


def test_widgets_that_select_what_the_other_selects_call_each_other_once(make):
    a, b, calls = make(), make(), []

    def follow(source, target):
        source.on_selection(lambda cells: (calls.append(target), target.select(cells.mask)))

    follow(a, b)
    follow(b, a)
    a.select([1, 2])
    b.select([3])
    assert [one is b for one in calls] == [True, False, False, True]
    assert a.selection.rows.tolist() == b.selection.rows.tolist() == [3]


def test_observe_hears_of_traits(make):
    w, heard = make(), []
    w.observe(lambda change: heard.append((change["name"], change["new"])), ["color", "n_selected"])
    w.color = "CD3E"
    w.select([4])
    assert heard == [("color", "CD3E"), ("n_selected", 1)]


def test_state_is_small_json_that_rebuilds_the_view(make):
    assert make().state == {"embedding": "umap", "color": "cell_type"}
    state = {"embedding": "pca", "axes": [1, 3], "color": ["CD3E", "MS4A1"], "vmax": "p99", "cmap": "magma",
             "point_size": 3.0, "opacity": 0.5, "tool": "lasso", "view": [0.0, 1.0, -1.0, 1.0],
             "height": 400, "panel_width": 300, "wheel_zoom": False}  # fmt: skip
    w = make(**state)
    assert json.loads(json.dumps(w.state)) == state
    assert len(json.dumps(w.state)) < 1000
    assert make(**json.loads(json.dumps(w.state))).state == state
    other = make(color="cell_type", hidden=["B cell"])
    assert other.state["hidden"] == ["B cell"]
    other.state = state
    assert other.state == state


@pytest.mark.parametrize(
    ("color", "hidden", "sentence"),
    [("cell_type", ["B cell", "T cel"], "no category 'T cel'; .* Did you mean 'T cell'"),
     ("CD3E", ["B cell"], "hidden must be \\[\\] while the points are not colored by categories"),
     (None, [p.MISSING_LABEL], "hidden must be")],
)  # fmt: skip
def test_only_categories_on_show_can_be_hidden_from_python(make, color, hidden, sentence):
    w = make(color=color)
    for act in (
        lambda: setattr(w, "hidden", hidden),
        lambda: setattr(w, "state", {"color": color, "hidden": hidden}),
        lambda: make(color=color, hidden=hidden),
    ):
        with pytest.raises(ValueError, match=sentence):
            act()
        assert w.state == make(color=color).state


@pytest.mark.parametrize("hidden", [["B cell", p.MISSING_LABEL], ("T cell",), []])
def test_categories_on_show_and_the_missing_can_be_hidden(make, hidden):
    w = make(color="cell_type")
    w.hidden = hidden
    assert w.hidden == list(hidden)
    assert make(**w.state).hidden == list(hidden)


def test_a_new_color_shows_all_its_categories_unless_some_are_hidden_with_it(make):
    w = make(color="cell_type", hidden=["B cell"])
    w.color = "is_doublet"
    assert w.hidden == []
    w.hidden = ["True"]
    with w.hold_trait_notifications():
        w.color = "cell_type"
        w.hidden = ["T cell"]
    assert (w.color, w.hidden) == ("cell_type", ["T cell"])


def test_names_of_genes_are_read_ahead_once_points_are_drawn(make, monkeypatch):
    asked = threading.Event()
    monkeypatch.setattr(Dataset, "read_names", lambda dataset: asked.set())
    w = make()
    assert not asked.wait(0.1)
    w.front.ask(kind="begun")
    assert asked.wait(10)


def test_what_hovering_tells_is_read_ahead_once_somebody_hovers(make, monkeypatch):
    asked = threading.Event()
    monkeypatch.setattr(Dataset, "hold", lambda dataset, columns, *, index: asked.set())
    w = make()
    assert not asked.wait(0.1)
    w.front.ask(kind="hover", x=0.0, y=0.0, radius_x=1.0, radius_y=1.0)
    assert asked.wait(10)


def test_read_only_traits_stay_so(make):
    with pytest.raises(Exception, match="read-only"):
        make().n_selected = 5


def test_requests_are_answered_with_their_id(make):
    w = make(color="cell_type")
    front = w.front.ask(kind="ready", version=p.VERSION)
    assert front.kinds == ["dataset", "color", "points", "codes"]
    assert {content["id"] for content, _ in front.sent} == {5}


def test_a_front_end_of_another_version_is_told_in_one_sentence(make):
    (content, _), *more = make().front.ask(kind="ready", version=1).sent
    assert (content["kind"], content["id"], more) == ("error", 5, [])
    assert "speaks version 1 of the messages, the kernel 2; reload the page" in content["message"]


def test_a_message_that_breaks_the_schema_is_answered_with_one_sentence(make):
    front = make().front.ask(kind="hover", x=1)
    assert front.kinds == ["error"]
    assert "lacks the field" in front.sent[0][0]["message"]


def test_at_most_forty_two_traits_are_synced(make):
    own = [name for name in CxgWidget.class_traits(sync=True) if not name.startswith(("_view", "_model", "_dom"))]
    assert len(WidgetTraits.class_own_traits(sync=True)) <= 42
    assert len(own) <= 45


def test_no_trait_holds_data_of_the_cells(make):
    w = make(color="cell_type")
    w.select(np.ones(1000, dtype=bool))
    state = {key: value for key, value in w.get_state().items() if key not in ("_esm", "_css")}
    assert len(json.dumps(state, default=str)) < 3000


def test_the_mimebundle_holds_a_picture_and_no_data(make):
    bundle = make(color="cell_type")._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert re.match("iVBOR", data["image/png"])
    assert "application/vnd.jupyter.widget-view+json" in data


def test_a_given_dataset_stays_open_and_one_the_widget_opened_is_closed():
    data = small()
    w = CxgWidget(data)
    w.close()
    assert not data.closed


def test_after_close_every_setting_and_selecting_says_so(make):
    w = make(color="CD3E")
    w.close()
    for name, value in [("color", "MS4A1"), ("palette", "tab10"), ("cmap", "magma"), ("embedding", "pca")]:
        with pytest.raises(errors.ClosedDataset, match="this widget of memory was closed"):
            setattr(w, name, value)
    for select in (lambda: w.select([1, 2]), w.clear_selection):
        with pytest.raises(errors.ClosedDataset, match="this widget of memory was closed"):
            select()
    assert w.state == {"embedding": "umap", "color": "CD3E"}


def test_a_closed_dataset_cannot_be_shown():
    data = small()
    data.close()
    with pytest.raises(errors.ClosedDataset, match="memory was closed"):
        CxgWidget(data)


@pytest.mark.parametrize("name", ["axes", "cmap", "tool", "height", "panel_width", "wheel_zoom", "hidden"])
def test_none_is_refused_where_it_means_nothing(make, name):
    w = make()
    before = getattr(w, name)
    with pytest.raises(ValueError, match=f"{'colormap' if name == 'cmap' else name}.* None"):
        setattr(w, name, None)
    assert getattr(w, name) == before


def test_none_as_embedding_means_the_default_one(make):
    w = make(embedding="pca")
    w.embedding = None
    assert w.embedding == "umap"


@pytest.mark.parametrize("genes", [np.array(["CD3E", "MS4A1"]), pd.Index(["CD3E", "MS4A1"]), ("CD3E", "MS4A1")])
def test_genes_may_come_as_any_list(make, genes):
    w = make()
    w.color = genes
    assert w.color == ["CD3E", "MS4A1"]


def test_a_closed_widget_is_displayed_as_such(make, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    w = make()
    w.close()
    w._ipython_display_()
    assert shown == [{"text/plain": "<CxgWidget 'memory' (closed)>"}]


def test_the_picture_for_readers_without_a_kernel_shows_the_view(make, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    w = make(color="cell_type")
    w._ipython_display_()
    w.view = [0.0, 1.0, 0.0, 1.0]
    w._ipython_display_()
    w.view = None
    w._ipython_display_()
    whole, part, again = (data["image/png"] for data in shown if "image/png" in data)
    assert whole == again != part
