"""Plots of groups of cells as figures of matplotlib: dots, heat maps, violins and bars."""
