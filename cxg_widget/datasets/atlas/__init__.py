"""RaggedAtlas (homeobox), LanceDB tables beside Zarr arrays; the only importer of `lance`."""
