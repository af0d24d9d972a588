"""One widget without Jupyter: requests in, streams of frames out."""
