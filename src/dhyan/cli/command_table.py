"""Which commands there are, what each is for, and where it is: none is imported before it is called."""

from typing import NamedTuple


class Entry(NamedTuple):
    module: str
    purpose: str


GROUPS: dict[str, dict[str, Entry]] = {  # heading in the help → name → command
    "Use": {
        "translate": Entry("translate", "Translate texts, files or folders; without any, at a prompt."),
        "write": Entry("write", "Continue a text."),
        "classify": Entry("classify", "Label texts, with probabilities."),
        "embed": Entry("embed", "Turn texts into vectors: near when they mean the same."),
        "similar": Entry("similar", "Find the texts of a file that are nearest to a text."),
        "cluster": Entry("cluster", "Group the texts of a file into clusters, named by their words; draw a map."),
        "detect": Entry("detect", "Tell which language texts are in."),
    },
    "Look inside": {
        "explain": Entry(
            "explain",
            "Show what a model computes: step by step, any number by its address, figures; switch heads off.",
        ),
        "lab": Entry(
            "lab",
            "Experiments that test claims about attention: run one, change its settings, see whether the claim held.",
        ),
    },
    "Train": {
        "mix": Entry("mix", "Clean, weight and shuffle parallel corpora into one training file."),
        "train": Entry("train", "Train a Transformer on your own text; the result is a pack."),
        "evaluate": Entry("evaluate", "Score a pack on test data."),
        "distil": Entry(
            "distil", "Let a pack translate text for a smaller one to learn from (knowledge distillation)."
        ),
        "terms": Entry("terms", "Find the terms of a domain in its sentence pairs: a glossary for translate."),
    },
    "Packs": {
        "models": Entry("packs", "List the packs that can be called by name."),
        "packs": Entry("packs_group", "Packs of others: install, remove and list them, and bundle one for others."),
        "import": Entry("import_model", "Make a pack of a model that another program trained."),
        "export": Entry("packs", "Write a pack in another program's format."),
        "repack": Entry("packs", "Write a pack for others: smaller, with its licence, scores and model card."),
        "interpolate": Entry("packs", "Write a pack between two others: checkpoint interpolation of their weights."),
    },
    "Serve": {
        "serve": Entry("serve", "Serve the translator, the page that shows a model's inside, and the HTTP API."),
        "keys": Entry("keys", "Keys for a server that is run for others: make, list and remove them."),
        "site": Entry(
            "site", "Write a folder for any static host: the page, with packs that run in the visitor's browser."
        ),
    },
    "This installation": {
        "doctor": Entry("doctor", "Show what is installed and where files are kept."),
    },
}
COMMANDS: dict[str, Entry] = {name: entry for group in GROUPS.values() for name, entry in group.items()}
