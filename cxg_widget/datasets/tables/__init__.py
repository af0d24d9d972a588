"""Tables: frames and arrays in memory, Parquet, Arrow and CSV files."""
