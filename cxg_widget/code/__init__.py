"""The analysis as text: what was done in a widget, as code, as methods of a paper, and replayed on other data."""
