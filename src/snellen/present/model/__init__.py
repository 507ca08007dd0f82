"""What is shown, as plain frozen data: views of runs, samples and tables, and how figures are written."""
