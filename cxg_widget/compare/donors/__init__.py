"""Comparisons with donors as samples: choice of donors, sums of counts, and tests."""
