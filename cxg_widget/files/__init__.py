"""Writes files and folders: whole or not at all, and never through a link."""
