"""Absolute color limits belong to one coloring; a lower limit never lies above the upper one."""

import json

import pytest

from cxg_widget import CxgWidget, errors
from tests.memory import small


@pytest.fixture
def make():
    made = []

    def build(**options):
        made.append(CxgWidget(small(), **{"color": "CD3E", **options}))
        return made[-1]

    yield build
    for widget in made:
        widget.close()


def limits(w):
    return w.vmin, w.vmax, w._session.settings.vmin, w._session.settings.vmax


def test_a_number_stays_behind_with_its_coloring_and_comes_back_with_it(make):
    w = make()
    w.vmin, w.vmax = 0.5, 2
    w.color = "n_counts"
    assert limits(w) == (None, None, None, None)
    w.vmax = 3000.0
    w.color = None
    assert limits(w) == (None, None, None, None)
    w.color = "var:CD3E"  # the same gene by another name
    assert limits(w) == (0.5, 2.0, 0.5, 2.0)
    w.color = "obs:n_counts"
    assert limits(w) == (None, 3000.0, None, 3000.0)


def test_a_number_set_while_no_numbers_are_on_show_is_not_that_of_the_next_coloring(make):
    w = make(color="cell_type", vmax=0.5)
    w.color = "n_counts"
    assert w.vmax is None


def test_a_number_stays_behind_with_a_statistic_that_has_another_unit(make):
    w = make(vmax=2.0)
    w.statistic = "std"
    assert w.vmax is None
    w.vmax = 0.1
    w.statistic = "sum"
    assert w.vmax is None
    w.statistic = "mean"  # of cells, as "auto" is
    assert w.vmax == 2.0
    w.statistic = "std"
    assert w.vmax == 0.1


def test_percentiles_stay_across_colors_and_lie_beneath_numbers(make):
    w = make(vmin="p1", vmax="p99")
    w.color = "MS4A1"
    assert (w.vmin, w.vmax) == ("p1", "p99")
    w.vmax = 2.0
    w.color = "n_counts"
    assert (w.vmin, w.vmax) == ("p1", "p99")
    w.vmin = None
    w.color = "MS4A1"
    assert (w.vmin, w.vmax) == (None, 2.0)
    w.vmax = None
    w.color = "CD3E"
    assert (w.vmin, w.vmax) == (None, None)


def test_a_color_from_the_front_end_brings_its_limits_and_the_front_end_is_told(make, monkeypatch):
    w, told = make(vmax=2.0), []
    send = w.send_state
    monkeypatch.setattr(w, "send_state", lambda key=None: (told.append(key), send(key)))
    w.comm = w.comm or object()
    w.set_state({"color": "var:MS4A1"})
    assert (w.color, w.vmax) == ("var:MS4A1", None)
    assert "vmax" in told
    w.set_state({"vmax": 1.0})
    w.set_state({"color": "CD3E"})
    assert w.vmax == 2.0
    w.color = "MS4A1"
    assert w.vmax == 1.0


@pytest.mark.parametrize("vmax", [0.5, "p90"])
def test_a_color_and_limits_that_are_set_together_belong_together(make, vmax):
    assert make(color="n_counts", vmax=vmax).vmax == vmax
    w = make(vmin=0.75, vmax=2.0)
    w.state = {"color": "n_counts", "vmax": vmax}
    assert (w.color, w.vmin, w.vmax) == ("n_counts", None, vmax)
    w.color = "CD3E"
    assert (w.vmin, w.vmax) == (0.75, 2.0)
    with w.hold_trait_notifications():
        w.vmax = 300.0
        w.color = "n_counts"
        w.vmin = 100.0
    assert limits(w) == (100.0, 300.0, 100.0, 300.0)
    w.color = "CD3E"
    assert (w.vmin, w.vmax) == (0.75, 2.0)


def test_state_moves_both_limits_past_those_of_before_and_round_trips_what_is_on_show(make):
    w = make(vmin=0.5, vmax=1.0)
    for low, high in ((2.0, 3.0), (0.1, 0.2)):
        w.state = {"color": "CD3E", "vmin": low, "vmax": high}
        assert (w.vmin, w.vmax) == (low, high)
        state = json.loads(json.dumps(w.state))
        assert make(**state).state == w.state


def test_limits_of_a_color_that_fails_are_not_those_of_the_one_that_stays(make):
    w = CxgWidget(small(broken=["X/MS4A1"]), color="CD3E", vmax=2.0)
    with pytest.raises(errors.DamagedStore):
        w.color = "MS4A1"
    assert (w.color, w.vmax) == ("CD3E", 2.0)
    w.close()


CROSSED = [
    ({"vmin": 2}, {"vmax": 1}, r"vmin must not lie above vmax; found 2\.0 above 1\.0"),
    ({"vmax": 1}, {"vmin": 1.5}, r"found 1\.5 above 1\.0"),
    ({"vmin": "p60"}, {"vmax": "p40"}, "found 'p60' above 'p40'"),
    ({"vmax": -1}, {"vmin": "p1"}, r"found 'p1' \(0\) above -1\.0"),
    ({"vmin": 1e6}, {"vmax": "p99"}, r"found 1000000\.0 above 'p99' \(\d"),
]


@pytest.mark.parametrize(("first", "second", "sentence"), CROSSED)
def test_a_lower_limit_above_the_upper_one_is_refused_and_changes_nothing(make, first, second, sentence):
    with pytest.raises(errors.InvalidValue, match=sentence):
        make(**first, **second)
    w = make(**first)
    before = w.state
    (name, value), *_ = second.items()
    with pytest.raises(errors.InvalidValue, match=sentence):
        setattr(w, name, value)
    assert w.state == before
    with pytest.raises(errors.InvalidValue, match=sentence):
        w.state = {"color": "CD3E", **first, **second}
    assert w.state == before


def test_crossed_limits_of_the_front_end_are_said_there_and_set_back(make, monkeypatch):
    w, said, told = make(vmax=1.0), [], []
    monkeypatch.setattr(w._exchange, "fail", lambda of, error: said.append((of, str(error))))
    monkeypatch.setattr(w, "send_state", lambda key: told.extend([key]))
    w.set_state({"vmin": 2})
    assert (w.vmin, w.vmax, told) == (None, 1.0, ["vmin"])
    assert [of for of, _ in said] == ["setting"]
    assert "vmin must not lie above vmax" in said[0][1]
    w.set_state({"vmin": 2, "vmax": 3})
    assert (w.vmin, w.vmax) == (2.0, 3.0)


def test_a_percentile_that_would_cross_the_number_of_a_coloring_is_not_for_that_one(make):
    w = make(vmin=1.0)
    w.color = "n_counts"
    w.vmax = "p10"  # of CD3E that is 0
    w.color = "CD3E"
    assert (w.vmin, w.vmax) == (1.0, None)
    w.color = "n_counts"
    assert (w.vmin, w.vmax) == (None, "p10")


def test_a_limit_is_shared_and_kept_by_a_list_of_genes_as_by_one(make):
    w = make(color=["CD3E", "DENSE"])
    w.vmax = "p90"  # a percentile is of any coloring
    w.color = "n_counts"
    assert w.vmax == "p90"
    w.color = ["CD3E", "DENSE"]
    w.vmin = 0.5
    w.opacity = 0.3
    assert limits(w) == (0.5, "p90", 0.5, "p90")
    w.color = "n_counts"
    assert w.vmin is None
    w.color = ("CD3E", "DENSE")
    assert w.vmin == 0.5


def test_a_centre_stays_behind_with_its_coloring_and_does_not_go_with_limits_that_exclude_it(make):
    w = make(center=1.0)
    w.color = "n_counts"
    assert w.center is None
    w.color = "CD3E"
    assert w.center == 1.0
    with pytest.raises(ValueError, match="center must lie between vmin and vmax"):
        w.vmax = 0.5
    assert (w.vmax, w.center) == (None, 1.0)
    with pytest.raises(ValueError, match="vmin must lie above 0 where scale is 'log'"):
        make(vmin=0.0, scale="log")
    assert CxgWidget(small(), **w.state).state == w.state
