"""How many cores there are to work with."""

import math
import os
import sys
from pathlib import Path


def usable_cores(cgroup: Path = Path("/sys/fs/cgroup/cpu.max")) -> int:
    """What this process may use; a container (`docker run --cpus 2`) may have a share of the machine's cores."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    try:
        quota, period = cgroup.read_text(encoding="ascii").split()  # microseconds of CPU time per period, or "max"
        return max(1, min(cores, math.ceil(int(quota) / int(period))))
    except (OSError, ValueError):
        return cores
