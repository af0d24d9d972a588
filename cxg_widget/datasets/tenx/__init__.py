"""Reader of 10x data: the matrix of Cell Ranger or Space Ranger, as HDF5 or text, and other files in `outs/`."""
