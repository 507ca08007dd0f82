"""A cluster that a run's questions go to: `--on ray`. The run itself (plan, limits, money, folder) stays here."""
