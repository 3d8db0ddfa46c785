"""Small things to train: a model's sizes, and a task that it can learn."""

import random

TINY = ["--d-model", "16", "--heads", "2", "--d-ff", "32", "--encoder-layers", "1", "--decoder-layers", "1"]
PAIRS = {  # the notes' own list
    "How are you?": "आप कैसे हैं",
    "Congratulations": "बधाई हो",
    "Thank you": "धन्यवाद",
    "I am fine": "मैं बढ़िया हूँ",
}


def reversed_digits(rows, seed, longest=6):
    draw = random.Random(seed)
    for _ in range(rows):
        digits = [str(draw.randint(0, 9)) for _ in range(draw.randint(2, longest))]
        yield " ".join(digits), " ".join(reversed(digits))
