"""The cells of an embedding: loaded, indexed, sampled, in this process or on a Dask cluster."""
