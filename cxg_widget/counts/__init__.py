"""Counts a column by value: all cells, those that pass the filters, the selected ones."""
