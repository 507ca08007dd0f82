"""Scripts that train the models shipped with Snellen. Not part of the package: run them from the root of the repository."""
