"""Colors of pages, categories and numbers."""
