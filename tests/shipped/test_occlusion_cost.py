"""Opening a sentence up costs the processor little, also where nobody has limited the threads of NumPy's BLAS."""

import json
import os
import subprocess
import sys

TWENTY_FIVE = (
    "The old man who lives near the river bank said that he would go to the city bank tomorrow morning to get some"
    " more money"
)
SCRIPT = """
import sys
sys.argv = ["dhyan", "serve"]
import dhyan.cli  # as the server starts
import json, time
from dhyan.explain.explainer import Explainer
from dhyan.pack.pack import read_pack
from pathlib import Path
trace = Explainer(read_pack(Path({folder!r}))).explain({text!r})
begun = time.process_time()
words = len(trace.occlusion.source)
occlusion = time.process_time()
heads = len(trace.head_stats())
print(json.dumps([words, heads, occlusion - begun, time.process_time() - occlusion]))
"""


def test_hiding_25_words_and_switching_60_heads_off_takes_a_second_of_processor_time_each(shipped):
    unlimited = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    command = [sys.executable, "-c", SCRIPT.format(folder=str(shipped), text=TWENTY_FIVE)]
    ran = subprocess.run(command, env=unlimited, capture_output=True, text=True, check=True)
    words, heads, occlusion, head_stats = json.loads(ran.stdout)
    assert (words, heads) == (25, 60)
    assert occlusion < 1
    assert head_stats < 1
