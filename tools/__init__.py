"""What builds, runs and checks the project; no part of the installed package."""
