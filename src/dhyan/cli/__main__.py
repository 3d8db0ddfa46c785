"""`python -m dhyan.cli`: the commands where no script is installed."""

from dhyan.cli.app import main

main()
