"""Colors: of pages, of categories and of numbers."""
