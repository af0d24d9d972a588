"""Laws of cells that the filters leave out and that stay grey: they light the pixels they would, beneath all others."""

import numpy as np
import pytest

from cxg_widget.color.paper import PAPERS
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from cxg_widget.wire.protocol import LEFT_OUT_ALPHA, LEFT_OUT_LABEL
from tests.memory import small
from tests.stills import painter_of, still
from tests.unit.test_many_cells import pixels

N = 4_000
VIEW = [-6.0, 6.0, -6.0, 6.0]
RANGE = {"obs": "n_genes", "range": [2000, None]}
HIDES = {"not": {"obs": "cell_type", "in": ["T cell"]}}
CASES = [
    pytest.param({"color": color, "filters": (RANGE,)}, id=f"{color}")
    for color in (None, "cell_type", "n_counts", "CD3E")
] + [
    pytest.param({"color": "cell_type", "filters": (HIDES,), "hidden": ("T cell",)}, id="the legend alone"),
    pytest.param({"color": "cell_type", "filters": (RANGE, HIDES), "hidden": ("T cell",)}, id="both"),
    pytest.param({"color": "cell_type", "filters": ()}, id="no filter"),
]  # fmt: skip


def session(**settings):
    return Session(small(N), Settings(**{"embedding": "umap", "render": "raster", "max_points": 1_000, **settings}))


def answer(settings, *, size=(90, 80), diameter=1.0, dark=False, view=VIEW, select=None):
    one = session(**settings)
    if select is not None:
        one.select(select)
    now = one.settings
    ask = p.Aggregate(view, *size, diameter, -1, dark, list(now.hidden), filtered=now.filtered)
    return list(one.answer(ask))


def image(settings, **asked):
    (frame,) = answer(settings, **asked)
    found = pixels(frame)
    return found, found[..., -1]


def passing(data, settings):
    mask = np.ones(N, dtype=bool)
    if RANGE in settings["filters"]:
        mask &= data.numbers("n_genes") >= 2000
    if settings.get("hidden"):
        mask &= np.asarray(data.obs(["cell_type"])["cell_type"] != "T cell")
    return mask


def unfiltered(settings):
    return {name: value for name, value in settings.items() if name not in ("filters", "hidden")}


@pytest.mark.parametrize("diameter", [1.0, 4.0])
@pytest.mark.parametrize("settings", CASES)
def test_an_image_lights_the_pixels_that_it_lights_without_any_filter(settings, diameter):
    _, grey = image({**settings, "filtered": "grey"}, diameter=diameter)
    _, everything = image(unfiltered(settings), diameter=diameter)
    np.testing.assert_array_equal(grey > 0, everything > 0)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("settings", CASES)
def test_an_image_is_grey_where_none_passes_and_the_others_lie_above_as_they_are_without_it(settings, dark):
    (with_grey, alpha), (without, before) = (
        image({**settings, "filtered": how}, dark=dark) for how in ("grey", "hide")
    )
    data, lit = small(N), np.zeros((80, 90), dtype=bool)
    xy = data.embedding("umap")[~passing(data, settings)].astype(np.float64)
    inside = (np.abs(xy) < 6).all(axis=1)
    at = np.floor((xy[inside] + 6) / 12 * (90, 80)).astype(int)
    lit[79 - at[:, 1], at[:, 0]] = True
    alone = lit & (before == 0)
    if with_grey.shape[-1] == 3:  # numbers
        assert (with_grey[alone] == (255, 255, LEFT_OUT_ALPHA)).all()
        np.testing.assert_array_equal(with_grey[~alone], without[~alone])
        return
    ground = np.array(PAPERS["dark" if dark else "white"].left_out)
    np.testing.assert_array_equal(with_grey[alone], np.broadcast_to([*ground, 255], (alone.sum(), 4)))
    np.testing.assert_array_equal(with_grey[~lit], without[~lit])
    above = lit & ~alone
    share = before[above, None] / 255
    assert (alpha[lit] == 255).all()
    assert np.abs(with_grey[above, :3] - (without[above, :3] * share + ground * (1 - share))).max(initial=0) <= 1


def test_where_cells_are_dimmed_by_a_selection_the_grey_lies_beside_them():
    mask = np.zeros(N, dtype=bool)
    mask[:400] = True
    settings = {"color": "cell_type", "filters": (RANGE,)}
    (grey, _), (without, before) = (image({**settings, "filtered": how}, select=mask) for how in ("grey", "hide"))
    np.testing.assert_array_equal(grey[before > 0], without[before > 0])
    assert (grey[before == 0, 3] == 255).any()


def test_numbers_of_pixels_leave_the_others_grey_beside_them(plain_datashader):
    pytest.importorskip("datashader")
    settings = {"color": "n_counts", "statistic": "std", "filters": (RANGE,)}

    def asked(how):
        one = session(**settings, filtered=how)
        (frame,) = one.answer(p.Aggregate(VIEW, 90, 80, 1.0, -1, False, statistic="std", filtered=how))
        return pixels(frame), frame.message

    (grey, told), (without, same) = asked("grey"), asked("hide")
    at = grey[..., 2] == LEFT_OUT_ALPHA
    np.testing.assert_array_equal(grey[~at], without[~at])
    assert not without[at, 2].any()
    assert at.any()
    assert told.scale == same.scale
    _, everything = image({"color": None})
    np.testing.assert_array_equal(grey[..., 2] > 0, everything > 0)


@pytest.mark.parametrize("settings", CASES)
def test_cells_close_by_come_with_a_bit_that_says_which_pass(settings):
    near = [-0.6, 0.6, -0.6, 0.6]
    frames = answer({**settings, "filtered": "grey", "render": "auto"}, view=near)
    plain = answer({**unfiltered(settings), "render": "auto"}, view=near)
    assert {frame.message.kind for frame in frames} == {"cells"}
    for name in ("xy", "codes"):
        for one, other in zip(frames, plain, strict=True):
            np.testing.assert_array_equal(one.arrays[name], other.arrays[name])
    (frame,), (hiding,) = frames, answer({**settings, "filtered": "hide", "render": "auto"}, view=near)
    assert hiding.arrays["passing"].size == 0
    xy, bits = frame.arrays["xy"], frame.arrays["passing"]
    if RANGE not in settings["filters"]:
        assert bits.size == 0
        return
    assert hiding.message.extent == frame.message.extent
    alone = xy[np.unpackbits(bits, count=len(xy), bitorder="little").astype(bool)]
    np.testing.assert_array_equal(np.unique(alone, axis=0), np.unique(hiding.arrays["xy"], axis=0))


@pytest.mark.parametrize("max_points", [2_000_000, 1_000])
@pytest.mark.parametrize("settings", CASES)
def test_pictures_of_the_kernel_light_the_same_pixels_and_say_what_the_grey_is(settings, max_points):
    how = {"render": "auto", "max_points": max_points, "point_size": 2.0}  # without soft edges
    for name in ("white", "dark", "transparent"):
        paper = PAPERS[name]
        drawn, key = still(session(**settings, **how, filtered="grey"), None, (150, 120), paper=paper)
        plain, _ = still(session(**unfiltered(settings), **how), None, (150, 120), paper=paper)
        empty = (0, 0, 0, 0) if paper.is_clear else (*paper.ground, 255)
        is_lit = (drawn != empty).any(axis=-1)
        np.testing.assert_array_equal(is_lit, (plain != empty).any(axis=-1))
        assert 0 < is_lit.mean() < 1
        n_left = N - passing(small(N), settings).sum()
        grey = "#{:02x}{:02x}{:02x}".format(*paper.left_out)
        assert [row for row in key.rows if row[0] == LEFT_OUT_LABEL] == [(LEFT_OUT_LABEL, f"{n_left:,}", grey)][:n_left]
        assert key.heading


def test_in_a_picture_of_points_those_that_pass_lie_above_all_grey_ones():
    paper, settings = PAPERS["white"], {"color": "n_counts", "filters": (RANGE,), "render": "auto", "point_size": 2.0}
    both, above = (
        still(session(**settings, filtered=how), (-6, 6, -6, 6), (150, 120), paper=paper)[0] for how in ("grey", "hide")
    )
    is_above = (above != 255).any(axis=-1)
    np.testing.assert_array_equal(both[is_above], above[is_above])
    beside = both[~is_above & (both != 255).any(axis=-1)]
    np.testing.assert_array_equal(beside, np.broadcast_to([*paper.left_out, 255], beside.shape))
    assert len(beside)


@pytest.mark.parametrize("view", [None, (-1.0, 3.0, -2.0, 2.0)])
def test_a_picture_of_few_points_shows_as_many_that_pass_as_without_the_grey_ones(view):
    how = {"render": "auto", "max_points": N}
    settings = {"color": "cell_type", "filters": ({"obs": "n_genes", "range": [3500, None]},), **how}
    sessions = [session(**settings, filtered=one) for one in ("grey", "hide")] + [session(color="cell_type", **how)]
    grey, hiding, plain = (painter_of(one, view, (150, 120))._sample_dots(100)[0] for one in sessions)
    is_left_out = grey.flags & 2 > 0
    np.testing.assert_array_equal(grey.xy[~is_left_out], hiding.xy)
    assert len(hiding.xy) == 100
    assert {*map(tuple, plain.xy)} == {*map(tuple, grey.xy[is_left_out])} | (
        {*map(tuple, plain.xy)} & {*map(tuple, hiding.xy)}
    )


def test_a_grey_cell_under_the_pointer_is_told_and_said_to_be_left_out():
    data = small(N)
    xy, truth = data.embedding("umap").astype(np.float64), data.numbers("n_genes") >= 2000
    finite = np.isfinite(xy).all(axis=1)
    for settings in ({}, {"render": "auto", "max_points": 2_000_000}):
        one = session(color="cell_type", filters=(RANGE,), filtered="grey", **settings)
        one.prepare_index()
        for row in np.flatnonzero(finite)[:40]:
            distances = np.where(finite, np.hypot(*(xy - xy[row]).T), np.inf)
            reached = np.flatnonzero(distances <= 0.02)
            first = reached[truth[reached]] if truth[reached].any() else reached
            (cell,) = one.answer(p.Hover(*xy[row], 0.02, 0.02))
            assert cell.message.row == first[np.argmin(distances[first])]
            assert cell.message.passes == truth[cell.message.row]
        one.settings = Settings(embedding="umap", filters=(RANGE,))
        (cell,) = one.answer(p.Hover(*xy[np.flatnonzero(~truth & finite)[0]], 1e-6, 1e-6))
        assert cell.message.row == -1


@pytest.mark.parametrize("settings", [{}, {"render": "auto", "max_points": 2_000_000}])
def test_gestures_mean_those_alone_that_pass(settings):
    one = session(color="cell_type", filters=(RANGE,), filtered="grey", **settings)
    list(one.answer(p.Lasso([-99.0, -99.0, 99.0, -99.0, 99.0, 99.0, -99.0, 99.0], "replace")))
    data = one.dataset
    finite = np.isfinite(data.embedding("umap")).all(axis=1)
    np.testing.assert_array_equal(one.mask, finite & (data.numbers("n_genes") >= 2000))


def test_another_choice_sends_no_points_no_colors_and_no_bits(widget):
    widget.filters["n_genes"] = (2000, None)
    widget._exchange.jobs.close()
    sent = []
    widget._exchange._send = lambda *frame: sent.append(frame)
    widget.filtered = "grey"
    assert (sent, widget.state["filtered"]) == ([], "grey")
