"""Pictures drawn in the kernel. Lowest first: image files and lettering, points, aggregate, overlays, pages, plots."""
