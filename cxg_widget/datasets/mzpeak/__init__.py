"""mzPeak: mass spectra in Parquet."""
