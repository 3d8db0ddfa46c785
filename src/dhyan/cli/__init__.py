"""The commands, thin: parse, call, print. Errors a user can cause are one line and exit code 2."""

from dhyan.cli import blas_threads  # isort: skip  # before NumPy is imported
from dhyan.cli.app import main

__all__ = ["blas_threads", "main"]
