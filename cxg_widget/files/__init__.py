"""How this package writes files and folders: whole or not at all, and never through a link."""
