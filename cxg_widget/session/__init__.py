"""What one widget shows, as streams of frames, without Jupyter."""
