"""TileDB as every reader of it uses it: contexts, the arrays below one root, failures in plain words."""
