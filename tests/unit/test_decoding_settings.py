"""The choice of a beam: the cheapest that loses little, with the length penalty that suits it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import decoding_settings
import runtime_speed
from dhyan.model.generation.settings import GenerationSettings


def row(beam, bleu, milliseconds):
    return decoding_settings.Row(GenerationSettings(beam=beam), bleu, [milliseconds], milliseconds)


@pytest.mark.parametrize(("loss", "beam"), [(0.2, 2), (0.0, 4), (1.0, 1)])
def test_the_cheapest_beam_within_the_loss_on_every_set_is_recommended(loss, beam):
    rows = [row(1, [31.0, 35.0], 2.0), row(2, [30.8, 36.0], 3.0), row(4, [31.0, 35.9], 4.0)]
    assert decoding_settings.recommended(rows, loss).settings.beam == beam


def test_the_table_of_systems_leaves_the_sections_behind_it(tmp_path):
    file = tmp_path / "speed.md"
    assert runtime_speed.further_sections(file) == ""
    file.write_text("# Speed\n\nold\n\n## One sentence\nkept\n")
    assert runtime_speed.further_sections(file) == "\n## One sentence\nkept\n"
