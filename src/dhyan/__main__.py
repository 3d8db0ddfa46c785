"""`python -m dhyan` is the command `dhyan`."""

from dhyan.cli import main

if __name__ == "__main__":
    main()
