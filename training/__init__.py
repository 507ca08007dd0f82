"""Scripts that train the models that Snellen ships. Not part of the package: run them from the root of the repository."""
