"""Figures: a page of plots with axes and keys, as pixels or by matplotlib."""
