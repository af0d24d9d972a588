"""Images of SpatialData that a system turns, mirrors, shears, stretches or swaps, beside what spatialdata finds."""

import json
import shutil
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
import zarr
from scipy import ndimage

from cxg_widget import CxgWidget, errors, open_dataset
from cxg_widget.color.paper import PAPERS
from cxg_widget.datasets.base import sections
from cxg_widget.wire import protocol as p
from tests.stills import still

TOLERANCE = 1.5
SYSTEMS = ("global", "turned", "mirrored", "sheared", "stretched", "swapped")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("turned")
    with ZipFile(Path(__file__).parent / "written" / "spatialdata_turned.zip") as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def path(written):
    return written / "sample.zarr"


@pytest.fixture(scope="module")
def truth(written):
    return json.loads((written / "truth.json").read_text())


def open_masks(path, system="global", **options):
    return open_dataset(path, table="of_masks", coordinate_system=system, **options)


def whole(dataset, name, step=1):
    image = dataset.find_image(name)
    return dataset.section_image(name, (0, image.shape[0]), (0, image.shape[1]), step)


def middles(image, shape, step=1):
    """Return x and y of the middles of px, in units of the coordinates."""
    x, _, y, _ = image.extent
    lines, columns = np.mgrid[: shape[0], : shape[1]]
    return x + (columns + 0.5) * step / image.scale, y + (lines + 0.5) * step / image.scale


def on_ramp(matrix, x, y, edge=2):
    """Return what the ramp holds at places of a system, and where it is there, but for some px at its edges."""
    matrix = np.array(matrix)
    u, v = np.linalg.inv(matrix[:2, :2]) @ [(x - matrix[0, 2]).ravel(), (y - matrix[1, 2]).ravel()]
    is_there = (u > edge) & (u < 120 - edge) & (v > edge) & (v < 96 - edge)
    return np.stack([2 * u - 1, 2 * v - 1], axis=-1).reshape(*x.shape, 2), is_there.reshape(x.shape)


@pytest.mark.parametrize("system", SYSTEMS)
def test_bright_px_lie_where_spatialdata_finds_the_centroids_of_their_labels(path, truth, system):
    with open_masks(path, system) as dataset:
        image, pixels = dataset.find_image("bright"), whole(dataset, "bright")[..., 0]
        bright, n = ndimage.label(pixels > 100)
        weights = np.where(bright, pixels.astype(float), 0)
        lines, columns = np.array(ndimage.center_of_mass(weights, bright, range(1, n + 1))).T
        x, _, y, _ = image.extent
        found = np.column_stack([x + (columns + 0.5) / image.scale, y + (lines + 0.5) / image.scale])
        expected = np.array(list(truth["centroids"][f"masks|{system}"].values()))
        assert n == len(expected) == 20
        distances = np.linalg.norm(found[:, None] - expected[None], axis=-1)
        assert set(distances.argmin(axis=0)) == set(range(20))
        assert distances.min(axis=0).max() < 0.25 / image.scale
        # Rows begin with the last label, and end with one that there is not.
        np.testing.assert_allclose(dataset.embedding("spatial")[:-1], expected[:1:-1], rtol=1e-6)


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_px_is_what_the_image_holds_there_at_every_level(path, truth, system):
    with open_masks(path, system) as dataset:
        image = dataset.find_image("ramp")
        assert image.levels == (1, 2, 4)
        for step in (1, 2, 4, 8):
            pixels = whole(dataset, "ramp", step)
            expected, is_there = on_ramp(truth["matrices"][system], *middles(image, pixels.shape, step), 2 + 2 * step)
            assert is_there.any()
            np.testing.assert_allclose(pixels[..., :2][is_there], expected[is_there], atol=TOLERANCE)


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_image_has_the_extent_and_px_that_spatialdata_gives_it(path, truth, written, system):
    made = np.load(written / "rasters.npz")[system]
    with open_masks(path, system) as dataset:
        image, pixels = dataset.find_image("ramp"), whole(dataset, "ramp").astype(float)
        # `get_extent` of a turned image is that of the box around it; its last px may end a part of a px beyond it.
        np.testing.assert_allclose(image.extent, truth["extents"][system], atol=1 / image.scale)
        x0, _, y0, _ = truth["extents"][system]
        lines, columns = np.mgrid[: made.shape[1], : made.shape[2]]
        x, y = x0 + columns + 0.5, y0 + lines + 0.5
        _, is_there = on_ramp(truth["matrices"][system], x, y)
        places = [image.px_at(at, axis)[is_there] - 0.5 for at, axis in ((y, 1), (x, 0))]
        here = np.stack([ndimage.map_coordinates(pixels[..., one], places, order=1) for one in (0, 1)])
        # `rasterize` takes the nearest px, and the corners of px for their middles: up to a px, which is 2, or 4.
        far = 2 * (1 + np.abs(np.linalg.inv(np.array(truth["matrices"][system])[:2, :2])).sum(axis=1).max())
        assert np.abs(here - np.moveaxis(made[:2], 0, -1)[is_there].T).max() <= far


def test_an_outline_covers_what_lies_in_the_image_and_its_last_px_go_on_beyond(path, truth):
    with open_masks(path, "turned") as dataset:
        image, pixels = dataset.find_image("ramp"), whole(dataset, "ramp")
        x, y = middles(image, pixels.shape)
        covered = image.covers(x, y)
        np.testing.assert_array_equal(covered, on_ramp(truth["matrices"]["turned"], x, y, 0)[1])
        assert pixels[..., 2].min() == pixels[..., 2].max() == 99
        assert not image.covers(np.array([-1e6]), np.array([0.0])).any()
    with open_masks(path) as dataset:
        assert dataset.find_image("ramp").outline == ()


def test_a_transformation_that_leaves_a_line_of_an_image_is_one_sentence_and_cells_are_drawn(path, tmp_path):
    copy = shutil.copytree(path, tmp_path / "copy.zarr")
    edit(copy, "images/ramp", flatten)
    with open_masks(copy, "turned") as dataset:
        assert np.isfinite(dataset.embedding("spatial")[:-1]).all()
        with pytest.raises(
            errors.InvalidStore, match="'ramp' is not drawn in 'turned': the transformation flattens it"
        ):
            dataset.find_image("ramp")
        assert "bright" in dataset.sections().images


def test_an_element_that_is_damaged_is_left_out_with_a_note_and_the_others_open(path, tmp_path):
    copy = shutil.copytree(path, tmp_path / "copy.zarr")
    edit(copy, "images/ramp", lambda attributes: attributes["ome"]["multiscales"][0].pop("axes"))
    edit(copy, "images/panel", spoil)
    with open_masks(copy, "turned") as dataset:
        assert {"bright", "scan"} <= set(dataset.sections().images)
        assert any(note.startswith("images/ramp is left out") for note in dataset.notes)
        assert any(note.startswith("images/panel is left out") for note in dataset.notes)


def flatten(attributes):
    for one in attributes["ome"]["multiscales"][0]["coordinateTransformations"]:
        if one["output"]["name"] == "turned":
            one["affine"] = [[1.0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0]]


def spoil(attributes):
    attributes["ome"]["multiscales"][0]["coordinateTransformations"][1]["type"] = "spline"


def edit(path, name, change):
    """Change the attributes of an element, in its own metadata and in those of the whole store."""
    own = json.loads((path / name / "zarr.json").read_text())
    change(own["attributes"])
    (path / name / "zarr.json").write_text(json.dumps(own))
    document = json.loads((path / "zarr.json").read_text())
    document["consolidated_metadata"]["metadata"][name]["attributes"] = own["attributes"]
    (path / "zarr.json").write_text(json.dumps(document))


def test_solids_lie_at_their_centroids_over_all_planes_and_under_a_tilt(path, truth):
    for system in ("global", "tilted"):
        with open_dataset(path, table="of_solids", coordinate_system=system) as dataset:
            expected = list(truth["centroids"][f"solids|{system}"].values())
            np.testing.assert_allclose(dataset.embedding("spatial"), expected, rtol=1e-6)
            assert any("of the 4 planes of 'stack' the middle one is drawn" in note for note in dataset.notes)
            image = dataset.find_image("stack")
            # The middle of the third plane is z = 2.5, which the tilt shifts by 1.25 and 0.625.
            expected = (0, 30, 0, 24) if system == "global" else (11.25, 71.25, 20.625, 68.625)
            np.testing.assert_allclose(image.extent, expected)


def test_a_table_of_two_regions_lies_where_each_has_a_place(path, truth):
    both = truth["tables"]["of_both"]
    for system, lost in (("global", 0), ("own", 6)):
        with open_dataset(path, table="of_both", coordinate_system=system) as dataset:
            places = [truth["centroids"].get(f"{name}|{system}", {}) for name in both["region"]]
            expected = [one.get(key, [np.nan] * 2) for one, key in zip(places, both["instance"], strict=True)]
            np.testing.assert_allclose(dataset.embedding("spatial"), expected, rtol=1e-6)
            said = f"{lost} of 12 cells belong to no region in 'own'."
            assert (said in dataset.notes) == (lost > 0)
            assert not any("lack their instances" in note for note in dataset.notes)


def test_a_table_without_a_region_is_shown_in_global(path):
    with open_dataset(path, table="of_none") as dataset:
        assert dataset.default_embedding == "spatial"
        assert "global *" in dataset.details["coordinate systems"]


def test_only_names_of_red_green_and_blue_are_colors(path):
    with open_masks(path) as dataset:
        ramp = whole(dataset, "ramp")
        values = dataset._elements.images["panel"].levels[1].read()
        found = whole(dataset, "panel")
        for channel in range(3):  # RNA, GFP and BFP, each stretched by itself
            low, high = np.percentile(values[channel], [0.1, 99.9])
            expected = np.floor(np.clip((values[channel] - low) * 255 / (high - low), 0, 255))
            np.testing.assert_allclose(found[..., channel], expected, atol=1)
        # 16 bits of red, green and blue have one scale, so that their color stays.
        scan = whole(dataset, "scan").astype(float)
        np.testing.assert_allclose(scan, ramp * (255 / 238.0), atol=3)


def test_px_without_a_value_are_dark_and_do_not_darken_the_others(path):
    with open_masks(path, channels="gap") as dataset:
        found = whole(dataset, "panel")[..., 0]
        assert not found[:40].any()
        assert found[-1, -1] == 255


def test_contrast_limits_of_red_green_and_blue_count_too(path):
    with open_masks(path, contrast_limits={"r": (0, 119)}) as dataset:
        found = whole(dataset, "ramp")
        expected = np.minimum(2.0 * np.arange(120) * 255 / 119, 255)
        np.testing.assert_allclose(found[0, :, 0], expected, atol=1)
        np.testing.assert_array_equal(found[:, 0, 1], 2 * np.arange(96))


def test_an_image_shows_those_of_the_channels_that_it_has(path):
    with open_masks(path, channels=["DAPI", "gap"]) as dataset:
        assert dataset._tissue._drawn["bright"]._chosen == [0]
        assert dataset._tissue._drawn["panel"]._chosen == [3, 4]
        assert len(set(map(tuple, whole(dataset, "ramp").reshape(-1, 3)))) > 1_000  # which has neither: as it is


def test_a_widget_switches_between_an_image_and_each_of_its_channels(path):
    widget = CxgWidget(path, table="of_masks", tissue="panel", contrast_limits={"DAPI": (0, 90)})
    (frame,) = widget._session.answer(p.AskSections())
    channels = [f"panel/{name}" for name in ("RNA", "GFP", "BFP", "DAPI", "gap")]
    assert frame.message.names == ["bright", "panel", "ramp", "scan", "stack", *channels]
    widget.tissue = "panel/DAPI"
    values = widget.dataset._elements.images["panel"].levels[1].read()[3]
    found = whole(widget.dataset, "panel/DAPI")
    for color in range(3):
        np.testing.assert_allclose(found[..., color], np.floor(np.clip(values * 255 / 90, 0, 255)), atol=1)
    with pytest.raises(errors.UnknownName, match="panel/DAPI"):
        widget.tissue = "panel/DAPY"
    widget.close()
    with open_masks(path, "turned") as dataset:
        assert dataset.find_image("panel/DAPI").outline == dataset.find_image("panel").outline


def test_a_view_of_a_coarse_level_reads_it_in_tiles_of_its_own_px(path, monkeypatch):
    monkeypatch.setattr(sections, "TILE_PX", 30)
    with open_masks(path) as dataset:
        read = []
        array = dataset._elements.images["ramp"].levels[4]
        array.read = lambda *keys, own=array.read: (read.append(keys), own(*keys))[1]
        assert whole(dataset, "ramp", 4).shape == (24, 30, 3)
        assert len(read) == 1


def test_chunks_of_channels_that_are_not_shown_are_not_read(path):
    with open_masks(path, channels="DAPI", contrast_limits={"DAPI": (0, 99)}) as dataset:
        read = []
        array = dataset._elements.images["panel"].levels[1]
        array.read = lambda *keys, own=array.read: (read.append(keys[0]), own(*keys))[1]
        whole(dataset, "panel")
        assert set(map(str, read)) == {"slice(3, 4, None)"}


@pytest.mark.parametrize(
    "limits", [{"DAPI": ("a", "b")}, {"DAPI": (5, 5)}, {"DAPI": "ab"}, {"DAPI": (1, 2, 3)}, 7, {"DAPI": (None, 4)}]
)
def test_contrast_limits_that_are_none_are_one_sentence(path, limits):
    with pytest.raises(errors.InvalidOption, match="write a pair for each channel"):
        open_masks(path, contrast_limits=limits)
    with open_masks(path, contrast_limits={"DAPI": np.array([0.0, 5.0])}) as dataset:
        assert dataset.sections().images


def test_a_tile_beyond_the_last_px_of_a_coarse_level_repeats_them(path, monkeypatch):
    store = zarr.open_group(path, mode="r")
    assert store["images/ramp/s2"].shape[2] * 4 == 120
    monkeypatch.setattr(sections, "TILE_PX", 12)
    with open_masks(path) as dataset:
        raster = dataset._elements.images["ramp"]
        short = raster.levels[4]
        cut = short.read(slice(None), slice(None), slice(0, 24))  # as of an image of 99 px, whose level has 24
        short.read = lambda *keys: cut[tuple(keys)]
        dataset._read_once("sections", lambda: None)
        whole_image = dataset.find_image("ramp")
        object.__setattr__(whole_image, "shape", (96, 99))
        found = whole(dataset, "ramp", 4)
        assert found.shape == (24, 25, 3)
        np.testing.assert_array_equal(found[:, 24], found[:, 23])


def test_instances_of_another_kind_than_the_ids_have_no_place(path, tmp_path):
    copy = shutil.copytree(path, tmp_path / "copy.zarr")
    root = zarr.open_group(copy, mode="a", use_consolidated=False)
    obs = root["tables/of_masks/obs"]
    del obs["instance"]
    obs.create_array("instance", data=np.array([f"cell {i}" for i in range(19)], dtype=np.dtypes.StringDType()))
    obs["instance"].attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
    zarr.consolidate_metadata(copy)
    with open_masks(copy) as dataset:
        assert np.isnan(dataset.embedding("spatial")).all()
        assert "19 of 19 cells have no place: their regions lack their instances." in dataset.notes


def test_the_page_and_figures_draw_nothing_of_a_turned_image_beyond_its_outline(path):
    widget = CxgWidget(path, table="of_masks", coordinate_system="turned", tissue="ramp")
    view = [*widget.dataset.find_image("ramp").extent]
    (frame,) = widget._session.answer(p.AskTissue("ramp", [view[0], view[1], view[3], view[2]], 300, 300))
    np.testing.assert_allclose(frame.message.outline, np.ravel(widget.dataset.find_image("ramp").outline))
    drawn, _ = still(widget._session, None, (200, 200), paper=PAPERS["dark"])
    is_paper = (drawn[..., :3] == drawn[0, 0, :3]).all(axis=-1)
    assert [is_paper[0, 0], is_paper[0, -1], is_paper[-1, 0], is_paper[-1, -1], is_paper[100, 100]] == [True] * 4 + [
        False
    ]
    widget.close()
