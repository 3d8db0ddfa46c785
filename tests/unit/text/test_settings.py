"""A wrong setting is told in one line."""

import pytest

from dhyan.core.errors import DhyanError
from dhyan.data.cleaning import CleaningSettings
from dhyan.text.scripts import known_scripts, script_of, share_in_script
from dhyan.text.settings import TextSettings


@pytest.mark.parametrize("section", [TextSettings, CleaningSettings])
def test_every_setting_explains_itself(section):
    assert all(field.description for field in section.model_fields.values())


def test_the_two_sections_share_no_name():
    assert not set(TextSettings.model_fields) & set(CleaningSettings.model_fields)


@pytest.mark.parametrize(
    ("section", "values", "told"),
    [
        (TextSettings, {"pieces": "bqe"}, "did you mean 'bpe'"),
        (TextSettings, {"character_coverage": 0.5}, "character_coverage = 0.5"),
        (TextSettings, {"vocabulary": 0}, "vocabulary = 0"),
        (CleaningSettings, {"max_words": 0}, "max_words = 0"),
        (CleaningSettings, {"source_script": "Devnagari"}, r"did you mean 'Devanagari'"),
        (CleaningSettings, {"target_script": "Klingonish"}, "such as Latin"),
    ],
)
def test_a_wrong_value_is_refused(section, values, told):
    with pytest.raises(DhyanError, match=told):
        section.checked(values, "recipe.toml")


def test_a_script_is_known_in_any_case():
    assert CleaningSettings(source_script="latin").source_script == "Latin"


def test_scripts_of_letters():
    assert [script_of(letter) for letter in "aकж漢1।"] == ["Latin", "Devanagari", "Cyrillic", "Han", None, None]
    assert {"Latin", "Devanagari", "Arabic", "Han", "Tamil"} <= known_scripts()
    assert share_in_script("ab कख 12", "Latin") == 0.5
    assert share_in_script("12.", "Latin") == 1.0
