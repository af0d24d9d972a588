"""Comparisons whose samples are donors: which of them count, their sums, and the tests of these."""
