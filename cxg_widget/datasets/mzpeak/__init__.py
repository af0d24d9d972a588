"""mzPeak, mass spectra in Parquet: one file per part, `dataset.py` puts them together."""
