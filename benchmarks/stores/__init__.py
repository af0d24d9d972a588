"""Opening, one gene and one obs column of each kind of store, against the store's own library and the least reading."""
