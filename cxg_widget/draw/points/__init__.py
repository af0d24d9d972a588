"""Points: which lie on top, in which colour, how crowded a view is, and the loop that draws them."""
