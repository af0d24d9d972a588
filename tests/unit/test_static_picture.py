"""Pictures for readers without a kernel: what they show, what they say, and what is let into a notebook."""

import base64
import html
import io
import re

import ipywidgets
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from PIL import Image

from cxg_widget import CxgWidget
from cxg_widget.color.paper import PAPERS
from cxg_widget.display.settings import Settings
from cxg_widget.draw.lettering import drawable, fitted, width_of
from cxg_widget.draw.pages.figure import TOP, lay_out
from cxg_widget.draw.pages.legend_words import Key
from cxg_widget.draw.pages.page import Page, Plot, draw_page
from cxg_widget.errors import ClosedDataset
from cxg_widget.session.session import Session
from cxg_widget.spatial.view import fit_view
from cxg_widget.widget import displaying
from cxg_widget.widget.displaying import held_in
from cxg_widget.widget.static_picture import NotebookPicture, kept_picture, static_picture
from cxg_widget.wire.protocol import VERSION
from tests.memory import small
from tests.stills import still

HEIGHT, WIDTH, TITLE_PX = 300, 400, 40


@pytest.fixture
def session():
    return Session(small(), Settings(embedding="umap", color="cell_type"))


def picture(bundle):
    """Return the PNG of a bundle as RGBA (height, width, 4)."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(bundle["image/png"]))).convert("RGBA"))


def text(bundle):
    """Return what a browser would show of the HTML beside the image."""
    return html.unescape(re.sub(r"<[^>]*>", "\n", bundle["text/html"]))


def key_of_now(session):
    return still(session, None, (WIDTH, HEIGHT), paper=PAPERS["white"])[1]


def count(image, color):
    rgb = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
    return int((image[..., :3] == rgb).all(axis=2).sum())


def test_the_picture_has_a_title_above_and_every_color_beside_it(session):
    image = picture(static_picture(session, HEIGHT, "abc"))
    plain = picture(static_picture(session, HEIGHT, "abc", legend=False))
    assert plain.shape == (HEIGHT, WIDTH, 4)
    np.testing.assert_array_equal(image[TITLE_PX:, :WIDTH], plain)
    assert (image[:TITLE_PX] != 255).any(axis=2).sum() > 300
    colors = [color for _, _, color in key_of_now(session).rows if color]
    assert len(colors) > 2
    for color in colors:
        assert count(image[:, WIDTH:], color) == 10 * 10


def test_the_bar_of_a_number_goes_from_the_first_color_to_the_last(session):
    session.settings = Settings(embedding="umap", color="CD3E", cmap="Reds")
    beside = picture(static_picture(session, HEIGHT, "abc"))[:, WIDTH:]
    first, last = key_of_now(session).ramp[0], key_of_now(session).ramp[-1]
    assert count(beside, first) >= 12
    assert count(beside, last) >= 12


def test_the_html_says_the_key_as_text_and_names_stay_text(session):
    bundle = static_picture(session, HEIGHT, "abc")
    told, codes = text(bundle), session.coloring().data
    for i, label in enumerate(session.coloring().labels):
        assert f"{label or '(empty)'}: {np.count_nonzero(codes.codes == i):,}" in told
    assert "<img src=x" in told  # a label of the dataset
    assert "<img src=x" not in bundle["text/html"]
    assert "cell_type" not in static_picture(session, HEIGHT, "abc", legend=False)["text/html"]


@pytest.mark.parametrize(
    ("background", "corner", "legend"),
    [
        (None, (255, 255, 255, 255), True),
        ("white", (255, 255, 255, 255), False),
        ("dark", (17, 17, 17, 255), True),
        ("transparent", 0, False),
    ],
)
def test_the_background_is_the_one_asked_for(session, legend, background, corner):
    image = picture(static_picture(session, HEIGHT, "abc", legend=legend, background=background))
    found = image[0, 0]
    assert found[3] == 0 if corner == 0 else tuple(found) == corner
    assert len(np.unique(image.reshape(-1, 4), axis=0)) > 3


def test_a_picture_shows_the_look_view_and_hidden_categories_of_now(session):
    before = picture(static_picture(session, HEIGHT, "abc"))
    label = session.coloring().labels[0]
    session.settings = Settings(embedding="umap", color="cell_type", hidden=(label,))
    after = picture(static_picture(session, HEIGHT, "abc"))
    assert (before[TITLE_PX:, :WIDTH] != after[TITLE_PX:, :WIDTH]).any()
    shown = session.dataset.n_obs - np.count_nonzero(session.coloring().data.codes == 0)
    assert f"{shown:,} of {session.dataset.n_obs:,} cells shown" in text(static_picture(session, HEIGHT, "abc"))


def test_a_selection_is_counted(session):
    session.select(np.arange(session.dataset.n_obs) < 10)
    assert "10 of 1,000 cells selected · 1\u00a0%" in text(static_picture(session, HEIGHT, "abc"))


def test_the_summary_counts_as_pandas_does():
    w = CxgWidget(small(), color="cell_type")
    frame = w.dataset.obs()
    counts = frame["cell_type"].value_counts()
    w.filters["cell_type"] = [counts.index[0], counts.index[1]]
    w.select({"cell_type": counts.index[0]})
    lines = w.summary.split("\n")
    assert lines[1].startswith(f"{counts.iloc[0]:,} of 1,000 cells selected")
    assert lines[1].endswith(f"{counts.iloc[:2].sum():,} shown.")
    assert f"{counts.index[0]} {counts.iloc[0]:,}" in lines[4]
    assert lines[-1].startswith("Filters: cell_type ")
    w.close()
    with pytest.raises(ClosedDataset):
        _ = w.summary


def keyed_page(image, key, paper, scale=1.0):
    height, width = image.shape[0] / scale, image.shape[1] / scale
    layout = lay_out(key, width, height)
    plot = Plot((0, TOP, width, TOP + height), image)
    return draw_page(Page(width + layout.side, TOP + height, paper, (plot,), layout.parts(key, paper)), scale)


def test_scaled_a_page_is_the_same_page_with_more_pixels():
    key = Key("PBMC", "3 cells", "type", "", (("a", "3", "#0072b2"),))
    image = np.zeros((200, 300, 4), np.uint8)
    once, twice = (keyed_page(np.kron(image, np.ones((k, k, 1), np.uint8)), key, PAPERS["white"], k) for k in (1, 2))
    assert abs(np.array(twice.shape[:2]) - 2 * np.array(once.shape[:2])).max() <= 2
    assert count(twice, "#0072b2") == 4 * count(once, "#0072b2") == 400


@pytest.mark.parametrize("height", [120, 700])
@pytest.mark.parametrize("n", [1, 8, 40, 300])
def test_whatever_does_not_fit_is_cut_and_told(n, height):
    """Nothing is written outside the page, and rows that are left out are counted."""
    rows = tuple(
        (f"a category of a very long name, number {i}", f"{i:,}", f"#10{i // 256:02x}{i % 256:02x}") for i in range(n)
    )
    page = keyed_page(
        np.full((height, 600, 4), 255, np.uint8),
        Key("title " * 50, "n " * 20, "h " * 90, "d " * 90, rows),
        PAPERS["white"],
    )
    colors, found = np.unique(page[..., :3].astype(int) @ (1 << 16, 1 << 8, 1), return_counts=True)
    n_px = dict(zip(colors.tolist(), found.tolist(), strict=True))
    shown = sum(n_px.get(int(color[1:], 16)) == 100 for _, _, color in rows)
    assert shown == n if n == 1 or (height == 700 and n <= 40) else 2 < shown < n or (shown, n) == (8, 8)
    assert (page[:, -10:] == 255).all()
    assert (page[-8:] == 255).all()


def test_letters_that_no_font_has_are_written_with_others(monkeypatch):
    """Pillow's own font has hardly more than ASCII; a machine may have no other."""
    from cxg_widget.draw import lettering

    for cached in (lettering.drawable, lettering._has, lettering._font, lettering._places):
        cached.cache_clear()
    monkeypatch.setattr(lettering, "_places", lambda bold: ())
    try:
        assert drawable("αβ T cell, 5 µm ≥ 1 · é") == "alphabeta T cell, 5 mum >= 1 · e"
        assert drawable("漢字") == "??"
        assert drawable("a\u00a0b…") == "a b…"
        assert fitted("a" * 100, 12, 60).endswith("…")
        assert width_of(fitted("a" * 100, 12, 60), 12) <= 60
    finally:
        for cached in (lettering.drawable, lettering._has, lettering._font):
            cached.cache_clear()


@pytest.mark.parametrize("name", ["a\nb\tc", "\u202eabc", "\ud800", "\x00", "", "x" * 100_000, "e\u0301" * 50, "🧬"])
def test_any_name_can_be_written(name):
    page = keyed_page(
        np.zeros((200, 300, 4), np.uint8), Key(name, "n", name, name, ((name, "1", "#0072b2"),)), PAPERS["dark"]
    )
    assert page.shape[0] == 240


def snapshot(**changes):
    png = static_picture(Session(small(), Settings(embedding="umap")), 120, "x", legend=False)["image/png"]
    return {"id": "abc", "png": png, "width": 160, "height": 120, "key": ["<b>T cell</b>: 5"], **changes}


def test_the_picture_that_the_front_end_took_takes_the_place_of_the_kernels(session):
    kept = kept_picture(snapshot(), "abc", session)
    assert kept["image/png"] == snapshot()["png"]
    assert "<b>T cell</b>: 5" in text(kept)
    assert "<b>T" not in kept["text/html"]
    assert 'class="cxg-static-abc"' in kept["text/html"]
    assert "Legend" not in kept_picture(snapshot(key=None), "abc", session)["text/html"]


@pytest.mark.parametrize(
    "bad",
    [
        None, "x", {}, {"id": "abc"}, snapshot(png='"><script>'), snapshot(png="aGVsbG8="), snapshot(png=5),
        snapshot(width='1" x="'), snapshot(height=-1), snapshot(width=10**9), snapshot(height=None),
    ],
)  # fmt: skip
def test_what_is_no_picture_is_not_let_in(session, bad):
    assert kept_picture(bad, "abc", session) == {}


@pytest.fixture
def shell(monkeypatch):
    """A shell, and what it has put out: (data, display id, whether in the place of another)."""
    made = InteractiveShell()
    shown = []
    monkeypatch.setattr("IPython.get_ipython", lambda: made)
    monkeypatch.setattr(
        "IPython.display.display",
        lambda data, display_id=None, update=False, **_: shown.append((data, display_id, update)),
    )
    yield made, shown
    made.history_manager.enabled = False


@pytest.fixture
def make():
    made = []

    def build(**options):
        made.append(CxgWidget(small(), height=HEIGHT, **options))
        return made[-1]

    yield build
    for widget in made:
        widget.close()


def test_boxes_show_a_picture_of_each_widget_at_any_depth_after_themselves(shell, make):
    shell, shown = shell
    a, b = make(color="cell_type"), make(color="CD3E")
    tab = ipywidgets.Tab([ipywidgets.VBox([b, ipywidgets.Label("x")]), ipywidgets.Accordion([a])])
    box = ipywidgets.HBox([a, tab])
    expected = box._repr_mimebundle_()
    data, _ = shell.display_formatter.format(box)
    assert data == expected  # the live view and the plain text are as they were
    assert shown == []  # and wait for nothing
    shell.events.trigger("post_execute")
    names = [re.search("cxg-static-([0-9a-f]+)", one["text/html"])[1] for one, *_ in shown]
    assert names == [a._snapshot["id"], b._snapshot["id"]]
    assert "CD3E" in text(shown[1][0])
    shell.events.trigger("post_execute")
    assert len(shown) == 2


def test_boxes_without_our_widgets_show_what_they_did(shell, make):
    shell, shown = shell
    make()
    box = ipywidgets.VBox([ipywidgets.Label("x")])
    assert shell.display_formatter.format(box)[0] == box._repr_mimebundle_()
    shell.events.trigger("post_execute")
    assert shown == []


def test_a_box_that_holds_itself_ends(make):
    w = make()
    inner = ipywidgets.VBox([w])
    outer = ipywidgets.HBox([inner, inner])
    inner.children = [outer, w]
    assert list(held_in(outer, CxgWidget)) == [w]


def test_the_picture_of_what_is_on_show_takes_the_place_of_the_first(shell, make):
    _, shown = shell
    w = make(color="cell_type")
    w._ipython_display_()
    (first, name, _) = shown[-1]
    w.set_state({"_snapshot": snapshot(id=w._snapshot["id"])})
    (second, again, is_update) = shown[-1]
    assert (name == again, is_update) == (True, True)
    assert second["image/png"] == snapshot()["png"] != first["image/png"]
    w.set_state({"_snapshot": snapshot(png="nonsense")})
    assert len(shown) == 3


def test_a_widget_that_was_never_shown_puts_nothing_out(shell, make):
    _, shown = shell
    make().set_state({"_snapshot": snapshot()})
    assert shown == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("legend", "yes", "legend must be True or False"),
        ("background", "blue", "no background 'blue'.*transparent"),
    ],
)
def test_a_wrong_option_is_refused_with_a_sentence(make, name, value, said):
    with pytest.raises(ValueError, match=said):
        make(**{name: value})
    with pytest.raises(ValueError, match=said):
        setattr(make(), name, value)


def test_options_of_pictures_are_part_of_the_state(make):
    assert make().state.keys().isdisjoint({"legend", "background"})
    assert make(legend=False, background="dark").state.items() >= {"legend": False, "background": "dark"}.items()
    w = make(legend=False, background="transparent")
    assert (
        picture(w._repr_mimebundle_()[0] if isinstance(w._repr_mimebundle_(), tuple) else w._repr_mimebundle_()).shape[
            0
        ]
        == HEIGHT
    )


# Panels side by side.


def panelled(*looks, **settings):
    one = Session(small(2000), Settings(embedding="umap", color="cell_type", **settings))
    one.settings = Settings(
        embedding="umap",
        color="cell_type",
        panels=tuple({"id": i + 1, **look} for i, look in enumerate(looks)),
        **settings,
    )
    return one


def test_panels_lie_in_their_grid_with_a_name_and_a_key_each():
    looks = [{}, {"color": "CD3E", "cmap": "Reds"}, {"color": "MS4A1", "cmap": "Blues"}, {"color": "n_genes"}]
    session = panelled(*looks)
    bundle = static_picture(session, HEIGHT, "abc")
    image = picture(bundle)
    middle = TITLE_PX + (image.shape[0] - TITLE_PX) // 2
    assert image.shape[0] == TITLE_PX + 2 * (HEIGHT // 2 - 28 + TITLE_PX)
    upper, lower = image[TITLE_PX:middle], image[middle:]
    reds, blues = (
        Session(small(2000), Settings(embedding="umap", color="CD3E", cmap=one)) for one in ("Reds", "Blues")
    )
    assert count(upper, key_of_now(reds).ramp[-1]) >= 12
    assert count(lower, key_of_now(reds).ramp[-1]) == 0
    assert count(lower, key_of_now(blues).ramp[-1]) >= 12
    for color in [color for _, _, color in key_of_now(session).rows if color]:
        assert count(upper, color) >= 10 * 10
    told = text(bundle)
    for name in ("cell_type", "CD3E", "MS4A1", "n_genes"):
        assert name in told
    assert "<img src=x" not in bundle["text/html"]


def test_parts_are_named_share_one_key_and_show_their_own_cells_alone():
    looks = [{"within": {"obs": "donor name", "in": [f"d{i}"]}} for i in range(3)]
    session = panelled(*looks)
    bundle = static_picture(session, HEIGHT, "abc")
    told = text(bundle)
    assert [line for line in told.split("\n") if line in {"d0", "d1", "d2"}] == ["d0", "d1", "d2"]
    assert told.count("cell_type") == 1
    codes = session.dataset.codes("donor name").codes
    assert f"{session.dataset.n_obs:,}" in told
    panels = session.stills(None, PAPERS["white"], legend=True, most=session.dataset.n_obs)._panels
    drawn = [len(one._painter((WIDTH, HEIGHT), 1.0)._sample_dots(None)[0].xy) for one in panels]
    assert drawn == [np.count_nonzero(codes == i) for i in range(3)]


def test_without_a_legend_panels_keep_their_names_alone():
    session = panelled({}, {"color": "CD3E"})
    bundle = static_picture(session, HEIGHT, "abc", legend=False)
    assert "CD3E" not in bundle["text/html"]
    assert picture(bundle).shape == (HEIGHT - 28 + TITLE_PX, WIDTH, 4)


@pytest.mark.parametrize("settings", [{}, {"max_points": 300}], ids=["points", "images"])
def test_a_notebook_gets_a_picture_of_all_cells_where_the_first_was_of_some(monkeypatch, settings):
    monkeypatch.setattr("cxg_widget.widget.static_picture._AT_ONCE", 300)
    monkeypatch.setattr("cxg_widget.widget.static_picture._SAMPLE", 300)
    session = Session(
        small(3_000), Settings(embedding="umap", color="is_doublet", height=HEIGHT, legend=False, **settings)
    )
    put_out = []
    monkeypatch.setattr(NotebookPicture, "_put_out", lambda _, bundle, update=False: put_out.append((bundle, update)))
    kept = NotebookPicture(session)
    kept.display()
    kept.complete()
    (first, _), (whole, is_update) = put_out
    assert is_update
    inked = [(picture(one)[..., :3] < 250).any(axis=2) for one in (first, whole)]
    x0, x1, y0, y1 = fit_view(session.held.place().extent, (WIDTH, HEIGHT))
    xy = session.held.xy()
    column = ((xy[:, 0] - x0) / (x1 - x0) * WIDTH).astype(int)
    line = ((y1 - xy[:, 1]) / (y1 - y0) * HEIGHT).astype(int)
    assert inked[1][line, column].mean() > 0.995  # the place of every cell
    assert inked[0][line, column].mean() < 0.9
    kept.replace({"png": first["image/png"], "width": WIDTH, "height": HEIGHT, "key": None})
    kept.complete()
    assert len(put_out) == 3  # the picture of the page stays


def test_the_kernel_draws_the_picture_of_all_cells_only_where_no_page_greets(monkeypatch, widget):
    drawn, due = [], displaying.AT_REST._due
    monkeypatch.setattr(NotebookPicture, "complete", lambda _: drawn.append(1))
    widget._display_still()
    _, _, job = due[widget._picture]
    widget.front.ask(kind="ready", version=VERSION)
    assert widget._picture not in due
    assert not drawn
    job()
    widget._exchange.jobs.finish("still")
    assert drawn
