"""What the widget costs, beside its peers: `python -m benchmarks.run` writes `results.md`."""
