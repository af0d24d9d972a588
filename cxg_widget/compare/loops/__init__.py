"""Compiled loops of comparisons; numba is imported with them."""
