"""Sentences, names and numbers for people."""
