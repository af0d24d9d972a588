"""MuData: several AnnData of the same cells as one dataset."""
