"""`python -m snellen`: the command."""

from snellen.cli.main import main

if __name__ == "__main__":
    main()
