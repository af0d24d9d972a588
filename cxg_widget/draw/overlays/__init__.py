"""Overlays of the points: contours, densities, differences, labels, outlines, counts at 0 and the scale bar."""
