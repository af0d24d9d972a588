"""Selected cells and sets: by mask, values, query or polygon."""
