"""Columns of labels that a user makes: a log of steps, the labels that it gives, and files that hold them."""
