"""What all tests share: small corpora, and one thread a process so that numbers and timings are steady."""

import os
import random

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")

TINY = ["--d-model", "16", "--heads", "2", "--d-ff", "32", "--encoder-layers", "1", "--decoder-layers", "1"]


def reversed_digits(rows, seed, longest=6):
    draw = random.Random(seed)
    for _ in range(rows):
        digits = [str(draw.randint(0, 9)) for _ in range(draw.randint(2, longest))]
        yield " ".join(digits), " ".join(reversed(digits))


@pytest.fixture
def digits(tmp_path):
    """A corpus of digit strings and their reversals."""
    path = tmp_path / "digits.tsv"
    path.write_text("".join(f"{source}\t{target}\n" for source, target in reversed_digits(300, seed=1)))
    return path
