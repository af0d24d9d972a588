"""The analysis as code, from records of what was done in a widget."""
