"""Many runs from one file: exams times models, one budget, one folder."""
