"""Settings and their checks, coloring, search and the tooltip."""
