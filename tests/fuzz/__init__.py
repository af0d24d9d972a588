"""A standing campaign: damaged stores and messages of every kind, read in processes of their own, outcomes counted."""
