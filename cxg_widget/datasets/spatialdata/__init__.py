"""Reader of SpatialData zarr stores: a table, placed by the shapes or labels it annotates, over tissue images."""
