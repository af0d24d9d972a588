"""Rules that say which cells are meant, small JSON that may come from anybody, and the masks they make."""
