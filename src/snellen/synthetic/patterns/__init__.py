"""Pictures in which one object stands out: SalBench's P3 patterns and O3 scenes."""
