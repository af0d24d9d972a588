"""SpatialData that spatialdata 0.7 and 0.8 wrote, in zarr 3 and zarr 2, beside what spatialdata finds there."""

import json
import re
import shutil
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget, errors, open_dataset
from cxg_widget.datasets.spatialdata.wkb import centroids
from cxg_widget.testing import DatasetTests, Truth

WRITTEN = {"0.7": "of_spots", "0.7_zarr2": "of_cells", "0.8": "of_masks"}
SYSTEMS = {"of_spots": ("global", "microns"), "of_cells": ("global", "turned"), "of_masks": ("global", "flipped")}
REGIONS = {"of_spots": "spots", "of_cells": "cells", "of_masks": "masks"}


@pytest.fixture(scope="module", params=WRITTEN)
def written(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("spatialdata")
    with ZipFile(Path(__file__).parent / "written" / f"spatialdata_{request.param}.zip") as archive:
        archive.extractall(folder)
    return folder / "sample.zarr", json.loads((folder / "truth.json").read_text()), request.param


def places_of(truth, table, system):
    places = truth[f"{REGIONS[table]}|{system}"]
    return np.array([places.get(str(one), [np.nan, np.nan]) for one in truth[f"table|{table}"]["obs"]["instance"]])


@pytest.fixture(scope="module")
def store(written):
    path, truth, form = written
    table = truth[f"table|{WRITTEN[form]}"]
    obs = pd.DataFrame(table["obs"], index=pd.Index(table["index"]))
    obs["region"] = pd.Categorical(obs["region"])
    if obs["instance"].dtype != int:
        obs["instance"] = obs["instance"].astype(str)
    embeddings = {"spatial": places_of(truth, WRITTEN[form], "global")}
    return path, Truth(obs=obs, embeddings=embeddings, X=np.array(table["X"]), var_labels=table["var"]), WRITTEN[form]


class TestSpatialData(DatasetTests):
    @pytest.fixture(scope="class")
    @classmethod
    def reopen(cls, store):
        return lambda **options: open_dataset(store[0], **({"table": store[2]} | options))


@pytest.mark.parametrize("table", REGIONS)
def test_cells_lie_where_spatialdata_finds_their_centroids_in_every_system(written, table):
    path, truth, _ = written
    for system in SYSTEMS[table]:
        with open_dataset(path, table=table, coordinate_system=system) as dataset:
            expected = places_of(truth, table, system)
            np.testing.assert_allclose(dataset.embedding("spatial"), expected, rtol=1e-6, atol=2e-5)
            lost = int(np.isnan(expected[:, 0]).sum())
            assert any(note.startswith(f"{lost} of 25 cells have no position") for note in dataset.notes) == (lost > 0)


def test_an_image_lies_where_its_transformation_puts_its_pixels(written):
    with open_dataset(written[0], table="of_spots", coordinate_system="microns") as dataset:
        image = dataset.find_image("tissue")
        # x' = 2 x + 10, y' = 2 y + 20 of its edges, 0 to 120 and 0 to 90.
        assert image.extent == (10.0, 250.0, 20.0, 200.0)
        pixels = dataset.section_image("tissue", (0, 90), (0, 120))
        np.testing.assert_array_equal(pixels[..., 0], np.broadcast_to(np.arange(120), (90, 120)))
        np.testing.assert_array_equal(pixels[..., 1], np.broadcast_to(np.arange(90)[:, None], (90, 120)))
        assert dataset.sections().spot == 16.0  # a radius of 4, doubled by the scale, is 16 wide


@pytest.mark.parametrize(("unit", "um"), [("micrometer", 1.0), ("millimeter", 1000.0), ("unit", None), ("ell", None)])
def test_a_unit_of_the_axes_measures_the_scale_bar(written, tmp_path, unit, um):
    path = tmp_path / "sample.zarr"
    shutil.copytree(written[0], path)
    for file in [*path.rglob("zarr.json"), *path.rglob(".zattrs"), *path.rglob(".zmetadata")]:
        file.write_text(re.sub(r'"unit": ?"unit"', f'"unit": "{unit}"', file.read_text()))
    with open_dataset(path, table="of_spots", coordinate_system="microns") as dataset:
        assert dataset.sections().um == um
        assert dataset.find_image("tissue").um == um


def test_a_coarse_view_reads_the_coarse_level_alone(written):
    with open_dataset(written[0], table="of_spots") as dataset:
        dataset.sections()
        read = []
        arrays = dataset._elements.images["tissue"].levels
        for factor, array in arrays.items():
            array.read = lambda *keys, factor=factor, own=array.read: (read.append(factor), own(*keys))[1]
        for step in (1, 2, 4, 8):
            assert dataset.section_image("tissue", (0, 88), (0, 120), step).shape == (
                -(-88 // step),
                -(-120 // step),
                3,
            )
        assert read == [1, 2, 4, 4]


def test_a_view_at_each_step_is_near_the_means_of_all_pixels(written):
    with open_dataset(written[0], table="of_spots") as dataset:
        for step in (2, 4, 8):
            found = dataset.section_image("tissue", (0, 88), (0, 120), step)[..., 0].astype(float)
            means = np.arange(120).reshape(-1, step).mean(axis=1)
            np.testing.assert_allclose(found, np.broadcast_to(means, found.shape), atol=step)


def test_channels_are_red_green_and_blue_within_their_limits(written):
    options = {"channels": ["CD8", "DAPI"], "contrast_limits": {"DAPI": (100, 500), "CD8": (0, 1000)}}
    with open_dataset(written[0], table="of_cells", **options) as dataset:
        values = dataset._elements.images["stain"].levels[1].read().astype(float)  # by zarr
        found = dataset.section_image("stain", (0, 64), (0, 64))
        np.testing.assert_allclose(found[..., 0], np.floor(values[2] * 255 / 1000), atol=1)
        np.testing.assert_allclose(found[..., 1], np.floor(np.clip((values[0] - 100) * 255 / 400, 0, 255)), atol=1)
        assert not found[..., 2].any()
    with open_dataset(written[0], table="of_cells") as dataset:  # without limits: percentiles of the coarsest level
        fine, coarse = (dataset._elements.images["stain"].levels[factor].read().astype(float) for factor in (1, 2))
        found = dataset.section_image("stain", (0, 64), (0, 64))
        for channel in range(3):
            low, high = np.percentile(coarse[channel], [0.1, 99.9])
            expected = np.floor(np.clip((fine[channel] - low) * 255 / (high - low), 0, 255))
            np.testing.assert_allclose(found[..., channel], expected, atol=1)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({}, errors.InvalidOption, "has the tables of_cells, of_masks, of_spots; name one, such as table='of_cells'"),
        ({"table": "of_spot"}, errors.UnknownName, "of_spots"),
        ({"table": "of_spots", "coordinate_system": "micron"}, errors.UnknownName, "microns"),
        ({"table": "of_spots", "channels": ["DAPY"]}, errors.UnknownName, "DAPI"),
        ({"table": "of_spots", "channels": []}, errors.InvalidOption, "name one to three of"),
        ({"table": "of_spots", "contrast_limits": {"DAPI": 4}}, errors.InvalidOption, "write a pair for each channel"),
    ],
)
def test_a_wrong_option_is_one_sentence_with_what_there_is(written, options, error, says):
    with pytest.raises(error, match=says):
        open_dataset(written[0], **options)


def test_key_names_a_table_as_before_and_a_widget_colors_it(written):
    widget = CxgWidget(f"{written[0]}#tables/of_spots", color="score")
    assert widget.embedding == "spatial"
    assert widget.dataset.format == "spatialdata"
    scores = np.array(written[1]["table|of_spots"]["obs"]["score"])
    assert len(widget.select(query="score > 0.5").obs()) == (scores > 0.5).sum()
    widget.close()


def test_a_widget_takes_the_name_of_a_table_and_the_state_of_its_own_table(written):
    state = {"columns": ["obs:score"]}
    widget = CxgWidget(written[0], table="of_spots", coordinate_system="microns", tissue=True)
    assert (widget.dataset.n_obs, widget.tissue) == (25, "tissue")
    widget.close()
    widget = CxgWidget(written[0], key="of_spots", table=state)
    assert widget.state["table"]["columns"] == state["columns"]
    widget.close()


def test_a_table_whose_shapes_are_damaged_opens_and_says_so_when_it_is_drawn(written, tmp_path):
    path = shutil.copytree(written[0], tmp_path / "copy.zarr")
    (path / "shapes" / "cells" / "shapes.parquet").write_bytes(b"PAR1 no more")
    with open_dataset(path, table="of_cells") as dataset:
        assert len(dataset.obs(["score"])) == 24
        with pytest.raises(errors.DamagedStore, match=r"shapes/cells/shapes\.parquet cannot be read"):
            dataset.embedding("spatial")


def test_a_store_without_a_table_names_what_it_has(written, tmp_path):
    path = shutil.copytree(written[0], tmp_path / "copy.zarr")
    shutil.rmtree(path / "tables")
    for name in ("zarr.json", ".zmetadata", "zmetadata"):
        if (path / name).exists() and "consolidated" not in name and name != "zarr.json":
            (path / name).unlink()
    document = path / "zarr.json"
    if document.exists():
        whole = json.loads(document.read_text())
        whole.pop("consolidated_metadata", None)
        document.write_text(json.dumps(whole))
    with pytest.raises(
        errors.InvalidStore, match="without a table of cells; it has images: stain, tissue; labels: masks"
    ):
        open_dataset(path)


def square(x, y, size, *, hole=None, order="<"):
    rings = [[(x, y), (x + size, y), (x + size, y + size), (x, y + size), (x, y)], *([hole] if hole else [])]
    head = b"\x01" if order == "<" else b"\x00"
    parts = [(np.array(len(ring), f"{order}u4"), np.array(ring, f"{order}f8")) for ring in rings]
    body = b"".join(one.tobytes() for part in parts for one in part)
    return head + np.array([3, len(rings)], f"{order}u4").tobytes() + body


def test_centroids_of_polygons_weigh_holes_parts_and_either_byte_order():
    hole = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (0.0, 0.0)]
    # By hand: 16 at (2, 2) less 4 at (1, 1) is 12 at (28 / 12, 28 / 12); then parts of 16 at (2, 2) and 4 at (11, 11).
    many = b"\x01" + np.array([6, 2], "<u4").tobytes() + square(0, 0, 4) + square(10, 10, 2)
    found = centroids([square(0, 0, 4), square(0, 0, 4, hole=hole), square(1e6, 1e6, 4, order=">"), many])
    np.testing.assert_allclose(found[:, 0], [2, 28 / 12, 1e6 + 2, (16 * 2 + 4 * 11) / 20])
    np.testing.assert_allclose(found[:, 0], found[:, 1])
