"""Registers RaggedAtlas as a format and detects it."""

from cxg_widget.datasets.readers import Reader
from cxg_widget.datasets.signatures import folder_holds

READER = Reader(
    what="a RaggedAtlas",
    opens="cxg_widget.datasets.atlas.dataset:AtlasDataset",
    looks_like=lambda path: folder_holds(path, "lance_db", "_feature_layouts.lance"),
    options=("version", "zarr_store", "obs_table", "feature_space", "coordinates"),
    libraries=("lance", "zarr", "pyarrow"),
    install="cxg-widget[atlas]",
)
