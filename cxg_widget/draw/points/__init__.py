"""Points: which lie on top, in which color, how crowded a view is, and the loop that draws them."""
