"""Costs of the widget, compared with its peers: `python -m benchmarks.run` writes `results.md`."""
