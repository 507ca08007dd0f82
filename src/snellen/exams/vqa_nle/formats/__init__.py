"""Reading a data folder: finding its files and images, and turning each published format into the same records and samples."""
