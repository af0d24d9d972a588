"""The Jupyter widget: traits, the comm, and the picture that a saved notebook keeps."""
