"""`python -m snellen.grounding`: the commands of openadapt-grounding."""

from snellen.doors.openadapt.commands import main

if __name__ == "__main__":
    main()
