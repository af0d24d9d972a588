"""SpatialData far away and in an archive: as on the disk, and no more is read than is shown."""

import shutil

import numpy as np
import pytest

from cxg_widget import errors, open_dataset
from cxg_widget.datasets.anndata.zarr_store import ZarrGroup
from tests.datasets.turned import open_masks, whole
from tests.file_server import FileServer


@pytest.fixture(scope="module")
def web(sample):
    server = FileServer(sample.parent)
    yield server
    server.close()


def test_one_far_away_is_that_of_the_disk_by_its_name_alone(web, sample):
    with open_dataset(web.url("sample.zarr"), table="of_both") as far, open_dataset(sample, table="of_both") as near:
        assert (far.format, far.is_remote) == ("spatialdata", True)
        np.testing.assert_array_equal(far.embedding("spatial"), near.embedding("spatial"))
        assert far.sections() == near.sections()
        np.testing.assert_array_equal(whole(far, "ramp", 2), whole(near, "ramp", 2))
    options = {"key": "of_masks", "coordinate_system": "turned"}
    with open_dataset(web.url("sample.zarr"), **options) as far, open_masks(sample, "turned") as near:
        np.testing.assert_array_equal(whole(far, "ramp"), whole(near, "ramp"))
    with pytest.raises(errors.InvalidOption, match="has the tables of_both, of_masks, of_none, of_solids; name one"):
        open_dataset(web.url("sample.zarr"))
    with open_dataset(web.url("sample.zarr"), key="tables/of_masks") as far:
        assert far.format == "zarr"  # as before: this table as AnnData


def test_one_far_away_reads_the_tiles_and_the_column_of_shapes_that_it_shows(web):
    with open_dataset(web.url("sample.zarr"), table="of_both") as dataset:
        web.requests()
        dataset.embedding("spatial")
        read = {one.key for one in web.requests() if "/shapes/" in one.key}
        assert read == {f"sample.zarr/shapes/{name}/shapes.parquet" for name in ("dots", "parts")}
        before = dataset.traffic.n_bytes
        whole(dataset, "ramp", 4)
        read = {one.key for one in web.requests()}
        assert read
        assert all(key.startswith("sample.zarr/images/ramp/s2/") for key in read)
        assert dataset.traffic.n_bytes > before


def test_storage_that_refuses_a_file_of_shapes_is_said_as_it_is(web):
    dataset = open_dataset(web.url("sample.zarr"), table="of_both")
    with dataset, web.failing("403", at="shapes.parquet"), pytest.raises(errors.StorageDenied):
        dataset.embedding("spatial")


def test_an_archive_opens_as_the_folder_does(sample, tmp_path):
    archive = shutil.make_archive(str(tmp_path / "sample.zarr"), "zip", sample)
    with open_dataset(archive, table="of_both") as zipped, open_dataset(sample, table="of_both") as near:
        assert zipped.format == "spatialdata"
        np.testing.assert_array_equal(zipped.embedding("spatial"), near.embedding("spatial"))
        np.testing.assert_array_equal(whole(zipped, "ramp"), whole(near, "ramp"))


def test_bytes_of_radii_and_places_are_counted_as_they_are_read(sample):
    size = (sample / "shapes" / "dots" / "shapes.parquet").stat().st_size
    with open_dataset(sample, table="of_both") as dataset:
        before = dataset.traffic.n_bytes
        assert before > size  # the radii
        dataset._read_once("instances of dots again", lambda: dataset._instances("dots"))
        assert size * 0.5 < dataset.traffic.n_bytes - before < size * 2


def test_each_element_is_opened_once(sample, monkeypatch):
    opened = []
    get = ZarrGroup.get
    monkeypatch.setattr(ZarrGroup, "get", lambda self, name: (opened.append(f"{self.path}/{name}"), get(self, name))[1])
    with open_dataset(sample, table="of_both") as dataset:
        assert dataset.details["images"]
    of_elements = [path for path in opened if path.split("/")[0] in ("images", "labels", "shapes")]
    assert {"images/ramp", "labels/masks", "shapes/dots"} <= set(of_elements)
    assert len(of_elements) == len(set(of_elements))
