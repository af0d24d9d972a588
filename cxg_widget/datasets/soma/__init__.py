"""TileDB-SOMA experiments, read by tiledb-py alone."""
