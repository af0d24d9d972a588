"""The cells of an embedding as they are held: loaded, indexed, sampled, in this process or on a Dask cluster."""
