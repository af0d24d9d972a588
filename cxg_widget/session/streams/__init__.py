"""Streams for the canvas: points, colors, labels, contours, tissue and views, in chunks."""
