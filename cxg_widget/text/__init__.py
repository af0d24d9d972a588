"""Sentences, names and numbers as people read them."""
