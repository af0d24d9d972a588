"""Laws of names and contours on the kernel's pictures; those of the front-end's are held by the same names.json."""

import base64
import io
import json
from dataclasses import replace
from pathlib import Path as File

import numpy as np
import pytest
from matplotlib.path import Path
from PIL import Image
from scipy import ndimage

from cxg_widget import CxgWidget
from cxg_widget.color.paper import PAPERS
from cxg_widget.display.settings import Settings
from cxg_widget.draw.overlays.names import HIGH_PX, place, written
from cxg_widget.draw.overlays.outlines import Outline, draw_outlines
from cxg_widget.session.session import Session
from tests.memory import small
from tests.stills import still

NAMES = json.loads((File(__file__).parents[1] / "names.json").read_text(encoding="utf-8"))
SIZE = (400, 300)
VIEW = (-4.0, 10.0, -4.0, 11.0)


@pytest.mark.parametrize("case", NAMES["cases"], ids=lambda case: case["says"])
def test_names_stand_where_they_do_in_the_browser(case):
    size = NAMES["plot"]["width"], NAMES["plot"]["height"]
    found = place(np.array(case["at"], dtype=float), size, case["widths"])
    assert [list(one) for one in found] == case["placed"]


def test_no_two_names_lie_on_each_other():
    rng = np.random.default_rng(0)
    for _ in range(50):
        widths = rng.uniform(20, 200, 200)
        found = place(rng.uniform(-50, 450, (200, 2)), SIZE, widths.tolist())
        for at, (i, x, y) in enumerate(found):
            for j, other_x, other_y in found[at + 1 :]:
                assert abs(y - other_y) >= HIGH_PX or abs(x - other_x) >= (widths[i] + widths[j]) / 2


def test_a_name_is_one_line_and_cut_where_it_is_too_long():
    places = np.array([[100.0, 50.0], [200.0, 200.0], [100.0, 100.0]])
    texts = written(["one\ntwo", "very long " * 50, ""], places, SIZE)
    assert [texts[0].text, texts[2].text] == ["one two", "(empty)"]
    assert texts[1].text.endswith("…")
    assert len(texts[1].text) < 60


def picture(session, paper="white"):
    return still(session, VIEW, SIZE, paper=PAPERS[paper])[0]


@pytest.mark.parametrize("render", ["points", "raster"])
@pytest.mark.parametrize("paper", ["white", "dark", "transparent"])
def test_a_picture_differs_by_its_contours_along_these_alone_and_has_them_in_the_colors_of_categories(render, paper):
    dataset = small(3000)
    looks = {"embedding": "umap", "color": "cell_type", "render": render}
    bare = picture(Session(dataset, Settings(**looks)), paper)
    session = Session(dataset, Settings(**looks, contours="cell_type"))
    lined = picture(session, paper)
    seen = session.held.contours("cell_type")
    # Equal units: the view that is drawn is as wide as the picture asks.
    height, width = bare.shape[:2]
    middle, unit = (VIEW[0] + VIEW[1]) / 2, (VIEW[3] - VIEW[2]) / height
    left, top = middle - width / 2 * unit, VIEW[3]
    near = np.zeros((height, width), dtype=bool)
    for contour in seen.contours:
        for ring in contour.rings:
            corners = np.column_stack([(ring[:, 0] - left) / unit, (top - ring[:, 1]) / unit])
            steps = Path(np.vstack([corners, corners[:1]])).interpolated(20).vertices
            column, line = np.floor(steps).astype(int).T
            inside = (column >= 0) & (column < width) & (line >= 0) & (line < height)
            near[line[inside], column[inside]] = True
    differs = (lined != bare).any(axis=2)
    assert differs.sum() > 500
    assert not (differs & ~ndimage.binary_dilation(near, iterations=4)).any()
    colors = {"B cell": (0x12, 0x34, 0x56, 255)}
    new = lined[differs & near]
    assert (new == colors["B cell"]).all(axis=1).any()


def test_where_the_column_does_not_color_the_cells_contours_are_drawn_in_ink():
    looks = {"embedding": "umap", "color": None, "contours": "cell_type"}
    lined = picture(Session(small(3000), Settings(**looks)))
    assert (lined[:, :, :3] == PAPERS["white"].ink).all(axis=2).sum() > 50


def test_lines_are_as_wide_as_asked_with_a_halo_beside_them():
    image = np.full((60, 60, 4), (10, 20, 30, 255), dtype=np.uint8)
    box = np.array([[10.5, 10.5], [49.5, 10.5], [49.5, 49.5], [10.5, 49.5]])
    found = draw_outlines(image, [Outline([box], (200, 0, 0), 1.0)], (255, 255, 255)).astype(int)
    assert np.abs(found[30, 10] - (200, 0, 0, 255)).max() < 60
    assert found[30, 9, 1] > 120
    assert (found[30, 14:46] == (10, 20, 30, 255)).all()


def test_the_pictures_of_a_notebook_have_names_and_say_so():
    w = CxgWidget(small(500), color="cell_type", labels="cell_type")
    bundle = w._picture.drawn()
    image = np.asarray(Image.open(io.BytesIO(base64.b64decode(bundle["image/png"]))))
    w.labels = None
    bare = np.asarray(Image.open(io.BytesIO(base64.b64decode(w._picture.drawn()["image/png"]))))
    assert image.shape == bare.shape
    assert (image != bare).any()
    w.close()


def test_a_picture_leaves_out_names_and_contours_that_cannot_be_read():
    session = Session(small(300, broken=("obs/cell_type",)), Settings(embedding="umap"))
    plain = picture(session)
    session.settings = replace(session.settings, labels="cell_type", contours="cell_type")
    np.testing.assert_array_equal(picture(session), plain)


@pytest.mark.parametrize("render", ["points", "raster"])
@pytest.mark.parametrize("axis", [0, 1])
def test_bars_beside_a_line_at_zero_are_as_long_as_cells_there_are_many(axis, render):
    dataset = small(3000)
    pair = ["obs:n_counts", "var:MS4A1"]
    pair = tuple(pair if axis == 1 else pair[::-1])
    xy = dataset.embedding(pair)
    n_zero = int(np.count_nonzero((xy[:, axis] == 0) & np.isfinite(xy[:, 1 - axis])))
    view = [-500.0, 8000.0, -500.0, 8000.0]
    view[2 * axis : 2 * axis + 2] = [-1.0, 6.0]
    session = Session(dataset, Settings(embedding=pair, color="cell_type", render=render))
    with_bars = still(session, tuple(view), SIZE, paper=PAPERS["white"])[0]
    side = SIZE[axis]
    line = side / 7 if axis == 0 else side * 6 / 7  # px from the left, or from the top
    along = xy[(xy[:, axis] == 0) & (np.abs(xy[:, 1 - axis] - 3750) <= 4250), 1 - axis]
    at = (along + 500) / 8500 * SIZE[1 - axis]
    at = SIZE[1] - at if axis == 0 else at
    bars = np.bincount((at // 3).astype(int), minlength=-(-SIZE[1 - axis] // 3))
    expected = bars / bars.max() * min(30, side / 7 - 2)
    grey = (with_bars[..., :3] == [143, 145, 148]).all(axis=2)
    strip = grey[:, : int(line - 2)] if axis == 0 else grey[int(np.ceil(line + 2)) :].T
    assert bars.sum() == n_zero > 1000
    assert np.abs(strip.sum(axis=1)[1::3] - expected[: len(strip[1::3])]).max() <= 1.5  # both ends are whole px
    beyond = grey[:, int(line) :] if axis == 0 else grey[: int(line)]
    assert beyond.sum() < 20  # letters have edges of that grey


def test_a_figure_says_how_many_cells_lie_at_zero(tmp_path):
    dataset = small(3000)
    w = CxgWidget(dataset, embedding=("CD3E", "MS4A1"))
    x, y = dataset.embedding(("CD3E", "MS4A1")).T
    w.save(tmp_path / "ties.svg")
    assert (
        f"{np.count_nonzero((x == 0) & (y == 0)):,} of 3,000 cells lie at (0, 0)" in (tmp_path / "ties.svg").read_text()
    )
    w.embedding = ("n_counts", "MS4A1")
    w.save(tmp_path / "ties.svg")
    n_zero = np.count_nonzero((y == 0) & np.isfinite(dataset.embedding(("n_counts", "MS4A1"))[:, 0]))
    assert f"{n_zero:,} of 3,000 cells lie at MS4A1 = 0" in (tmp_path / "ties.svg").read_text()
