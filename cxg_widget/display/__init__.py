"""What is asked to be on show: its settings and their checks, the colouring, search and the cell under the pointer."""
