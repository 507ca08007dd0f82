"""`python -m snellen.grounding`."""

from snellen.grounding.commands import main

if __name__ == "__main__":
    main()
