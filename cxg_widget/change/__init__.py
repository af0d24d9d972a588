"""What becomes of settings when some of them change: pure, without reading, locks or Jupyter."""
