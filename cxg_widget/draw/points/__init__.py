"""Draws points in the kernel: their colors and heights, the crowding of views, and the loops over pixels."""
