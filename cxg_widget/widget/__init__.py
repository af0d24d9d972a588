"""The widget in Jupyter: traits, the comm, and the picture that a saved notebook keeps."""
