"""Selected cells: by mask, by values, by query."""
