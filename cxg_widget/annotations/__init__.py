"""Annotations: label columns made by the user, as a log of steps, its labels, and files."""
