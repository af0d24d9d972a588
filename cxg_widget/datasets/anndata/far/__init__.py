"""AnnData in storage far away: HDF5 and zarr as nodes over `datasets/storage`."""
