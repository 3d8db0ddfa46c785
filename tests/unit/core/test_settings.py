"""A wrong setting is one line: where, what was found, what is allowed, the nearest right spelling."""

import warnings
from pathlib import Path

import pytest
from pydantic import Field

from dhyan.core import settings
from dhyan.core.errors import DhyanError
from dhyan.core.settings import RenamedWarning, Settings, every_field_optional, to_toml, was
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
    path.write_text("a = " + "[" * 5000 + "]" * 5000)
    with pytest.raises(DhyanError, match="nested too deeply"):
        read_recipe(path)
    with pytest.raises(DhyanError, match="no such file"):
        read_recipe(Path("nowhere.toml"))


def test_sines_and_cosines_go_in_pairs():
    with pytest.raises(DhyanError, match="even"):
        ModelSettings.checked({"d_model": 15, "heads": 3}, "x")
    with pytest.raises(DhyanError, match="even"):
        ModelSettings.checked({"d_model": 6, "heads": 2, "positions": "rotary"}, "x")


# -- old names ----------------------------------------------------------------------------------------------------


class Loss(Settings):
    contrastive_temperature: float = Field(
        0.05, gt=0, json_schema_extra=was("contrast", "sharpness"), description="t"
    )


class Job(Settings):
    loss: Loss = Field(default_factory=Loss, json_schema_extra=was("aim"))


@pytest.fixture
def nothing_noticed(monkeypatch):
    monkeypatch.setattr(settings, "_noticed", set())


def test_an_old_name_works_and_says_the_new_one_once(nothing_noticed):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for old in ("contrast", "contrast", "sharpness"):
            assert Job.checked({"aim": {old: 0.1}}, "x").loss.contrastive_temperature == 0.1
    assert all(one.category is RenamedWarning for one in said)
    assert [str(one.message).split(";")[0] for one in said] == [
        "'aim' is now called 'loss'",
        "'contrast' is now called 'contrastive_temperature'",
        "'sharpness' is now called 'contrastive_temperature'",
    ]


def test_an_old_name_is_read_quietly_where_dhyan_wrote_it(nothing_noticed):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Job.checked({"loss": {"contrast": 0.1}}, "x", quiet=True).loss.contrastive_temperature == 0.1


@pytest.mark.filterwarnings("ignore::dhyan.core.settings.RenamedWarning")
def test_an_old_name_keeps_the_bounds_and_does_not_go_with_the_new_one():
    partial = every_field_optional(Job)
    assert "loss.contrastive_temperature = -1" in problem({"loss": {"contrast": -1}}, partial)
    both = {"loss": {"contrast": 1, "contrastive_temperature": 2}}
    assert "'contrast' is the old name of 'contrastive_temperature'" in problem(both, partial)


def test_toml_nested_too_deeply_is_one_sentence(tmp_path):
    path = tmp_path / "deep.toml"
    path.write_text("task = " + "[" * 5000 + "]" * 5000)
    with pytest.raises(DhyanError, match="nested too deeply"):
        read_recipe(path)
    path.write_text("a." * 5000 + "a = 1")
    with pytest.raises(DhyanError):
        read_recipe(path)


@pytest.mark.filterwarnings("ignore::dhyan.core.settings.RenamedWarning")
def test_old_recipes_are_read(tmp_path):
    path = tmp_path / "old.toml"
    path.write_text("[training]\ntaught = 0.3\nmask_share = 0.2\ncontrast = 0.07\n")
    new = {"teacher_weight": 0.3, "mask_probability": 0.2, "contrastive_temperature": 0.07}
    assert read_recipe(path) == {"training": new}
