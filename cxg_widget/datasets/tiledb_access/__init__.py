"""TileDB for all stores that use it: contexts, arrays below a root, and errors in one sentence."""
