"""Plots of groups of cells as matplotlib figures: dots, heat maps, violins and bars."""
