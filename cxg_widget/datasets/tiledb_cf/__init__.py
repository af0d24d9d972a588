"""TileDB-CF dataspaces: a TileDB group whose arrays share dimensions, as netCDF and xarray data are written."""
