"""Laws of the message handler: whatever comes, no exception leaves it, and what is told is one sentence of ours."""

import json
import logging
import threading
import warnings
from concurrent.futures import wait
from functools import partial
from itertools import cycle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cxg_widget import CxgWidget, errors, open_dataset
from cxg_widget.datasets.cxg.validation import validate
from cxg_widget.widget.traits import STATE
from cxg_widget.wire import protocol as p
from cxg_widget.wire.protocol import REQUESTS, VERSION
from tests.examples import MORE
from tests.memory import small

numbers = st.one_of(
    st.floats(),
    st.integers(),
    st.sampled_from([2**53, 2**63 - 1, 2**63, -(2**63) - 1, 10**308, 10**309, 1e308, -1e308, 5e-324, 10**20]),
)
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=20), st.just("x" * 400_000), st.binary(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=6), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
    max_leaves=12,
)
deep = st.integers(1, 900).map(lambda levels: json.loads("[" * levels + "]" * levels))
KINDS = [one.kind for one in REQUESTS]
FIELDS = sorted({name for one in REQUESTS for name in one.__dataclass_fields__})
fitting = {
    "version": st.just(VERSION), "polygon": st.lists(numbers, max_size=8), "mode": st.sampled_from(p.Mode.__args__),
    "query": st.text(max_size=8), "view": st.lists(numbers, min_size=3, max_size=4), "dark": st.booleans(),
    "hidden": st.lists(st.text(max_size=4), max_size=2), "density": st.sampled_from(["linear", "log", "eq_hist"]),
    "statistic": st.sampled_from(["mean", "max"]), "width": st.integers(-2, 64), "height": st.integers(-2, 64),
    "panel": st.integers(-1, 1), "of": st.sampled_from(p.Work.__args__),
}  # fmt: skip


@st.composite
def requests(draw):
    """A request with all of its fields, most of them of the right type."""
    cls = draw(st.sampled_from(REQUESTS))
    made = {"kind": cls.kind, "id": draw(st.integers(0, 9))}
    for name in cls.__dataclass_fields__:
        right = fitting.get(name, numbers)
        made[name] = draw(right if draw(st.integers(0, 9)) else st.one_of(anything, deep))
    return made


contents = st.one_of(
    requests(),
    anything,
    deep,
    st.dictionaries(st.sampled_from(["kind", "id", *FIELDS]), st.one_of(anything, st.sampled_from(KINDS))),
)
settings_of_front_end = st.dictionaries(
    st.sampled_from([*STATE, "n_selected", "_snapshot", "tooltip", "no trait"]), st.one_of(anything, deep)
)
envelopes = st.one_of(
    contents.map(lambda content: {"method": "custom", "content": content}),
    settings_of_front_end.map(lambda state: {"method": "update", "state": state}),
    st.fixed_dictionaries(
        {"method": st.sampled_from(["update", "request_state", "custom", "no method"])},
        optional={"state": anything, "content": anything, "buffer_paths": anything},
    ),
    anything,
)


class Told(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.records = []

    def emit(self, record):
        self.records.append(record.getMessage() + str(record.exc_info and record.exc_info[1]))


@pytest.fixture(scope="module", params=["points", "raster"])
def widget(request):
    w = CxgWidget(small(300), color="cell_type", render=request.param)
    yield w
    w.close()


@pytest.fixture
def log():
    handler, names = Told(), ("cxg_widget", "traitlets", "ipywidgets", "Comm")
    for name in names:
        logging.getLogger(name).addHandler(handler)
    yield handler.records
    for name in names:
        logging.getLogger(name).removeHandler(handler)


def receive(widget, data):
    widget._handle_msg({"content": {"data": data}, "buffers": []})


def settle(widget):
    wait([one for one in list(widget._exchange.jobs._waiting.values()) if not one.cancelled()])


@settings(max_examples=25 * MORE, suppress_health_check=list(HealthCheck))
@given(st.lists(envelopes, min_size=1, max_size=3))
def test_whatever_comes_only_sentences_of_ours_are_told_and_all_that_is_sent_is_json(widget, log, messages):
    sent = []
    widget._exchange._send = lambda content, buffers: sent.append(content)
    for data in messages:
        receive(widget, data)
    settle(widget)
    ours = {name for name, one in vars(errors).items() if isinstance(one, type)}
    for content in sent:
        json.dumps(content, allow_nan=False)
        if content["kind"] == "error":
            assert content["type"] in ours
            assert len(content["message"]) < 1_000
    assert log == []
    receive(widget, {"method": "custom", "content": {"kind": "clear", "id": 77}})
    settle(widget)
    assert (sent[-1]["kind"], sent[-1]["id"]) == ("selection", 77)
    assert widget.n_selected == 0


@pytest.mark.parametrize("data", [None, 3, {}, {"method": "update", "state": [1]}, {"method": [], "content": {}}])
def test_a_message_that_is_none_of_a_widget_is_told_and_not_raised(widget, log, data):
    sent = []
    widget._exchange._send = lambda content, buffers: sent.append(content)
    for message in (None, {"content": data}, {"content": {"data": data}, "buffers": []}):
        widget._handle_msg(message)
    assert [content["type"] for content in sent] == ["ProtocolError"] * 3
    assert log == []


def test_a_number_that_javascript_writes_without_a_point_is_a_number(widget):
    sent = []
    widget._exchange._send = lambda content, buffers: sent.append(content)
    edges = [-(10**20), -(10**20), 10**20, -(10**20), 10**20, 10**20, -(10**20), 10**20]
    receive(widget, {"method": "custom", "content": {"kind": "lasso", "id": 1, "polygon": edges, "mode": "replace"}})
    settle(widget)
    assert widget.n_selected == 300
    hover = {"kind": "hover", "id": 2, "x": 10**400, "y": 0, "radius_x": 1, "radius_y": 1}
    receive(widget, {"method": "custom", "content": hover})
    settle(widget)
    assert (sent[-1]["kind"], sent[-1]["type"]) == ("error", "ProtocolError")
    assert "field 'x' of request 'hover' does not fit: 10000" in sent[-1]["message"]


LARGE = {
    "text": "x" * 400_000,
    "list": [["y" * 1_000] * 1_000] * 100,
    "digits": 10**5_000,
    "deep": json.loads("[" * 900 + "]" * 900),
    "array": np.zeros(10**6),
    "mapping": {str(number): "z" * 100 for number in range(10_000)},
}


@pytest.mark.parametrize("name", LARGE)
def test_of_what_was_given_some_hundred_characters_are_repeated(name):
    value, w = LARGE[name], CxgWidget(small(50), color=None)
    for trait in STATE:
        before, told = getattr(w, trait), []
        try:
            setattr(w, trait, value)
        except errors.CxgWidgetError as error:
            told.append(str(error))
        assert all(20 < len(sentence) < 1_000 for sentence in told)
        if told:
            assert getattr(w, trait) == before
        setattr(w, trait, before)
    for ask in (w.select, w.dataset.values, w.dataset.codes, w.selection.obs, open_dataset):
        with pytest.raises(errors.CxgWidgetError) as caught:
            ask(value)
        assert len(str(caught.value)) < 1_000
    w.close()


def test_an_unknown_name_is_repeated_from_its_beginning_and_the_sentence_goes_on():
    with pytest.raises(errors.UnknownName) as caught:
        small(50).codes("CD3" + "x" * 400_000)
    sentence = str(caught.value)
    assert sentence.startswith("no obs column 'CD3xxxxxxxxxx")
    assert "x...x" in sentence
    assert "memory has 'cell_type', 'n_counts'" in sentence
    assert len(sentence) < 500


def test_notes_have_a_length_too():
    data = small(50)
    data._note("a" * 10_000 + " is left out.")
    assert data.notes[0].endswith(" is left out.")
    assert len(data.notes[0]) < 1_000


@pytest.mark.parametrize("view", [[-1e308, 1e308, -1.0, 1.0], [0, 10**400, 0, 1], [0.0, 1e301, 0.0, 1.0]])
def test_a_view_whose_width_no_number_tells_is_refused(view):
    w = CxgWidget(small(50))
    with pytest.raises(errors.InvalidValue, match=r"view must be .* none beyond 1e\+300, or None; found \["):
        w.view = view
    assert w.view is None
    w.close()


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        (np.ones((50, 2), dtype=bool), r"must be one-dimensional; found shape \(50, 2\)"),
        (np.array([[0, 0], [1, 0], [1j, 1]]), "must be real numbers of shape"),
        ([[True, False], [True, True], [False, True]], "must be one-dimensional"),
        ([["0", "0"], ["1", "0"], ["1", "1"]], "must be real numbers"),
    ],
)
def test_what_is_no_polygon_is_not_taken_for_one(what, sentence):
    w = CxgWidget(small(50))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(errors.SelectionError, match=sentence):
            w.select(what)
    assert len(w.selection) == 0
    w.close()


@pytest.mark.parametrize("path", ["/tmp/" + "x" * 400, "/tmp/" + "a/" * 5_000, "x\0y", "/tmp#" + "k" * 5_000])
def test_a_path_that_no_file_can_have_is_not_found(path):
    for ask in (open_dataset, partial(open_dataset, format="cxg"), CxgWidget, validate):
        with pytest.raises(errors.DatasetNotFound) as caught:
            ask(path)
        assert len(str(caught.value)) < 1_000


def test_after_closing_requests_are_not_answered_and_a_job_counts_as_cancelled(log):
    w = CxgWidget(small(50), color=None)
    sent = []
    w._exchange._send = lambda content, buffers: sent.append(content)
    w.close()
    for content in [
        {"kind": "ready", "version": VERSION},
        {"kind": "clear"},
        {"kind": "search", "query": "", "limit": 1},
    ]:
        receive(w, {"method": "custom", "content": {"id": 1, **content}})
    receive(w, {"method": "update", "state": {"color": "CD3E", "opacity": 7}})
    assert w._exchange.jobs.submit("late", sent.clear).cancelled()
    assert w._exchange.jobs.queue("lasso", sent.clear).cancelled()
    w._exchange.jobs.finish("late")
    assert (sent, log, w.color, w.n_selected) == ([], [], None, 0)


@pytest.mark.parametrize("number", range(4))
def test_whoever_sets_and_selects_while_another_thread_closes_hears_that_it_was_closed(log, number):
    w = CxgWidget(small(2_000), render="raster" if number % 2 else "points")
    heard, begun = [], threading.Event()

    def work(act):
        while not heard_closed(act):
            begun.set()

    def heard_closed(act):
        try:
            act()
        except errors.ClosedDataset:
            heard.append("closed")
        except Exception as error:
            heard.append(error)
        else:
            return False
        return True

    colors = cycle(["cell_type", "CD3E", None, "n_counts"])
    acts = [
        lambda: setattr(w, "color", next(colors)),
        lambda: w.select(np.arange(5), mode="add"),
        lambda: w.select(polygon=[(0, 0), (9, 0), (9, 9)]),
        w.clear_selection,
    ]
    threads = [threading.Thread(target=work, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    begun.wait(60)
    for _ in range(20):
        receive(w, {"method": "custom", "content": {"kind": "search", "id": 1, "query": "c", "limit": 5}})
    w.close()
    for thread in threads:
        thread.join(60)
    assert heard == ["closed"] * len(acts)
    assert log == []
