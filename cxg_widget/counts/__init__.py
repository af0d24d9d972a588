"""Counts of columns: how many cells have each value, of all, of those that pass filters, of the selected ones."""
