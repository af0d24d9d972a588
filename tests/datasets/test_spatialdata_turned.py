"""Images of SpatialData that a system turns, mirrors, shears, stretches or swaps, beside what spatialdata finds."""

import json
import shutil

import numpy as np
import pytest
import zarr
from scipy import ndimage

from cxg_widget import CxgWidget, errors, open_dataset
from cxg_widget.color.paper import PAPERS
from cxg_widget.datasets.base import sections
from cxg_widget.wire import protocol as p
from tests.datasets.turned import edit, open_masks, whole
from tests.stills import still

TOLERANCE = 1.5
SYSTEMS = ("global", "turned", "mirrored", "sheared", "stretched", "swapped")


@pytest.fixture(scope="module")
def truth(sample):
    return json.loads((sample.parent / "truth.json").read_text())


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
def test_bright_px_lie_where_spatialdata_finds_the_centroids_of_their_labels(sample, truth, system):
    with open_masks(sample, system) as dataset:
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
def test_each_px_is_what_the_image_holds_there_at_every_level(sample, truth, system):
    with open_masks(sample, system) as dataset:
        image = dataset.find_image("ramp")
        assert image.levels == (1, 2, 4)
        for step in (1, 2, 4, 8):
            pixels = whole(dataset, "ramp", step)
            expected, is_there = on_ramp(truth["matrices"][system], *middles(image, pixels.shape, step), 2 + 2 * step)
            assert is_there.any()
            np.testing.assert_allclose(pixels[..., :2][is_there], expected[is_there], atol=TOLERANCE)


@pytest.mark.parametrize("system", SYSTEMS)
def test_an_image_has_the_extent_and_px_that_spatialdata_gives_it(sample, truth, system):
    made = np.load(sample.parent / "rasters.npz")[system]
    with open_masks(sample, system) as dataset:
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


def test_an_outline_covers_what_lies_in_the_image_and_its_last_px_go_on_beyond(sample, truth):
    with open_masks(sample, "turned") as dataset:
        image, pixels = dataset.find_image("ramp"), whole(dataset, "ramp")
        x, y = middles(image, pixels.shape)
        covered = image.covers(x, y)
        np.testing.assert_array_equal(covered, on_ramp(truth["matrices"]["turned"], x, y, 0)[1])
        assert pixels[..., 2].min() == pixels[..., 2].max() == 99
        assert not image.covers(np.array([-1e6]), np.array([0.0])).any()
    with open_masks(sample) as dataset:
        assert dataset.find_image("ramp").outline == ()


def test_a_transformation_that_leaves_a_line_of_an_image_is_one_sentence_and_cells_are_drawn(sample, tmp_path):
    copy = shutil.copytree(sample, tmp_path / "copy.zarr")
    edit(copy, "images/ramp", flatten)
    with open_masks(copy, "turned") as dataset:
        assert np.isfinite(dataset.embedding("spatial")[:-1]).all()
        with pytest.raises(
            errors.InvalidStore, match="'ramp' is not drawn in 'turned': the transformation flattens it"
        ):
            dataset.find_image("ramp")
        assert "bright" in dataset.sections().images


def test_an_element_that_is_damaged_is_left_out_with_a_note_and_the_others_open(sample, tmp_path):
    copy = shutil.copytree(sample, tmp_path / "copy.zarr")
    edit(copy, "images/ramp", lambda attributes: attributes["ome"]["multiscales"][0].pop("axes"))
    edit(copy, "images/panel", spoil)
    with open_masks(copy, "turned") as dataset:
        assert {"bright", "scan"} <= set(dataset.sections().images)
        assert any(note.startswith("images/ramp is left out") for note in dataset.notes)
        assert any(note.startswith("images/panel is left out") for note in dataset.notes)


@pytest.mark.parametrize(
    "spoiled",
    [
        {"type": "mapAxis", "mapAxis": [1]},
        {"type": "sequence", "transformations": [{"type": "sequence", "transformations": "x"}]},
        {"type": "scale", "scale": ["a", 1, 1]},
        {"type": "affine", "affine": [[1.0, 0, 0, 0], [0, float("nan"), 1, 0], [0, 1, 1, 0]]},
        {"type": "identity", "output": {"name": "turned", "axes": 7}},
        {"type": "identity", "output": 7},
    ],
)
def test_a_transformation_that_is_none_leaves_its_image_out_or_is_passed_over(sample, tmp_path, spoiled):
    copy = shutil.copytree(sample, tmp_path / "copy.zarr")
    edit(
        copy, "images/ramp",
        lambda attributes: attributes["ome"]["multiscales"][0]["coordinateTransformations"][1].update(spoiled),
    )  # fmt: skip
    with open_masks(copy) as dataset:
        images = set(dataset.sections().images)
        assert "bright" in images
        assert ("ramp" in images) != any(note.startswith("images/ramp is left out") for note in dataset.notes)


def test_metadata_that_are_no_json_leave_their_kind_of_elements_out(sample, tmp_path):
    copy = shutil.copytree(sample, tmp_path / "copy.zarr")
    document = json.loads((copy / "zarr.json").read_text())
    del document["consolidated_metadata"]
    (copy / "zarr.json").write_text(json.dumps(document))
    (copy / "images" / "ramp" / "zarr.json").write_text("{")
    with open_masks(copy) as dataset:
        assert np.isfinite(dataset.embedding("spatial")[:-1]).all()
        assert any(note.startswith("images are left out") for note in dataset.notes)


def test_names_of_many_elements_are_one_note_each(sample):
    with open_dataset(sample, table="of_both", coordinate_system="own") as dataset:
        images = (
            "5 images have no place in the coordinate system 'own': 'bright', 'panel', 'ramp', 'scan' (and 1 more)."
        )
        assert images in dataset.notes
        assert "'dots' has no place in the coordinate system 'own'; its cells are not drawn." in dataset.notes
        assert "'parts' holds polygons; each is drawn as a point at its centroid." in dataset.notes


def flatten(attributes):
    for one in attributes["ome"]["multiscales"][0]["coordinateTransformations"]:
        if one["output"]["name"] == "turned":
            one["affine"] = [[1.0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0]]


def spoil(attributes):
    attributes["ome"]["multiscales"][0]["coordinateTransformations"][1]["type"] = "spline"


def test_solids_lie_at_their_centroids_over_all_planes_and_under_a_tilt(sample, truth):
    for system in ("global", "tilted"):
        with open_dataset(sample, table="of_solids", coordinate_system=system) as dataset:
            expected = list(truth["centroids"][f"solids|{system}"].values())
            np.testing.assert_allclose(dataset.embedding("spatial"), expected, rtol=1e-6)
            assert any("only the middle one of the 4 planes of 'stack' is drawn" in note for note in dataset.notes)
            image = dataset.find_image("stack")
            # The middle of the third plane is z = 2.5, which the tilt shifts by 1.25 and 0.625.
            expected = (0, 30, 0, 24) if system == "global" else (11.25, 71.25, 20.625, 68.625)
            np.testing.assert_allclose(image.extent, expected)


def test_a_table_of_two_regions_lies_where_each_has_a_place(sample, truth):
    both = truth["tables"]["of_both"]
    for system, lost in (("global", 0), ("own", 6)):
        with open_dataset(sample, table="of_both", coordinate_system=system) as dataset:
            places = [truth["centroids"].get(f"{name}|{system}", {}) for name in both["region"]]
            expected = [one.get(key, [np.nan] * 2) for one, key in zip(places, both["instance"], strict=True)]
            np.testing.assert_allclose(dataset.embedding("spatial"), expected, rtol=1e-6)
            said = f"{lost} of 12 cells belong to no region in 'own'."
            assert (said in dataset.notes) == (lost > 0)
            assert not any("no instance in their region" in note for note in dataset.notes)


def test_a_table_without_a_region_is_shown_in_global(sample):
    with open_dataset(sample, table="of_none") as dataset:
        assert dataset.default_embedding == "spatial"
        assert "global *" in dataset.details["coordinate systems"]


def test_a_view_of_a_coarse_level_reads_it_in_tiles_of_its_own_px(sample, monkeypatch):
    monkeypatch.setattr(sections, "TILE_PX", 30)
    with open_masks(sample) as dataset:
        read = []
        array = dataset._elements.images["ramp"].levels[4]
        array.read = lambda *keys, own=array.read: (read.append(keys), own(*keys))[1]
        assert whole(dataset, "ramp", 4).shape == (24, 30, 3)
        assert len(read) == 1


def test_a_tile_beyond_the_last_px_of_a_coarse_level_repeats_them(sample, monkeypatch):
    store = zarr.open_group(sample, mode="r")
    assert store["images/ramp/s2"].shape[2] * 4 == 120
    monkeypatch.setattr(sections, "TILE_PX", 12)
    with open_masks(sample) as dataset:
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


def test_instances_of_another_kind_than_the_ids_have_no_place(sample, tmp_path):
    copy = shutil.copytree(sample, tmp_path / "copy.zarr")
    root = zarr.open_group(copy, mode="a", use_consolidated=False)
    obs = root["tables/of_masks/obs"]
    del obs["instance"]
    obs.create_array("instance", data=np.array([f"cell {i}" for i in range(19)], dtype=np.dtypes.StringDType()))
    obs["instance"].attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
    zarr.consolidate_metadata(copy)
    with open_masks(copy) as dataset:
        assert np.isnan(dataset.embedding("spatial")).all()
        assert "19 of 19 cells have no position: no instance in their region has their id." in dataset.notes


def test_the_page_and_figures_draw_nothing_of_a_turned_image_beyond_its_outline(sample):
    widget = CxgWidget(sample, table="of_masks", coordinate_system="turned", tissue="ramp")
    view = [*widget.dataset.find_image("ramp").extent]
    (frame,) = widget._session.answer(p.AskTissue("ramp", [view[0], view[1], view[3], view[2]], 300, 300))
    np.testing.assert_allclose(frame.message.outline, np.ravel(widget.dataset.find_image("ramp").outline))
    drawn, _ = still(widget._session, None, (200, 200), paper=PAPERS["dark"])
    is_paper = (drawn[..., :3] == drawn[0, 0, :3]).all(axis=-1)
    assert [is_paper[0, 0], is_paper[0, -1], is_paper[-1, 0], is_paper[-1, -1], is_paper[100, 100]] == [True] * 4 + [
        False
    ]
    widget.close()
