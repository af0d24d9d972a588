"""AnnData in remote storage: HDF5 and zarr as nodes over `datasets/storage`."""
