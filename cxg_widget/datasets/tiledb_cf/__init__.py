"""TileDB-CF dataspaces: TileDB groups whose arrays share dimensions, as netCDF and xarray data are written."""
