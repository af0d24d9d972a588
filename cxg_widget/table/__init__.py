"""A table of the cells: their order by a column, and the values of each row."""
