"""Changes of settings and their consequences: pure functions, without reads, locks or Jupyter."""
