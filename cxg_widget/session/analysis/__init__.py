"""Answers about groups of cells: counts, composition, comparisons, plots of groups, and the table."""
