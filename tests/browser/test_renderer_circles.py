"""Cells that are circles of many sizes: each at its own radius, whoever draws them, as in pictures of the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cxg_widget import open_dataset
from cxg_widget.color.paper import PAPERS
from cxg_widget.display.settings import Settings
from cxg_widget.session.pictures.portrait import Painter, sight_of
from cxg_widget.session.session import Session
from tests.browser.engine import run, serve
from tests.datasets.circles import circles_of, radii_in, unpacked

pytestmark = pytest.mark.browser

SIZE = (780, 600)
VIEW, NEAR = (0.0, 260.0, 200.0, 0.0), (0.0, 130.0, 100.0, 0.0)
"""A data unit is 3 px long, and 6 near by."""
INK = "return Array.from(pixels(w)).filter((_, i) => i % 4 === 3);"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path, truth = unpacked("0.8", tmp_path_factory.mktemp("circles"))
    with open_dataset(path, table="of_all") as dataset:
        circles = circles_of(truth, "of_all")
        yield dataset, circles[np.isfinite(circles[:, 2])]


def shown(page: Any, dataset: Any, view: tuple[float, ...] = VIEW, **settings: Any) -> Session:
    session = Session(dataset, Settings(embedding="spatial", color=None, opacity=1.0, **settings))
    serve(page, session)
    traits = f"{{ embedding: 'spatial', opacity: 1, point_size: null, view: {list(view)} }}"
    size = f"width: {SIZE[0]}, height: {SIZE[1]}"
    run(page, f"window.w = open_({{ traits: {traits}, {size}, answer: byKernel }}); await ready(w);")
    return session


def ink(page: Any) -> Any:
    return np.array(run(page, INK)).reshape(SIZE[::-1]) / 255


def check_as_in_a_still(page: Any, session: Session, circles: Any, view: Any, px_per_unit: float) -> None:
    found, held = ink(page), session.loader.of(session.settings)
    seen = circles[(circles[:, 0] < view[1]) & (circles[:, 1] < view[2])]
    expected = np.minimum(px_per_unit * seen[:, 2], 50)
    np.testing.assert_allclose(radii_in(found, view, np.c_[seen[:, :2], expected / px_per_unit]), expected, atol=0.15)
    still = Painter(held, session.mask, sight_of(held, view, SIZE), PAPERS["white"]).draw().image[..., 3] / 255
    assert np.abs(found - still).max() < 0.02


def test_each_cell_is_drawn_at_its_radius_as_in_a_still(page: Any, written: Any) -> None:
    dataset, circles = written
    check_as_in_a_still(page, shown(page, dataset), circles, VIEW, 3)


def test_the_cells_of_a_close_view_of_a_sample_are_too(page: Any, written: Any) -> None:
    dataset, circles = written
    session = shown(page, dataset, NEAR, max_points=20)
    run(page, "while (w.widget.scene.cells === null) await sleep(10); await sleep(50); await ready(w);")
    check_as_in_a_still(page, session, circles, NEAR, 6)


def test_a_size_that_is_set_is_that_of_all_until_it_is_taken_back_and_nothing_is_sent_anew(
    page: Any, written: Any
) -> None:
    dataset, circles = written
    shown(page, dataset)
    run(page, "window.before = w.model.sent.length; w.model.set('point_size', 9); await frame(); await ready(w);")
    np.testing.assert_allclose(radii_in(ink(page), VIEW, [(x, y, 1.5) for x, y, _ in circles]), 4.5, atol=0.15)
    run(page, "w.model.set('point_size', null); await frame(); await ready(w);")
    np.testing.assert_allclose(radii_in(ink(page), VIEW, circles), 3 * circles[:, 2], atol=0.15)
    assert run(page, "return asked(w.model).filter(({ kind }) => kind === 'ready').length;") == 0


def test_close_by_a_cell_is_as_wide_as_the_widest_spot(page: Any, written: Any) -> None:
    dataset, circles = written
    shown(page, dataset)
    x, y, _ = circles[0].tolist()
    close = [x - 1.3, x + 1.3, y + 1, y - 1]
    run(page, f"w.model.set('view', {close}); await sleep(50);")
    run(page, "while (w.widget.scene.detail === null) await sleep(10); await sleep(50); await ready(w);")
    np.testing.assert_allclose(radii_in(ink(page), close, [(x, y, 0.18)]), 50, atol=0.3)
