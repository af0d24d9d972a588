"""Comparisons of cells: differential expression, composition, statistics of genes by group, adjusted p-values."""
