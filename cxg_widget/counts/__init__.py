"""Counts of a column by value: all cells, those that pass the filters, selected ones."""
