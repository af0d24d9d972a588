"""MuData: several AnnData objects of the same cells as one dataset."""
