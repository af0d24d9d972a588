"""Points: draw order, colors, crowding of views, and the loop that draws them."""
