"""A table of the cells: which come first by a column, and what is told of them."""
