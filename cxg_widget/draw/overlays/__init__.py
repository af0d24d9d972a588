"""What lies over the points: contours, densities, differences, names, outlines, counts at 0 and the scale bar."""
