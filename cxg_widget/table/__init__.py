"""The table of cells: order by a column, and values of rows."""
