"""Pictures drawn in the kernel: points, sums per pixel, keys and lettering, and PNG files."""
