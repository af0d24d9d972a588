"""A study: samples of cells, their shares and sums, and tests between conditions."""
