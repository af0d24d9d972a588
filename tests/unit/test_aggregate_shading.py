"""Laws of the pixels made from planes: colors by share, opacity by density, codes that decode to the mean."""

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from cxg_widget.color.rgb import DIMMED
from cxg_widget.datasets.base.dataset import Codes, Vector
from cxg_widget.draw.aggregate.canvas import CountImages, aggregate
from cxg_widget.draw.aggregate.image_columns import arrange, arrange_codes, arrange_vector
from cxg_widget.draw.aggregate.opacity import opacity
from cxg_widget.draw.aggregate.planes import Planes
from cxg_widget.draw.aggregate.shading import NumberImage, number_image, shade
from cxg_widget.draw.image_files import blank_lines, encode_lines, encode_png
from cxg_widget.errors import InvalidValue
from cxg_widget.wire.encoding import describe
from cxg_widget.wire.levels import Levels
from tests.unit.test_aggregate_planes import HEIGHT, VIEW, WIDTH, Index, canvas, frame, numbers, pixels, points

COLORS = np.array([[200, 10, 0], [0, 150, 40], [30, 60, 250]], dtype=np.uint8)
GREY = (1, 2, 3)


def categories(n, *, seed=1):
    return Codes(np.random.default_rng(seed).integers(-1, 3, n).astype(np.int8), ("a", "b", "c"))


def mixed(counts):
    """Colors by share (h, w, 3) of counts (h, w, 3)."""
    total = counts.sum(axis=2, keepdims=True)
    return np.where(total > 0, counts @ COLORS.astype(np.float64) / np.maximum(total, 1), 0)


def test_a_pixel_has_the_mean_color_of_its_cells_and_grey_where_all_are_missing():
    n = 3000
    xy, codes = points(n), categories(3000)
    index = Index(xy)
    image = shade(aggregate(index, arrange(index, codes), VIEW, (WIDTH, HEIGHT), colors=COLORS), missing=GREY)
    line, column, inside = pixels(xy)
    counts = np.zeros((HEIGHT, WIDTH, 4))
    np.add.at(counts, (line[inside], column[inside], codes.codes[inside].astype(int)), 1)
    expected = np.where(counts[:, :, :3].any(axis=2)[:, :, None], mixed(counts[:, :, :3]), GREY)
    seen = counts.any(axis=2)
    assert np.abs(image[seen, :3] - expected[seen]).max() <= 0.5 + 1e-9
    np.testing.assert_array_equal(image[:, :, 3] > 0, seen)
    assert not image[~seen].any()


@pytest.mark.parametrize("how", ["linear", "log", "cbrt", "eq_hist"])
def test_color_and_opacity_are_those_of_datashader(how):
    shading = pytest.importorskip("datashader.transfer_functions")
    n = 5000
    xy, codes = points(n, missing=False), categories(n)
    xy, codes = xy[codes.codes >= 0], Codes(codes.codes[codes.codes >= 0], codes.categories)
    index = Index(xy)
    image = shade(aggregate(index, arrange(index, codes), VIEW, (WIDTH, HEIGHT), colors=COLORS), how)
    datashader, plane = canvas()
    column = pd.Categorical.from_codes(codes.codes, codes.categories)
    by = plane.points(frame(xy, c=column), "x", "y", datashader.by("c", datashader.count()))
    key = ["#{:02x}{:02x}{:02x}".format(*color) for color in COLORS.tolist()]
    theirs = shading.shade(by, color_key=key, how=how).to_numpy()[::-1]
    theirs = np.ascontiguousarray(theirs).view(np.uint8).reshape(HEIGHT, WIDTH, 4)
    # datashader cuts off where we round, and does the same arithmetic in another order.
    assert np.abs(image[:, :, 3].astype(int) - theirs[:, :, 3]).max() <= 1
    seen = image[:, :, 3] > 0
    assert np.abs(image[seen].astype(int) - theirs[seen]).max() <= 1


@pytest.mark.parametrize("how", ["linear", "log", "cbrt", "eq_hist"])
def test_opacity_grows_with_the_count_from_the_lowest_to_the_highest(how):
    counts = np.array([[0, 1, 2, 3, 50, 50, 10_000_000]])
    found = opacity(counts, how, lowest=40)[0].astype(int)
    assert (np.diff(found) >= 0).all()
    assert (found[0], found[1], found[-1]) == (0, 40, 255)


@pytest.mark.parametrize("how", ["linear", "log", "cbrt", "eq_hist"])
@pytest.mark.parametrize("of_one", [0.16, 0.5, 1.0])
def test_where_few_cells_are_in_view_a_pixel_is_as_opaque_as_its_cells_above_each_other(how, of_one):
    counts = np.random.default_rng(1).poisson(3, (20, 30))
    layered = 255 * (1 - np.prod(np.where(np.arange(counts.max()) < counts[..., None], 1 - of_one, 1.0), axis=-1))
    assert np.abs(opacity(counts, how, solid=(1.0, of_one)) - layered).max() <= 1
    half = (opacity(counts, how).astype(float) + layered) / 2
    assert np.abs(opacity(counts, how, solid=(0.5, of_one)) - half)[counts > 0].max() <= 1


@pytest.mark.parametrize("how", ["linear", "log", "cbrt", "eq_hist"])
def test_counts_too_large_for_a_table_have_the_same_opacity(how):
    counts = np.random.default_rng(0).integers(0, 50, (30, 40))
    found = opacity(counts, how)
    many = opacity(counts.astype(np.uint64) * 10**6, how)
    if how == "log":
        assert (np.diff(many.reshape(-1)[np.argsort(counts, axis=None)].astype(int)) >= 0).all()
    else:
        np.testing.assert_array_equal(many, found)


@pytest.mark.parametrize("counts", [np.zeros((3, 4), int), np.full((3, 4), 7), np.eye(3, dtype=int)])
def test_equal_counts_are_wholly_opaque_and_none_are_not_there(counts):
    np.testing.assert_array_equal(opacity(counts), np.where(counts > 0, 255, 0))


def test_a_single_selected_cell_among_a_million_is_seen_in_its_color():
    rng = np.random.default_rng(0)
    xy = np.zeros((1_000_000, 2), dtype=np.float32)
    xy[:] = rng.normal(0.5, 0.3, xy.shape)
    xy[0] = 0.5
    codes = Codes(np.zeros(1_000_000, dtype=np.int8), ("a", "b"))
    codes.codes[0] = 1
    index = Index(xy)
    selected = index.rows == 0
    planes = aggregate(index, arrange(index, codes), VIEW, (WIDTH, HEIGHT), colors=COLORS[:2], selected=selected)
    image = shade(planes).astype(int)
    line, column, _ = pixels(xy[:1])
    alone = image[line[0], column[0]]
    assert np.abs(alone[:3] - COLORS[1]).max() <= 60
    assert alone[3] >= 200
    image[line[0], column[0]] = 0
    assert 0 < image[:, :, 3].max() <= round(255 * DIMMED)
    np.testing.assert_array_equal(image[image[:, :, 3] > 0, :3].mean(axis=0), COLORS[0])


def test_selected_colors_lie_over_the_context():
    totals = np.zeros((2, 1, 1, 4), dtype=np.uint32)
    totals[0, 0, 0], totals[1, 0, 0] = (100 * 10, 0, 0, 10), (0, 80, 0, 1)
    found = shade(Planes(totals))[0, 0].astype(float)
    below, above = round(255 * DIMMED) / 255, 1.0
    opaque = above + below * (1 - above)
    np.testing.assert_allclose(
        found, [100 * below * (1 - above) / opaque, 80 * above / opaque, 0, 255 * opaque], atol=1
    )


def test_codes_decode_to_the_mean_and_missing_is_where_no_cell_has_a_value():
    n = 3000
    xy = points(n)
    vector, dense = numbers(n, density=0.3, fill=0.0, missing=0.5)
    index, described = Index(xy), describe(vector, n)
    image = number_image(aggregate(index, arrange(index, described), VIEW, (WIDTH, HEIGHT)))
    line, column, inside = pixels(xy)
    groups = pd.Series(dense[inside]).groupby(line[inside] * WIDTH + column[inside])
    expected = np.full(WIDTH * HEIGHT, np.nan)
    expected[groups.mean().index] = groups.mean()
    expected, codes = expected.reshape(HEIGHT, WIDTH), image.codes.astype(float)
    np.testing.assert_array_equal(image.codes == 65535, np.isnan(expected))
    step = (described.hi - described.lo) / 65534
    known = ~np.isnan(expected)
    assert np.abs(described.lo + codes[known] * step - expected[known]).max() <= 1.5 * step
    seen = np.zeros((HEIGHT, WIDTH), dtype=bool)
    seen[line[inside], column[inside]] = True
    np.testing.assert_array_equal(image.alpha > 0, seen)


def test_the_highest_value_is_shown_where_it_was_asked_for():
    xy = np.full((5, 2), 0.5, dtype=np.float32)
    index = Index(xy)
    column = arrange_vector(index, Vector(np.array([0, 1, 4, 2, np.nan], np.float32)), Levels(0, 8))
    image = number_image(aggregate(index, column, VIEW, (WIDTH, HEIGHT), statistic="max"))
    assert image.codes[image.alpha > 0].tolist() == [32767]


def test_a_selected_cell_shows_its_own_number():
    xy = np.full((1000, 2), 0.5, dtype=np.float32)
    index = Index(xy)
    values = np.zeros(1000, np.float32)
    values[17] = 8
    column = arrange_vector(index, Vector(values), Levels(0, 8))
    image = number_image(aggregate(index, column, VIEW, (WIDTH, HEIGHT), selected=index.rows == 17))
    assert image.codes[image.alpha > 0].tolist() == [65534]
    assert image.alpha.max() == 255


def test_a_number_has_the_same_color_whether_its_cell_is_alone_or_one_of_a_crowd():
    xy = np.full((1000, 2), 0.5, dtype=np.float32)
    xy[0] = 0.1
    index = Index(xy)
    values = np.zeros(1000, np.float32)
    values[0] = 8
    for vector in (Vector(values), Vector(values[:1], np.array([0]))):
        image = number_image(aggregate(index, arrange_vector(index, vector, Levels(0, 8)), VIEW, (WIDTH, HEIGHT)))
        assert np.unique(image.alpha[image.codes < 65535]).tolist() == [255]
        assert (image.codes == 65534).sum() == (image.codes == 0).sum() == 1


def test_another_gene_in_the_same_view_has_the_numbers_of_its_own_planes():
    xy = points(2000)
    index, counts = Index(xy), CountImages()
    for density, fill in ((0.1, 0.0), (0.2, 0.25)):
        vector, _ = numbers(2000, density=density, fill=fill)
        column = arrange(index, describe(vector, 2000))
        kept = aggregate(index, column, VIEW, (WIDTH, HEIGHT), counts=counts)
        alone = aggregate(index, column, VIEW, (WIDTH, HEIGHT))
        np.testing.assert_array_equal(number_image(kept).page, number_image(alone).page)


@pytest.mark.parametrize("density", [0.1, 1.0])
@pytest.mark.parametrize("weight", [0, 0.25, 1])
def test_a_number_lies_between_the_mean_and_the_highest_of_its_cells_by_the_weight(density, weight):
    n = 3000
    xy = points(n)
    vector, dense = numbers(n, density=density, fill=0.25, missing=0.1)
    index, described = Index(xy), describe(vector, n)
    planes = aggregate(index, arrange(index, described), VIEW, (WIDTH, HEIGHT), statistic="both")
    line, column, inside = pixels(xy)
    groups = pd.Series(dense[inside]).groupby(line[inside] * WIDTH + column[inside])
    mean, highest = (groups.mean(), groups.max())
    expected = np.full(WIDTH * HEIGHT, np.nan)
    expected[mean.index] = mean + weight * (highest - mean)
    codes, step = number_image(planes, weight).codes.ravel().astype(float), (described.hi - described.lo) / 65534
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(codes == 65535, ~known)
    assert np.abs(described.lo + codes[known] * step - expected[known]).max() <= 1.5 * step


def test_planes_of_numbers_have_no_colors_and_others_no_numbers():
    index = Index(points(30))
    column = arrange_vector(index, Vector(np.ones(30, np.float32)), Levels(0, 1))
    for statistic in ("mean", "max"):
        with pytest.raises(InvalidValue, match="number_image"):
            shade(aggregate(index, column, VIEW, (WIDTH, HEIGHT), statistic=statistic))
    with pytest.raises(InvalidValue, match="shade"):
        number_image(aggregate(index, None, VIEW, (WIDTH, HEIGHT)))
    column = arrange_codes(index, categories(30))
    with pytest.raises(InvalidValue, match="shade"):
        number_image(aggregate(index, column, VIEW, (WIDTH, HEIGHT), colors=COLORS))


def read_png(data):
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(data))
    image.load()
    return np.asarray(image)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (37, 51), (600, 800)])
def test_png_files_give_back_every_pixel(shape):
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (*shape, 4), dtype=np.uint8)
    image[rng.random(shape) < 0.5] = 0
    np.testing.assert_array_equal(read_png(encode_png(image)), image)
    numbers = NumberImage(*blank_lines(*shape, 3))
    numbers.page[:] = image[:, :, :3]
    found = read_png(encode_lines(numbers.lines, 3)).astype(np.uint16)
    np.testing.assert_array_equal(found[:, :, 0] * 256 + found[:, :, 1], numbers.codes)
    np.testing.assert_array_equal(found, image[:, :, :3])
    np.testing.assert_array_equal(numbers.alpha, image[:, :, 2])
    np.testing.assert_array_equal(read_png(encode_png(image[:, :, :3])), image[:, :, :3])


@pytest.mark.slow
def test_importing_compiles_nothing():
    script = (
        "import cxg_widget.draw.aggregate, sys; print(sorted({'numba', 'pandas', 'datashader'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_warming_up_leaves_nothing_to_compile():
    script = """
from cxg_widget.draw.aggregate import pixel_loops, pixels
from cxg_widget.draw.aggregate.warming import warm_up
import numpy as np
assert warm_up() is warm_up()
warm_up().join()
loops = [pixel_loops.count, pixel_loops.mix, pixel_loops.total,
         pixels.spread, pixels.paint, pixels.number]
before = [len(loop.signatures) for loop in loops]
assert min(before) > 0, before
from tests.unit.test_aggregate_shading import *
def everything():
    xy = points(500)
    index = Index(xy)
    vector, dense = numbers(500, density=0.1, fill=0.0)
    described = describe(vector, 500)
    selected = index.rows % 2 == 0
    wide = Codes(np.arange(500, dtype=np.int16) - 1, tuple(range(499)))
    for chosen in (None, selected):
        for spread in (1, 3):
            options = {"selected": chosen, "spread": spread}
            for codes, colors in ((categories(500), COLORS), (wide, np.zeros((499, 3), np.uint8))):
                shade(aggregate(index, arrange(index, codes), VIEW, (WIDTH, HEIGHT), colors=colors, **options))
            shade(aggregate(index, None, VIEW, (WIDTH, HEIGHT), **options))
            for column in (arrange(index, described), arrange_vector(index, Vector(dense), described.levels)):
                for statistic in ("mean", "max", "both"):
                    number_image(aggregate(index, column, VIEW, (WIDTH, HEIGHT), statistic=statistic, **options), 0.5)
everything()
assert [len(loop.signatures) for loop in loops] == before, (before, [loop.signatures for loop in loops])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_a_pixel_has_the_code_of_zero_only_if_its_cells_come_to_zero(weight):
    n = 4_000
    xy, values = points(n), np.zeros(n, dtype=np.float32)
    values[::7] = np.random.default_rng(2).exponential(1e-5, values[::7].size)
    values[0] = 9.0
    index, data = Index(xy), describe(Vector(values), n)
    statistic = "both" if weight else "mean"
    planes = aggregate(index, arrange(index, data), VIEW, (WIDTH, HEIGHT), statistic=statistic)
    image = number_image(planes, weight, levels=data.levels)
    line, column, inside = pixels(xy)
    highest = np.zeros((HEIGHT, WIDTH))
    np.maximum.at(highest, (line[inside], column[inside]), values[inside])
    seen = image.alpha > 0
    np.testing.assert_array_equal((image.codes == 0)[seen], (highest == 0)[seen])
