"""Laws of the image under a spatial embedding: in place, at scale, no finer than the screen, and read when shown."""

import io
from itertools import product

import numpy as np
import pytest
from PIL import Image

from cxg_widget import CxgWidget, errors
from cxg_widget.color.paper import PAPERS
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.datasets.base.sections import SectionImage
from cxg_widget.display.settings import Settings
from cxg_widget.draw.overlays.scale_bar import bar_for
from cxg_widget.session.session import Session
from cxg_widget.session.streams.tissue import MOST_PX, part_for
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset
from tests.stills import still

RED, GREEN, BLUE, YELLOW = (230, 20, 20), (20, 200, 20), (20, 20, 230), (230, 230, 20)
FACTORS = {"tissue_hires_scalef": 0.1, "tissue_lowres_scalef": 0.01, "spot_diameter_fullres": 100.0}
NAME = "V1/hires"


def quadrants(height=200, width=300):
    """Red and green above, blue and yellow beneath."""
    image = np.empty((height, width, 3), dtype=np.uint8)
    for lines, colors in ((slice(None, height // 2), (RED, GREEN)), (slice(height // 2, None), (BLUE, YELLOW))):
        image[lines, : width // 2], image[lines, width // 2 :] = colors
    return image


def section(image=None, factors=FACTORS):
    """Return three cells on a section of 3,000 x 2,000 units, whose y grows downwards."""
    xy = np.array([[100, 100], [2900, 100], [1500, 1900]], dtype=np.float32)
    kind = Codes(np.array([0, 1, 0], dtype=np.int16), ("a", "b"))
    dataset = MemoryDataset({"kind": kind}, np.ones((3, 1), np.float32), ["g"], {"spatial": xy, "umap": xy})
    dataset.images = {NAME: (quadrants() if image is None else image, factors)}
    return dataset


def asked(session, message):
    (frame,) = session.answer(message)
    return frame.message, frame.arrays


def picture(arrays):
    return np.asarray(Image.open(io.BytesIO(arrays["jpeg"].tobytes()))).astype(int)


def test_nothing_of_an_image_is_read_until_it_is_shown():
    dataset = section()
    w = CxgWidget(dataset, color="kind")
    still(w._session, None, (100, 100), paper=PAPERS["white"])
    assert asked(w._session, p.AskSections())[0].names == [NAME]
    assert not [one for one in dataset.reads if one.startswith("image")]
    w.tissue = True
    assert w.tissue == NAME
    assert not [one for one in dataset.reads if one.startswith("image")]
    asked(w._session, p.AskTissue(NAME, [0, 3000, 2000, 0], 300, 200))
    assert [one for one in dataset.reads if one.startswith("image")] == ["image V1/hires 0:200 0:300"]


def test_the_edges_of_an_image_are_those_of_matplotlib_over_the_scale_factor():
    message, arrays = asked(Session(section()), p.AskTissue(NAME, [0, 3000, 2000, 0], 300, 200))
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    left, right, bottom, top = axes.imshow(quadrants()).get_extent()
    plt.close(figure)
    np.testing.assert_allclose(message.extent, np.array([left, right, top, bottom]) / 0.1)
    assert (message.whole, message.per_px) == (message.extent, 1)
    assert message.um == pytest.approx(55 / 100)
    assert np.abs(picture(arrays) - quadrants()).mean() < 1


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "uint16"])
def test_whole_numbers_and_shares_are_the_same_colors_and_opacity_is_left_out(dtype):
    wanted = np.concatenate([quadrants(), np.full((200, 300, 1), 9, np.uint8)], axis=2)
    scale = {"uint8": 1, "uint16": 257}.get(dtype, 1 / 255)
    dataset = section((wanted * np.float64(scale)).astype(dtype))
    np.testing.assert_array_equal(dataset.section_image(NAME, (0, 200), (0, 300)), wanted[..., :3])


@pytest.mark.parametrize("step", [1, 2, 3, 8, 64])
def test_coarser_images_are_the_means_of_squares(step, monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.base.sections.TILE_PX", 24)
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, (131, 77, 3), dtype=np.uint8)
    found = section(image).section_image(NAME, (0, 131), (5, 70), step)
    part = image[:, 5:70]
    for line in range(0, 131, step):
        for column in range(0, 65, step):
            mean = part[line : line + step, column : column + step].reshape(-1, 3).mean(axis=0)
            np.testing.assert_allclose(found[line // step, column // step], mean, atol=0.51)
    assert found.shape == (-(-131 // step), -(-65 // step), 3)


@pytest.mark.parametrize("zoom", [1, 0.3, 0.05, 0.001])
def test_of_a_large_image_a_view_gets_what_it_shows_and_no_more_px_than_a_few_screens_have(zoom):
    image = SectionImage((20_000, 20_000), 0.5)
    half = 20_000 * zoom
    view = (20_000 - half, 20_000 + half, 20_000 + half, 20_000 - half)
    part = part_for(image, view, (800, 800))
    x0, x1, y0, y1 = image.extent_of(part.lines, part.columns)
    edges = image.extent
    assert x0 <= max(view[0], edges[0])
    assert x1 >= min(view[1], edges[1])
    assert y0 <= max(view[3], edges[2])
    assert y1 >= min(view[2], edges[3])
    assert 1 <= part.step <= max(2 * half * 0.5 / 800, 1)
    assert (part.lines[1] - part.lines[0]) / part.step <= max(MOST_PX, 2 * 1.5 * 800 + 2)


def test_a_large_image_is_read_in_tiles_of_bounded_memory_and_no_chunk_twice():
    class Rows:
        shape, dtype = (10_000, 10_000, 3), np.dtype(np.uint8)

        def __getitem__(self, key):
            lines, columns = key
            shape = (lines.stop - lines.start, columns.stop - columns.start, 3)
            sizes.append(np.prod(shape))
            chunks.extend(product(range(lines.start, lines.stop, 512), range(columns.start, columns.stop, 512)))
            return np.broadcast_to(np.uint8(7), shape)

    sizes, chunks = [], []
    dataset = section(Rows())
    found = dataset.section_image(NAME, (0, 10_000), (0, 10_000), 8)
    assert (found.shape, set(np.unique(found))) == ((1250, 1250, 3), {7})
    assert max(sizes) <= 16 * 2**20
    assert len(chunks) == len(set(chunks)) == 20**2


def test_reading_for_a_view_that_is_no_longer_wanted_ends_between_two_tiles(monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.base.sections.TILE_PX", 64)
    dataset = section()
    session = Session(dataset)
    read = dataset._read_section_image

    def overtaken(*part):
        list(session.answer(p.Cancel("tissue")))
        return read(*part)

    dataset._read_section_image = overtaken
    with pytest.raises(errors.Overtaken):
        asked(session, p.AskTissue(NAME, [0, 3000, 2000, 0], 300, 200))


@pytest.mark.parametrize("paper", ["white", "dark", "transparent"])
@pytest.mark.parametrize("render", ["points", "raster"])
def test_the_kernel_draws_the_quadrants_where_they_lie_and_y_down(paper, render):
    settings = Settings(embedding="spatial", tissue=NAME, render=render, legend=False)
    image, _ = still(Session(section(), settings), None, (600, 400), paper=PAPERS[paper])
    at = lambda x, y: tuple(image[y, x])  # noqa: E731
    assert at(150, 110) == (*RED, 255)
    assert at(450, 110) == (*GREEN, 255)
    assert at(150, 290) == (*BLUE, 255)
    assert at(360, 290) == (*YELLOW, 255)
    faded = Session(section(), Settings(embedding="spatial", tissue=NAME, tissue_opacity=0.5))
    pale = still(faded, None, (600, 400), paper=PAPERS["white"])[0][110, 150, :3]
    np.testing.assert_allclose(pale, (np.array(RED) + 255) / 2, atol=1)


def test_spots_are_as_wide_as_the_store_says_and_as_somebody_wants():
    settings = Settings(embedding="spatial")
    image, _ = still(Session(section(), settings), None, (600, 400), paper=PAPERS["white"])
    covered = (image[..., :3] != 255).any(axis=2)
    # 2,800 units and a margin of 4 % on either side on 600 px: a spot of 100 units is 19.8 px wide.
    columns = np.flatnonzero(covered[:200, :300].any(axis=0))
    assert columns.max() - columns.min() + 1 == pytest.approx(100 * 600 / (2800 * 1.08), abs=1.5)
    (points,) = [one for one in Session(section(), settings).streams.points() if one.message.start == 0][:1]
    assert points.message.spot == 100
    other = Session(section(), Settings(embedding="umap"))
    assert next(iter(other.streams.points())).message.spot == 0


def test_spots_and_the_scale_bar_are_those_of_the_library_on_show():
    dataset = section()
    finer = {"tissue_hires_scalef": 0.1, "spot_diameter_fullres": 10.0}
    dataset.images["V2/hires"] = (quadrants(), finer)
    dataset.images["V3/hires"] = (quadrants(), {"tissue_hires_scalef": 0.1})
    covered = {}
    for name, spot, um in ((NAME, 100, 0.55), ("V2/hires", 10, 5.5), ("V3/hires", 0, 0)):
        settings = Settings(embedding="spatial", tissue=name, tissue_opacity=0.0)
        session = Session(dataset, settings)
        message, _ = asked(session, p.AskTissue(name, [0, 3000, 2000, 0], 300, 200))
        assert (message.spot, message.um) == (spot, pytest.approx(um))
        assert next(iter(session.streams.points())).message.spot == 100  # of the first, where no image is shown
        view = (0.0, 3000.0, 2000.0, 0.0)
        image = still(session, view, (1500, 1000), paper=PAPERS["white"])[0]
        covered[name] = int((image[:150, :150, :3] != 255).any(axis=2).any(axis=0).sum())
    assert covered[NAME] == pytest.approx(50, abs=2)
    assert covered["V2/hires"] == pytest.approx(5, abs=1)


@pytest.mark.parametrize(
    ("image", "factors", "said"),
    [
        (np.zeros((4, 4, 7), np.uint8), FACTORS, "its shape is (4, 4, 7); it must be (height, width, 3)"),
        (np.zeros(4, np.uint8), FACTORS, "its shape is (4,); it must be (height, width, 3)"),
        (np.zeros((4, 4, 3), complex), FACTORS, "its values must be uint8, or numbers from 0 to 1"),
        (quadrants(), {"spot": 3.0}, "'tissue_hires_scalef' is missing or is not a positive"),
        (quadrants(), {"tissue_hires_scalef": np.nan}, "'tissue_hires_scalef' is missing or is not"),
    ],
)  # fmt: skip
def test_a_damaged_image_is_one_sentence_and_the_cells_still_show(image, factors, said):
    dataset = section(image, factors)
    w = CxgWidget(dataset)
    with pytest.raises(errors.InvalidStore) as caught:
        w.tissue = True
    assert said in str(caught.value)
    assert str(caught.value).count("\n") == 0
    assert w.tissue is None
    assert still(w._session, None, (100, 100), paper=PAPERS["white"])[0].min() < 255


def test_an_image_that_cannot_be_read_is_left_out_of_the_picture():
    dataset = section()
    dataset._broken.add("image V1/hires 0:200 0:300")
    session = Session(dataset, Settings(embedding="spatial", tissue=NAME))
    with pytest.raises(errors.DamagedStore):
        asked(session, p.AskTissue(NAME, [0, 3000, 2000, 0], 300, 200))
    assert still(session, None, (100, 100), paper=PAPERS["white"])[0].min() < 255


def test_tissue_is_a_step_and_part_of_the_state_and_what_is_none_is_refused():
    w = CxgWidget(section())
    w.tissue = "V1"
    assert (w.tissue, w.state["tissue"]) == (NAME, NAME)
    assert CxgWidget(w.dataset, **w.state).tissue == NAME
    w.tissue_opacity = 0.4
    w.undo()
    assert (w.tissue, w.tissue_opacity) == (None, 0.4)
    with pytest.raises(errors.UnknownName, match=r"no image of a section 'V2'.*'V1/hires'"):
        w.tissue = "V2"
    bare = section()
    bare.images = {}
    with pytest.raises(errors.InvalidValue, match="this dataset has no image"):
        CxgWidget(bare, tissue=True)


@pytest.mark.parametrize("um_per_px", [0.001, 0.37, 1, 55, 1234])
def test_a_scale_bar_is_the_longest_round_number_that_takes_a_quarter_of_the_width(um_per_px):
    long, text = bar_for(um_per_px, 800)
    number, unit = text.split()
    um = float(number) * {"mm": 1000, "µm": 1}[unit]
    assert long * um_per_px == pytest.approx(um)
    assert f"{um:e}"[0] in "125"
    assert 80 - 1e-6 <= long <= 200 + 1e-6


def test_the_unit_is_that_of_a_visium_spot_unless_it_is_stated_or_there_is_none():
    def um(factors):
        return section(factors={"tissue_hires_scalef": 1.0, **factors}).sections().um

    assert um({"spot_diameter_fullres": 89.4}) == pytest.approx(55 / 89.4)
    assert um({"spot_diameter_fullres": 89.4, "microns_per_pixel": 0.25}) == 0.25
    assert um({}) is None
    assert um({"spot_diameter_fullres": 1.0}) is None
    assert um({"spot_diameter_fullres": 10.0, "transformation_matrix": 1.0}) is None
