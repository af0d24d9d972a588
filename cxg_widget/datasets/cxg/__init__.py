"""CXG: reading, and the synthetic store of the demo."""
