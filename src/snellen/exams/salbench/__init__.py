"""SalBench: which low-level feature makes one object stand out."""
