"""The SpatialData that `write_spatialdata_turned.py` wrote, as its tests open it."""

import json

from cxg_widget import open_dataset


def open_masks(path, system="global", **options):
    return open_dataset(path, table="of_masks", coordinate_system=system, **options)


def whole(dataset, name, step=1):
    image = dataset.find_image(name)
    return dataset.section_image(name, (0, image.shape[0]), (0, image.shape[1]), step)


def edit(path, name, change):
    """Change the attributes of an element, in its own metadata and in those of the whole store."""
    own = json.loads((path / name / "zarr.json").read_text())
    change(own["attributes"])
    (path / name / "zarr.json").write_text(json.dumps(own))
    document = json.loads((path / "zarr.json").read_text())
    document["consolidated_metadata"]["metadata"][name]["attributes"] = own["attributes"]
    (path / "zarr.json").write_text(json.dumps(document))
