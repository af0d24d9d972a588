"""Settings and their checks, the coloring, search and the cell under the pointer."""
