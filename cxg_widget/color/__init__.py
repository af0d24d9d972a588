"""Colours: of pages, of categories and of numbers."""
