"""Scripts that build, run and check the project; not part of the installed package."""
