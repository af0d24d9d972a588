"""The analysis as text for the methods of a paper."""
