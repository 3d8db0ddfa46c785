"""Tiny random models of other programs: folders as transformers saves them, and what transformers computes with them.

`PYTHONPATH=tests python -m support.foreign_models` writes tests/stored/foreign anew.
"""

import json
import string
from pathlib import Path

from tokenizers import pre_tokenizers

from support.foreign_tokenizers import sentencepiece_file
from support.oracles import call_oracle

STORED = Path(__file__).parents[1] / "stored" / "foreign"
LETTERS = string.ascii_lowercase
BERT_LINES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{letter}" for letter in LETTERS)]
PIECES = [
    ("<unk>", 0.0, 2),
    ("<s>", 0.0, 3),
    ("</s>", 0.0, 3),
    ("▁", -2.0, 1),
    *((letter, -3.0, 1) for letter in LETTERS),
]


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def numbered(*pieces):
    return {piece: number for number, piece in enumerate(pieces)}


def word_pieces(folder):
    (folder / "vocab.txt").write_text("\n".join(BERT_LINES) + "\n", encoding="utf-8")


def bytes_of(*special):
    def write(folder):
        write_json(folder / "vocab.json", numbered(*special, *sorted(pre_tokenizers.ByteLevel.alphabet())))
        (folder / "merges.txt").write_text("#version: 0.2\n", encoding="utf-8")

    return write


def marian(folder):
    (folder / "source.spm").write_bytes(sentencepiece_file(PIECES))
    (folder / "target.spm").write_bytes(sentencepiece_file(PIECES))
    write_json(folder / "vocab.json", numbered("</s>", "<unk>", *(text for text, *_ in PIECES[3:]), "<pad>"))


def marian_separate(folder):
    marian(folder)
    own = reversed([text for text, *_ in PIECES[3:]])
    write_json(folder / "target_vocab.json", numbered("</s>", "<unk>", *own, "<pad>"))


def m2m100(folder):
    (folder / "sentencepiece.bpe.model").write_bytes(sentencepiece_file(PIECES))
    pieces = (text for text, *_ in PIECES[3:])
    write_json(folder / "vocab.json", numbered("<s>", "<pad>", "</s>", "<unk>", *pieces))


BERT_SIZES = {
    "vocab_size": len(BERT_LINES),
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 16,
    "num_labels": 3,
    "id2label": {"0": "bad", "1": "fine", "2": "good"},
}
ROBERTA_TOKENS = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
ROBERTA_SIZES = BERT_SIZES | {"vocab_size": 261, "type_vocab_size": 1, "layer_norm_eps": 1e-5, "hidden_size": 6}
DISTILBERT_SIZES = {
    "vocab_size": len(BERT_LINES),
    "dim": 12,
    "n_layers": 2,
    "n_heads": 3,
    "hidden_dim": 20,
    "max_position_embeddings": 16,
    "num_labels": 3,
}
BART_SIZES = {
    "d_model": 12,
    "encoder_layers": 2,
    "decoder_layers": 1,
    "encoder_attention_heads": 3,
    "decoder_attention_heads": 3,
    "encoder_ffn_dim": 20,
    "decoder_ffn_dim": 20,
    "max_position_embeddings": 24,
    "scale_embedding": True,
}
MARIAN_SIZES = BART_SIZES | {
    "vocab_size": 30,
    "decoder_vocab_size": 30,
    "pad_token_id": 29,
    "decoder_start_token_id": 29,
    "eos_token_id": 0,
    "bos_token_id": 0,
    "forced_eos_token_id": None,
    "bad_words_ids": [[29]],
    "activation_function": "swish",
}
LLAMA_SIZES = {
    "vocab_size": 259,
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "intermediate_size": 12,
    "max_position_embeddings": 32,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
LLAMA_TOKENS = ("<unk>", "<s>", "</s>")
LETTER_IDS = [10, 7, 40, 33, 12]

# name → transformers' class, its settings, who writes the tokenizer, ids: for the encoder, for the decoder.
FAMILIES = {
    "bert": ("BertModel", BERT_SIZES, word_pieces, [2, *LETTER_IDS, 3], None),
    "bert-masked": ("BertForMaskedLM", BERT_SIZES, word_pieces, [2, *LETTER_IDS, 3], None),
    "bert-classifier": ("BertForSequenceClassification", BERT_SIZES, word_pieces, [2, *LETTER_IDS, 3], None),
    "roberta-masked": ("RobertaForMaskedLM", ROBERTA_SIZES, bytes_of(*ROBERTA_TOKENS), [0, *LETTER_IDS, 2], None),
    "roberta-classifier": (
        "RobertaForSequenceClassification",
        ROBERTA_SIZES,
        bytes_of(*ROBERTA_TOKENS),
        [0, *LETTER_IDS, 2],
        None,
    ),
    "distilbert-masked": ("DistilBertForMaskedLM", DISTILBERT_SIZES, word_pieces, [2, *LETTER_IDS, 3], None),
    "distilbert-classifier": (
        "DistilBertForSequenceClassification",
        DISTILBERT_SIZES,
        word_pieces,
        [2, *LETTER_IDS, 3],
        None,
    ),
    "marian": ("MarianMTModel", MARIAN_SIZES, marian, [5, 9, 17, 8, 0], [29, 4, 8, 22]),
    "marian-separate": (
        "MarianMTModel",
        MARIAN_SIZES | {"share_encoder_decoder_embeddings": False, "activation_function": "relu"},
        marian_separate,
        [5, 9, 17, 8, 0],
        [29, 4, 8, 22],
    ),
    # English is the 19th of the hundred languages behind the 31 pieces, Hindi the 33rd.
    "m2m100": (
        "M2M100ForConditionalGeneration",
        BART_SIZES | {"vocab_size": 140, "activation_function": "relu", "decoder_start_token_id": 2},
        m2m100,
        [31 + 18, 9, 17, 8, 2],
        [2, 31 + 32, 8, 22],
    ),
    "gpt2": (
        "GPT2LMHeadModel",
        {
            "vocab_size": 257,
            "n_embd": 8,
            "n_layer": 2,
            "n_head": 2,
            "n_positions": 24,
            "bos_token_id": 0,
            "eos_token_id": 0,
        },
        bytes_of("<|endoftext|>"),
        None,
        [0, 70, 90, 81, 75],
    ),
    "llama": (
        "LlamaForCausalLM",
        LLAMA_SIZES | {"rope_theta": 500.0},
        bytes_of(*LLAMA_TOKENS),
        None,
        [1, 70, 90, 81, 75],
    ),
    "llama-tied": (
        "LlamaForCausalLM",
        LLAMA_SIZES | {"tie_word_embeddings": True, "num_key_value_heads": 2, "attention_bias": True},
        bytes_of(*LLAMA_TOKENS),
        None,
        [1, 70, 90, 81, 75],
    ),
    "mistral": (
        "MistralForCausalLM",
        LLAMA_SIZES | {"sliding_window": 4096},
        bytes_of(*LLAMA_TOKENS),
        None,
        [1, 70, 90, 81, 75],
    ),
    "qwen2": ("Qwen2ForCausalLM", LLAMA_SIZES, bytes_of(*LLAMA_TOKENS), None, [1, 70, 90, 81, 75]),
}
LANGUAGES = {"m2m100": ("en", "hi")}
GREEDY_STEPS = 6

MAKE = """
import torch, transformers

answer = {}
for name, asked in payload["models"].items():
    torch.manual_seed(asked["seed"])
    kind = getattr(transformers, asked["kind"])
    model = kind(kind.config_class(**asked["settings"])).eval()
    with torch.no_grad():
        for key, weight in model.named_parameters():
            if asked["kind"].startswith("Marian") and "embed_positions" in key:
                continue  # they are computed, and not saved
            weight.normal_(0, 0.4)
            if weight.ndim == 1 and "norm" in key.lower() and key.endswith("weight"):
                weight.add_(1)
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_()
    model.save_pretrained(asked["folder"])
    source = asked["source"] and torch.tensor([asked["source"]])
    target = asked["target"] and torch.tensor([asked["target"]])
    greedy = {"num_beams": 1, "do_sample": False, "max_new_tokens": payload["steps"], "pad_token_id": None}
    with torch.no_grad():
        if target is None:
            out = model(input_ids=source, output_hidden_states=True)
            found = {"hidden": out.hidden_states[-1][0].tolist()}
            if "logits" in out:
                found["logits"] = out.logits[0].tolist()
        elif source is None:
            found = {"logits": model(input_ids=target).logits[0].tolist()}
            mask = torch.ones_like(target)
            found["written"] = model.generate(target, attention_mask=mask, **greedy)[0, target.shape[1]:].tolist()
        else:
            found = {"logits": model(input_ids=source, decoder_input_ids=target).logits[0].tolist()}
            if asked["languages"]:
                greedy |= {"forced_bos_token_id": asked["target"][1], "max_new_tokens": payload["steps"] + 1}
            written = model.generate(source, attention_mask=torch.ones_like(source), **greedy)[0]
            found["written"] = written[2 if asked["languages"] else 1:].tolist()
    answer[name] = found
"""


def make(root, seed=1, names=FAMILIES):
    """Folders under `root`, and what transformers answers: name → hidden states, logits, what it writes."""
    asked = {}
    for name in names:
        kind, settings, write_tokenizer, source, target = FAMILIES[name]
        (root / name).mkdir(parents=True, exist_ok=True)
        write_tokenizer(root / name)
        asked[name] = {
            "folder": str(root / name),
            "kind": kind,
            "settings": settings,
            "source": source,
            "target": target,
            "languages": name in LANGUAGES,
            "seed": seed,
        }
    return call_oracle(MAKE, {"models": asked, "steps": GREEDY_STEPS})


def rounded(value):
    return [rounded(inner) for inner in value] if isinstance(value, list) else round(value, 6)


if __name__ == "__main__":
    for name, found in make(STORED, seed=2).items():
        (STORED / name / "generation_config.json").unlink(missing_ok=True)
        if isinstance(found.get("logits", [0])[0], list):
            found["logits"] = found["logits"][-2:]  # of the last positions
        write_json(STORED / name / "answer.json", {key: rounded(value) for key, value in found.items()})
