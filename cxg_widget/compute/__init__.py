"""Threads, child processes, compiled loops and caches."""
