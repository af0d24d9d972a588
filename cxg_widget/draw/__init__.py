"""Drawing in the kernel. Lowest layer first: image files and lettering, points, aggregate, overlays, pages, plots."""
