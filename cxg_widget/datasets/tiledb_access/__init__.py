"""TileDB for every reader of it: contexts, the arrays below one root, errors in plain words."""
