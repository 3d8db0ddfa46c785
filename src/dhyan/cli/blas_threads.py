"""One thread for NumPy where a pack is opened up or run by it: import this before NumPy, whose BLAS reads it once.

The threads of a BLAS wait for each other by spinning. The products of one sentence are too small to share, and beside
other work, as in a server, the spinning costs many times what is computed: 16 seconds of processor time, not half a
second, for hiding 25 words in turn. The engine in NumPy has a core for each batch. Whoever sets the variable has the
last word.
"""

import os
import sys

ONE_THREAD = ("serve", "explain", "translate")

if next((word for word in sys.argv[1:] if not word.startswith("-")), "") in ONE_THREAD:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
