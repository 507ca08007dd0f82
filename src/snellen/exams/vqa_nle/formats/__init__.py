"""The data folder: finds its files and images, and turns each published format into the same records and samples."""
