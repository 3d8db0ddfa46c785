"""A wrong setting is one line: where, what was found, what is allowed, the nearest right spelling."""

from pathlib import Path

import pytest

from dhyan.core.errors import DhyanError
from dhyan.core.settings import to_toml
from dhyan.model.architecture import ModelSettings
from dhyan.training.recipe import PartialRecipe, Recipe, merge, read_recipe

FULL = {
    "task": "translate",
    "out": "my-pack",
    "data": {"train": ["a.tsv"], "columns": {"source": "2", "target": "1"}},
}


def problem(values, cls=Recipe):
    with pytest.raises(DhyanError) as caught:
        cls.checked(values, "recipe.toml")
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"model": {"haeds": 4}}, ["recipe.toml", "'model.haeds' is not a setting", "did you mean 'heads'"]),
        ({"trainning": {}}, ["'trainning' is not a setting", "did you mean 'training'"]),
        ({"model": {"norm": "Pre"}}, ["model.norm = 'Pre'", "pre, post", "did you mean 'pre'"]),
        ({"model": {"d_model": 100, "heads": 8}}, ["heads = 8 does not divide d_model = 100", "try heads = 10"]),
        ({"model": {"d_model": "big"}}, ["model.d_model = 'big'", "integer"]),
        ({"training": {"dropout": 1.5}}, ["training.dropout = 1.5", "less than 1"]),
        ({"training": {"device": "gpu"}}, ["training.device = 'gpu'"]),
        ({"training": {"objective": "masked"}}, ["'masked'", "'translate'"]),
        ({"model": {"tie": "all"}}, ["shared = true"]),
        ({"cleaning": {"target_script": "Devnagari"}}, ["Devnagari", "Devanagari"]),
    ],
)
def test_every_wrong_setting_is_told_in_one_line(values, words):
    message = problem(merge(FULL, values))
    for word in words:
        assert word in message


def test_all_problems_are_told_at_once():
    message = problem(merge(FULL, {"model": {"heads": 0, "norm": "mid"}, "training": {"steps": -1}}))
    assert all(name in message for name in ("model.heads", "model.norm", "training.steps"))


def test_a_missing_task_is_told():
    assert "'task' is missing" in problem({"out": "x"})


def test_a_partial_recipe_keeps_the_bounds_and_leaves_all_else_open():
    assert PartialRecipe.checked({}, "here").model_dump(exclude_none=True) == {}
    assert "training.dropout" in problem({"training": {"dropout": 2}}, PartialRecipe)


def test_a_printed_recipe_reads_back_the_same(tmp_path):
    recipe = Recipe.checked(merge(FULL, {"licence": 'a "quoted" \\ नाम', "training": {"learning_rate": 1e-5}}), "x")
    path = tmp_path / "recipe.toml"
    path.write_text(to_toml(recipe), encoding="utf-8")
    assert Recipe.checked(read_recipe(path), "x") == recipe
    assert "# attention heads" in path.read_text(encoding="utf-8")  # every setting is explained where it stands


def test_every_setting_has_help_and_its_name_is_used_once():
    seen = []
    for name, field in Recipe.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and hasattr(inner, "model_fields"):
            for key, one in inner.model_fields.items():
                assert one.description, key
                seen.append(key)
        else:
            assert field.description, name
            seen.append(name)
    assert len(seen) == len(set(seen))


def test_toml_that_is_not_toml(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("task = ")
    with pytest.raises(DhyanError, match="not valid TOML"):
        read_recipe(path)
    with pytest.raises(DhyanError, match="no such file"):
        read_recipe(Path("nowhere.toml"))


def test_sines_and_cosines_go_in_pairs():
    with pytest.raises(DhyanError, match="even"):
        ModelSettings.checked({"d_model": 15, "heads": 3}, "x")
    with pytest.raises(DhyanError, match="even"):
        ModelSettings.checked({"d_model": 6, "heads": 2, "positions": "rotary"}, "x")
