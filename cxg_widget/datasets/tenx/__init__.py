"""10x: the matrix of Cell Ranger and Space Ranger, as HDF5 or as text, and all that lies beside it in `outs/`."""
