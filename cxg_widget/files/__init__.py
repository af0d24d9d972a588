"""Writes files and folders atomically, and never through a link."""
