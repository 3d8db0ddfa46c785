"""A finished training becomes a pack: weights, tokenizers, and a description that says how it was made."""

from dhyan._version import __version__
from dhyan.core.errors import DhyanError
from dhyan.core.settings import to_toml
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.inherited import named_with_licence
from dhyan.pack.manifest import Manifest
from dhyan.pack.model_card import ASSESSED, NOTES
from dhyan.pack.pack import Pack, write_pack
from dhyan.pack.training_folder import LOG, read_log
from dhyan.training.assessment.assess import Assessor
from dhyan.training.number_units import in_users_unit, words_in_users_unit
from dhyan.training.prepare import CUT_AGAIN, Prepared
from dhyan.training.trained_pack import CURVE
from dhyan.training.trainer import Trainer
from dhyan.training.training_log import training_curve


def write_trained_pack(prepared: Prepared, trainer: Trainer, teacher: Pack | None, assessor: Assessor | None) -> None:
    """Judge the best checkpoint, and write what came out best."""
    recipe, best = prepared.recipe, trainer.best_weights()
    assessment = assessor.finish(best) if assessor is not None else None
    settings, state, inherited = recipe.training, trainer.state, prepared.inherited
    same_task = inherited is not None and inherited.task == recipe.task and not recipe.new_vocabulary
    decoding = inherited.decoding if inherited and same_task else GenerationSettings(sample=recipe.task == "write")
    search = {name: getattr(settings, name) for name in ("beam", "length_penalty", "length_offset")}
    teachers = [named_with_licence(teacher.manifest.name, teacher.manifest.licence)] if teacher else []
    teachers += [name for name in prepared.written_by if name not in teachers]
    manifest = Manifest(
        dhyan=__version__,
        name=recipe.out.name,
        task=recipe.task,
        architecture=prepared.architecture,
        text=recipe.text,
        tokenizers=prepared.tokenizers.file_by_side,
        labels=prepared.labels,
        label_kind=prepared.label_kind,
        number=prepared.number,
        label_separator=recipe.data.label_separator,
        reads_pairs=recipe.reads_pairs,
        storage=settings.storage,
        decoding=decoding.model_copy(update=search),
        metrics={"training rows" if prepared.validates_on_train else "validation": state.metrics}
        | ({ASSESSED: assessment.metrics} if assessment else {}),
        training={
            "objective": settings.objective,
            "data": [str(file) for file in recipe.data.train + recipe.data.train_target],
            "rows": len(prepared.train) // (1 + CUT_AGAIN if settings.bpe_dropout else 1),
            "steps": state.step,
            "best step": state.best_step,
            "tokens seen": state.tokens,
            "seconds": round(state.seconds, 1),
            "device": str(trainer.device),
            "seed": settings.seed,
            "started from": inherited.named if inherited else "random weights",
            **({"new vocabulary": recipe.new_vocabulary} if recipe.new_vocabulary else {}),
            **({"teacher": ", ".join(teachers)} if teachers else {}),
            **(assessment.training if assessment else {}),
        },
        licence=recipe.licence,
        style_tags=recipe.style_tags,
        source_language=recipe.source_language,
        target_language=recipe.target_language,
        placeholders=tuple(recipe.placeholders),
    )
    if recipe.out.exists():
        raise DhyanError(
            f"{recipe.out} has appeared in the meantime and is left as it is; move it away, then write the pack with:"
            f" dhyan train --resume {recipe.folder}"
        )
    extra: dict[str, str | bytes] = {
        **(assessment.files if assessment else {}),
        "recipe.toml": to_toml(recipe),
        CURVE: training_curve(read_log(recipe.folder / LOG), settings.metric),
    }
    if inherited is not None:
        extra[NOTES] = inherited.card_of_its_child()
    weights = in_users_unit(assessment.weights if assessment else best, prepared.number)
    words_head = words_in_users_unit(assessment.words_head if assessment else None, prepared.number)
    write_pack(recipe.out, manifest, weights, prepared.tokenizers.by_side, extra, words_head)
