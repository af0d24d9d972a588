"""Tests of tools/ and benchmarks/: `make test-tools`."""
