"""The smallest kernel there is: if it runs, the others do."""

import triton
import triton.language as tl


@triton.jit
def write_one(pointer):
    tl.store(pointer, 1.0)
