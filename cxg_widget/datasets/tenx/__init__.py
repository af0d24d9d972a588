"""10x: the matrix of Cell Ranger and Space Ranger, as HDF5 or text, and the other files in `outs/`."""
