"""Everything that is shown, as plain frozen data: views of runs, samples and tables, and the formatting of figures."""
