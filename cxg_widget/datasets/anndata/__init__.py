"""AnnData: on disk as HDF5 or zarr, of any version, and in memory; read without the package anndata."""
