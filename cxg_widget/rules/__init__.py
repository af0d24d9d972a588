"""Rules: JSON descriptions of cells, possibly from untrusted sources, and their masks."""
