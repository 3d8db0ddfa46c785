"""One thread for NumPy where a pack is opened up: import this before NumPy, whose BLAS reads it once.

The threads of a BLAS wait for each other by spinning. The products of one sentence are too small to share, and beside
other work, as in a server, the spinning costs many times what is computed: 16 seconds of processor time, not half a
second, for hiding 25 words in turn. Whoever sets the variable has the last word.
"""

import os
import sys

OPEN_UP = ("serve", "explain")

if sys.argv[1:2] and sys.argv[1] in OPEN_UP:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
