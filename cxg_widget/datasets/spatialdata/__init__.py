"""SpatialData in zarr: a table, placed by the shapes or labels that it describes, over the images of its sections."""
