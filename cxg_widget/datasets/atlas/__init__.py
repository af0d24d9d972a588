"""RaggedAtlas (homeobox): LanceDB tables and Zarr arrays; the only importer of `lance`."""
