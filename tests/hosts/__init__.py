"""The widget in hosts whose packages only the extra `hosts` has: `make test-hosts`."""
