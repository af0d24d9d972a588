"""CXG: the reader, the writer, and the synthetic store of the demo."""
