"""Frames that the canvas is drawn from: points, colors, names, contours, tissue and views, in chunks."""
