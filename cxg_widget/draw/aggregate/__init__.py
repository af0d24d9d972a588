"""Aggregated images: points in Morton order become planes, planes become pixels, pixels a PNG file."""
