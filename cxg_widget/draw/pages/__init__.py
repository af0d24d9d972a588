"""Figures: pages of plots with axes and legends, as pixels or by matplotlib."""
