"""CXG: reading, and the synthetic store of the demo; the only folder that imports tiledb."""
