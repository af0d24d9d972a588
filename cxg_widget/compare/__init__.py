"""Comparisons of cells with others: shares of categories, genes, and p-values adjusted for many tests."""
