"""Access to objects in storage far away, by obstore; its sentences are those of all stores far away."""
