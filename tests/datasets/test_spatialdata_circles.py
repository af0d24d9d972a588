"""Cells that are circles of many sizes: each at its own radius, as spatialdata has it."""

import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.color.paper import PAPERS
from cxg_widget.display.settings import Settings
from cxg_widget.session.pictures.html_recording import Recording
from cxg_widget.session.pictures.portrait import Painter, sight_of
from cxg_widget.session.session import Session
from cxg_widget.testing import DatasetTests
from cxg_widget.wire import protocol as p
from tests.datasets.circles import VERSIONS, circles_of, radii_in, unpacked

PLAIN = {"embedding": "spatial", "color": None, "opacity": 1.0}


@pytest.fixture(scope="module", params=VERSIONS)
def written(request, tmp_path_factory):
    return unpacked(request.param, tmp_path_factory.mktemp("circles"))


def ink(session, view, size, *, soon=False):
    """Return how much of each px is covered, (h, w) from 0 to 1."""
    held = session.loader.of(session.settings)
    painter = Painter(held, session.mask, sight_of(held, view, size), PAPERS["white"])
    return (painter.draw_soon(None) if soon else painter.draw()).image[..., 3] / 255


def with_radii(table, radii):
    return table.set_column(table.column_names.index("radius"), "radius", pa.array(radii))


def frames_of(session):
    return [frame for frame in session.streams.points() if frame.message.stop > 0]


@pytest.mark.parametrize("table", ["of_cells", "of_all"])
@pytest.mark.parametrize("system", ["global", "microns"])
def test_each_cell_is_as_wide_as_spatialdata_says_in_every_system(written, table, system):
    path, truth = written
    expected = 2 * circles_of(truth, table, system)[:, 2]
    with open_dataset(path, table=table, coordinate_system=system) as dataset:
        np.testing.assert_allclose(dataset.spot_widths(), expected, rtol=1e-6)
        DatasetTests().test_cells_have_widths_of_their_own_around_that_of_a_spot_or_none(dataset)
        assert dataset.sections().spot == pytest.approx(np.nanmedian(expected))
        assert not [note for note in dataset.notes if "circle" in note]


def test_the_radii_are_those_of_the_file(written):
    path, _ = written
    radii = pq.read_table(path / "shapes" / "cells" / "shapes.parquet").column("radius").to_numpy()
    with open_dataset(path, table="of_cells") as dataset:
        np.testing.assert_allclose(np.sort(dataset.spot_widths()), np.sort(2 * radii), rtol=1e-6)


@pytest.mark.parametrize("px_per_unit", [0.7, 3.0, 9.0])
@pytest.mark.parametrize("soon", [False, True])
def test_a_still_draws_each_cell_at_its_radius_up_to_the_widest_spot(written, px_per_unit, soon):
    path, truth = written
    with open_dataset(path, table="of_all") as dataset:
        session, circles = Session(dataset, Settings(**PLAIN)), circles_of(truth, "of_all")
        circles = circles[np.isfinite(circles[:, 2])]
        view = (0.0, 260.0, 200.0, 0.0)
        found = radii_in(ink(session, view, (260 * px_per_unit, 200 * px_per_unit), soon=soon), view, circles)
        widths = np.minimum(2 * circles[:, 2] * px_per_unit, 100)
        assert (widths == 100).any() == (px_per_unit == 9)
        wide = widths > 3
        np.testing.assert_allclose(found[wide], widths[wide] / 2, atol=0.15)
        # Squares of whole px: at least one, and no more than a px wider or narrower.
        sides = found[~wide] * np.sqrt(np.pi)
        assert (np.abs(sides - np.maximum(widths[~wide], 1)) <= 1).all()


def test_a_size_that_is_set_is_that_of_all_cells(written):
    path, truth = written
    with open_dataset(path, table="of_cells") as dataset:
        session, view = Session(dataset, Settings(**PLAIN, point_size=9.0)), (0.0, 200.0, 200.0, 0.0)
        found = radii_in(ink(session, view, (600, 600)), view, circles_of(truth, "of_cells"))
        np.testing.assert_allclose(found, 4.5, atol=0.15)


def test_sizes_travel_once_beside_the_places_and_only_where_they_differ(written, tmp_path):
    path, truth = written
    with open_dataset(path, table="of_all") as dataset:
        session = Session(dataset, Settings(**PLAIN))
        (frame,) = frames_of(session)
        expected = 2 * circles_of(truth, "of_all")[:, 2]
        spot = np.nanmedian(expected)
        rows = session.loader.order().rows
        parts = np.rint(np.where(np.isnan(expected), spot, expected) / spot * p.SPOT_PARTS)[rows]
        np.testing.assert_allclose(frame.arrays["sizes"], parts, atol=1)
        assert frame.message.spot == pytest.approx(spot)
        assert sum(len(one) for one in frame.pack()[1]) == (4 + 2) * dataset.n_obs
        coloring = list(session.streams.color())
        assert not [one for one in coloring if "sizes" in one.arrays]
    even = shutil.copytree(path, tmp_path / "even.zarr")
    file = even / "shapes" / "cells" / "shapes.parquet"
    pq.write_table(with_radii(pq.read_table(file), [4.0] * 20), file)
    with open_dataset(even, table="of_cells") as dataset:
        (frame,) = frames_of(Session(dataset, Settings(**PLAIN)))
        assert (dataset.spot_widths(), frame.message.spot, frame.arrays.keys()) == (None, 8.0, {"xy"})
        assert sum(len(one) for one in frame.pack()[1]) == 4 * dataset.n_obs


def test_the_cells_of_a_close_view_are_at_their_radii_too(written):
    path, truth = written
    with open_dataset(path, table="of_all") as dataset:
        session = Session(dataset, Settings(**PLAIN, max_points=20, filtered="grey"))
        view, circles = (0.0, 70.0, 60.0, 0.0), circles_of(truth, "of_all")
        (near,) = session.answer(p.Aggregate(list(view), 700, 600, 10.0, -1, False))
        x0, x1, y0, y1 = near.message.extent
        xy = near.arrays["xy"] / 65_534 * (x1 - x0, y1 - y0) + (x0, y0)
        spot = np.nanmedian(2 * circles[:, 2])
        for place, size in zip(xy, near.arrays["sizes"], strict=True):
            radius = circles[np.nanargmin(np.hypot(*(circles[:, :2] - place).T)), 2]
            assert size == pytest.approx(2 * radius / spot * p.SPOT_PARTS, abs=1)
        inside = circles[(circles[:, 0] < 70) & (circles[:, 1] < 60)]
        found = radii_in(ink(session, view, (700, 600)), view, inside)
        np.testing.assert_allclose(found, np.minimum(2 * inside[:, 2] * 10, 100) / 2, atol=0.15)


def test_a_saved_page_has_the_sizes_of_its_cells(written):
    path, truth = written
    with open_dataset(path, table="of_cells") as dataset:
        session = Session(dataset, Settings(**PLAIN))
        recording = Recording(session.loader, session.settings, session.mask, most=7)
        (frame,) = recording.points(0)
        expected = 2 * circles_of(truth, "of_cells")[recording.rows, 2] / dataset.sections().spot
        np.testing.assert_allclose(frame.arrays["sizes"] / p.SPOT_PARTS, expected, atol=0.001)


def test_a_panel_has_the_sizes_of_its_own_embedding(written):
    path, truth = written
    widget = CxgWidget(path, table="of_cells", embedding=("instance", "instance"))
    panel = widget.panel(embedding="spatial").number
    plot, (frame,) = frames_of(widget._session), widget._session.streams.place(panel)
    assert [one.arrays.keys() for one in plot] == [{"xy"}]
    expected = 2 * circles_of(truth, "of_cells")[widget._session.loader.order().rows, 2]
    np.testing.assert_allclose(frame.arrays["sizes"] / p.SPOT_PARTS * frame.message.spot, expected, atol=0.01)
    widget.close()


def test_a_radius_that_is_none_is_drawn_smallest_and_counted_and_a_huge_one_hides_no_other(written, tmp_path):
    path, _ = written
    copy = shutil.copytree(path, tmp_path / "copy.zarr")
    file = copy / "shapes" / "cells" / "shapes.parquet"
    table = pq.read_table(file)
    radii = table.column("radius").to_numpy().copy()
    radii[:6] = 0.0, np.nan, -3.0, np.inf, 1e30, 1e5
    pq.write_table(with_radii(table, radii), file)
    with open_dataset(copy, table="of_cells") as dataset:
        widths = np.sort(dataset.spot_widths())
        np.testing.assert_allclose(widths, [*[0] * 5, *np.sort(2 * radii[6:]), 2e5], rtol=1e-6)
        assert "5 of 20 circles of 'cells' have no usable radius; drawn smallest." in dataset.notes
        usable = radii[np.isfinite(radii) & (radii > 0) & (radii < 1e20)]
        assert dataset.sections().spot == pytest.approx(2 * np.median(usable))
        (frame,) = frames_of(Session(dataset, Settings(**PLAIN)))
        sizes = np.sort(frame.arrays["sizes"])
        np.testing.assert_allclose(sizes[5:-1], np.sort(2 * radii[6:]) / dataset.sections().spot * p.SPOT_PARTS, atol=1)
        assert (sizes[:5] == 0).all()
        assert sizes[-1] == 65_535
    radii[:] = np.nan
    pq.write_table(with_radii(table, radii), file)
    with open_dataset(copy, table="of_cells") as dataset:
        assert (dataset.sections().spot, dataset.spot_widths()) == (None, None)
