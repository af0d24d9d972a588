"""Laws of pixels of few cells, which lean on those around; expected values by NumPy and SciPy."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.stats import spearmanr

from cxg_widget.draw.aggregate.canvas import Aggregator, aggregate
from cxg_widget.draw.aggregate.image_columns import NumberColumn
from cxg_widget.draw.aggregate.leaning import AROUND, leaning_means
from cxg_widget.draw.aggregate.planes import Planes
from cxg_widget.draw.aggregate.shading import number_image
from cxg_widget.draw.points.crowding import BEHIND
from cxg_widget.spatial import SpatialIndex
from cxg_widget.wire.levels import Levels

WIDTH, HEIGHT = 160, 120
VIEW = (-12.0, 12.0, -9.0, 9.0)


@dataclass
class Tissue:
    """Clusters of cells; in some most express a gene, in the others one in twenty does: codes, places, planes."""

    codes: np.ndarray
    xy: np.ndarray
    index: SpatialIndex

    def planes(self, aggregator: Aggregator = "auto", selected: np.ndarray | None = None, spread: int = 1) -> Planes:
        column = NumberColumn(self.codes[self.index.rows], Levels(0.0, 1.0), False)
        return aggregate(
            self.index, column, VIEW, (WIDTH, HEIGHT), aggregator=aggregator, selected=selected, spread=spread
        )


@pytest.fixture(scope="module")
def tissue() -> Tissue:
    rng = np.random.default_rng(1)
    n, k = 200_000, 6
    which = rng.integers(0, k, n)
    middle = np.array([[-6, -4], [-6, 4], [0, -4], [0, 4], [6, -4], [6, 4]])
    xy = (middle[which] + rng.standard_t(4, (n, 2)) * 0.8).astype(np.float32)
    share = np.array([0.02, 0.05, 0.08, 0.15, 0.5, 0.7])[which]
    codes = np.where(rng.random(n) < share, np.clip(rng.normal(40_000, 8_000, n), 5_000, 65_000), 0)
    return Tissue(codes.astype(np.uint16), xy, SpatialIndex.build(xy))


def reference(totals: np.ndarray, behind: float, around: int) -> np.ndarray:
    """Return the means of one layer (h, w, 2), pixel by pixel."""
    sums, counts = totals[..., 0].astype(float), totals[..., 1].astype(float)
    means = np.zeros(counts.shape)
    for line, column in np.argwhere(counts > 0):
        n = counts[line, column]
        means[line, column] = sums[line, column] / n
        for reach in (1, 2, 4, 8, 16, 32) if n < behind else ():
            box = np.s_[max(line - reach, 0) : line + reach + 1, max(column - reach, 0) : column + reach + 1]
            if counts[box].sum() >= around or reach == 32:
                near = sums[box].sum() / counts[box].sum()
                means[line, column] = (sums[line, column] + (behind - n) * near) / behind
                break
    return means


def shown_and_expected(
    planes: Planes, view: tuple[float, ...], xy: np.ndarray, codes: np.ndarray, behind: float = BEHIND
) -> tuple[np.ndarray, np.ndarray]:
    """Return of each pixel that holds cells its code, and the mean of the 50 cells nearest to its middle."""
    height, width = planes.totals.shape[1:3]
    lines, columns = np.nonzero(planes.totals[0, ..., 1])
    x = view[0] + (columns + 0.5) * (view[1] - view[0]) / width
    y = view[3] - (lines + 0.5) * (view[3] - view[2]) / height
    _, nearest = cKDTree(xy).query(np.column_stack([x, y]), 50)
    return number_image(planes, behind=behind).codes[lines, columns], codes[nearest].mean(axis=1)


@pytest.mark.parametrize("behind", [1, 5, BEHIND])
def test_means_are_those_of_a_slow_reference_in_each_layer(tissue, behind):
    planes = tissue.planes(selected=np.arange(tissue.index.n) % 7 == 0)
    expected = [reference(layer, behind, AROUND) for layer in planes.totals]
    np.testing.assert_allclose(leaning_means(planes, behind), expected, rtol=1e-12, atol=1e-9)


def test_a_pixel_of_enough_cells_shows_their_plain_mean_to_the_bit(tissue):
    planes = tissue.planes()
    sums, counts = planes.totals[0, ..., 0], planes.totals[0, ..., 1]
    enough = counts >= BEHIND
    assert 0.1 < enough.sum() / (counts > 0).sum() < 0.9
    np.testing.assert_array_equal(leaning_means(planes, BEHIND)[0][enough], (sums / np.maximum(counts, 1))[enough])


def test_a_cell_with_none_around_it_keeps_its_own_number():
    totals = np.zeros((1, 90, 90, 2), np.uint64)
    totals[0, 2, 3] = 50_000, 1
    totals[0, 80, 80] = 0, 40
    assert leaning_means(Planes(totals), BEHIND)[0, 2, 3] == 50_000


def test_lone_cells_at_the_rim_of_clusters_are_saturated_no_more_often_than_the_bulk(tissue):
    planes = tissue.planes()
    counts = planes.totals[0, ..., 1]
    codes = number_image(planes, behind=BEHIND).codes.astype(float)
    top = np.quantile(np.repeat(codes[counts > 0], counts[counts > 0].astype(int)), 0.995)
    rim, bulk = (counts > 0) & (counts < 5), counts >= 5
    plain = number_image(planes).codes
    assert (plain[rim] >= top).mean() > 2 * (plain[bulk] >= top).mean()
    assert (codes[rim] >= top).mean() <= (codes[bulk] >= top).mean()


def test_colors_rank_as_the_means_of_the_50_nearest_cells_do(tissue):
    planes = tissue.planes()
    assert spearmanr(*shown_and_expected(planes, VIEW, tissue.xy, tissue.codes))[0] >= 0.9
    assert spearmanr(*shown_and_expected(planes, VIEW, tissue.xy, tissue.codes, behind=1))[0] < 0.8


@pytest.mark.parametrize(("seed", "width", "zoom"), [(2, 128, 1), (2, 256, 1), (2, 128, 4), (4, 64, 2)])
def test_colors_of_30_clusters_rank_so_too_whole_and_in_part(seed, width, zoom):
    """Of 300,000 cells, as many to a pixel as of 3 and 10 million in 800 x 600: from 7 to 32."""
    rng = np.random.default_rng(seed)
    n, k = 300_000, 30
    middle, shares, scale = rng.uniform(-12, 12, (k, 2)), rng.dirichlet(np.full(k, 2)), rng.uniform(0.4, 1.4, k)
    which = rng.choice(k, n, p=shares)
    xy = (middle[which] + rng.standard_t(4, (n, 2)) * scale[which][:, None]).astype(np.float32)
    is_expressed = rng.random(n) < rng.permutation(np.geomspace(0.01, 0.8, k))[which]
    codes = np.where(is_expressed, np.clip(rng.normal(32_000, 6_000, n), 2_000, 65_000), 0).astype(np.uint16)
    index, size = SpatialIndex.build(xy), (width, width * 3 // 4)
    (x, y), half = (0, 0) if zoom == 1 else xy[0], 16 / zoom
    view = x - half, x + half, y - 0.75 * half, y + 0.75 * half
    planes = aggregate(index, NumberColumn(codes[index.rows], Levels(0.0, 1.0), False), view, size)
    assert spearmanr(*shown_and_expected(planes, view, xy, codes))[0] >= 0.9


@pytest.mark.parametrize("spread", [1, 3])
def test_both_engines_and_parts_of_the_cells_come_to_the_same_pixels(tissue, spread):
    planes = tissue.planes(spread=spread)
    expected = number_image(planes, behind=BEHIND, spread=spread).page
    by_datashader = number_image(tissue.planes("datashader", spread=spread), behind=BEHIND, spread=spread)
    np.testing.assert_array_equal(by_datashader.page, expected)
    half = np.arange(tissue.index.n) % 2 == 0
    both = tissue.planes(selected=half, spread=spread)
    parts = [Planes(both.totals[[layer]]) for layer in (0, 1)]
    added = number_image(parts[0] + parts[1], behind=BEHIND, spread=spread)
    np.testing.assert_array_equal(added.page, expected)


def test_a_highest_number_leans_on_nothing(tissue):
    column = NumberColumn(tissue.codes[tissue.index.rows], Levels(0.0, 1.0), False)
    planes = aggregate(tissue.index, column, VIEW, (WIDTH, HEIGHT), statistic="max")
    np.testing.assert_array_equal(number_image(planes, 1, behind=BEHIND).page, number_image(planes, 1).page)
