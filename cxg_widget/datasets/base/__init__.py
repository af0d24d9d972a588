"""The base of all datasets."""
