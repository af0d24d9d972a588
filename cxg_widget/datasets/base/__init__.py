"""What a dataset is, once for all stores."""
