"""Pieces are learned from text: BPE merges, a unigram model, or simply the characters."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import BYTES, FRONT, SPECIAL, UNK
from dhyan.text.alphabet import Alphabet, choose_alphabet
from dhyan.text.settings import TextSettings

# Vowel signs, the virama and the joiners belong to the word that they are written in.
_LETTERS = r"[\p{L}\p{M}\x{200c}\x{200d}]+"
_CUTS = "|".join(
    (
        rf" ?{_LETTERS}(?:['’]{_LETTERS})*",  # a word with the space before it; don't is one word
        r" ?\p{N}",  # every digit apart, so that numbers are written alike
        # Every sign apart. So no piece can span "<end>" or "<0x41>": in a text they are just signs and letters.
        r" ?[^\s\p{L}\p{M}\p{N}\x{200c}\x{200d}]",
        r"\s+(?!\S)",  # a run of blanks, less the one that belongs to the next word
        r"\s+",
    )
)


def learn_pieces(texts: Iterable[str], settings: TextSettings, vocabulary: int) -> Tokenizer:
    """Learn at most `vocabulary` entries from `texts`, which is read twice."""
    alphabet = choose_alphabet(texts, settings.character_coverage, settings.lowercase)
    if not alphabet.characters:
        raise DhyanError("There is no text to learn pieces from; check that the corpus is not empty.")
    least = len(FRONT) + len(alphabet.characters)
    if vocabulary < least:
        raise DhyanError(
            f"A vocabulary of {vocabulary} is too small: this text needs at least {least} entries "
            f"({len(SPECIAL)} special tokens, {len(BYTES)} bytes, {len(alphabet.characters)} characters); "
            "raise --vocabulary or lower --character-coverage."
        )
    tokenizer = text_pipeline(settings)
    if settings.pieces == "characters":
        tokenizer.model = bpe_model(alphabet.characters, merges=[])
    elif settings.pieces == "unigram":
        tokenizer.model = _unigram(tokenizer, texts, alphabet, vocabulary)
    else:
        tokenizer.model = _bpe(tokenizer, texts, alphabet, vocabulary)
    return tokenizer


def text_pipeline(settings: TextSettings) -> Tokenizer:
    """All of a tokenizer but its model: how text is normalised, cut into words, and put together again."""
    tokenizer = Tokenizer(models.BPE())
    changes: list[Any] = [normalizers.NFC()]
    back: list[Any] = [decoders.ByteFallback(), decoders.Fuse()]
    if settings.lowercase:
        changes.append(normalizers.Lowercase())
    if settings.pieces != "characters":
        # A word at the start of a text has the same piece as inside it; the decoder takes that space away again.
        changes.append(normalizers.Prepend(" "))
        back.append(decoders.Strip(" ", 1, 0))
        tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(_CUTS), "isolated")
    tokenizer.normalizer = normalizers.Sequence(changes)
    tokenizer.decoder = decoders.Sequence(back)
    return tokenizer


def _bpe(tokenizer: Tokenizer, texts: Iterable[str], alphabet: Alphabet, vocabulary: int) -> models.BPE:
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary - len(FRONT),
        min_frequency=2,  # what was seen once is not a pattern
        initial_alphabet=list(alphabet.characters),
        special_tokens=[],
        show_progress=False,
    )
    learned = _trained(tokenizer, texts, alphabet, trainer)
    pieces = sorted(learned["vocab"], key=learned["vocab"].__getitem__)
    return bpe_model(pieces, [(left, right) for left, right in learned["merges"]])


def bpe_model(pieces: Sequence[str], merges: list[tuple[str, str]]) -> models.BPE:
    entries = {piece: number for number, piece in enumerate((*FRONT, *pieces))}
    return models.BPE(vocab=entries, merges=merges, unk_token=SPECIAL[UNK], byte_fallback=True)


def _unigram(tokenizer: Tokenizer, texts: Iterable[str], alphabet: Alphabet, vocabulary: int) -> models.Unigram:
    wanted = vocabulary - len(FRONT)
    trainer = trainers.UnigramTrainer(
        # The trainer may never prune its way down to the bare characters, so it is given a little room.
        vocab_size=max(wanted, len(alphabet.characters) + 8),
        initial_alphabet=list(alphabet.characters),
        special_tokens=[],
        show_progress=False,
    )
    tokenizer.model = models.Unigram()
    learned = _trained(tokenizer, texts, alphabet, trainer)
    pieces = _best(_settled(dict(learned["vocab"]), alphabet), wanted)
    return unigram_model(pieces)


def unigram_model(pieces: Sequence[tuple[str, float]]) -> models.Unigram:
    entries = [(piece, 0.0) for piece in FRONT]
    return models.Unigram([*entries, *pieces], unk_id=UNK, byte_fallback=True)


def _settled(scores: dict[str, float], alphabet: Alphabet) -> dict[str, float]:
    """The same scores on every run.

    The trainer visits words in random order, which shakes the last digits, and gives the characters that it
    pruned but must keep the lowest score plus 0.0001, 0.0002, … in random order. Rounding stills the first,
    one lowest score for all of those characters the second.
    """
    lowest = min(scores.values())
    reached = lowest + 0.0001 * (len(alphabet.characters) + 1)
    return {
        piece: round(lowest if len(piece) == 1 and score <= reached else score, 4) for piece, score in scores.items()
    }


def _best(scores: dict[str, float], wanted: int) -> list[tuple[str, float]]:
    """All the characters and, up to `wanted`, the most probable longer pieces; the most probable first."""
    ranked = sorted(scores.items(), key=lambda item: (len(item[0]) > 1, -item[1], item[0]))
    return sorted(ranked[:wanted], key=lambda item: (-item[1], item[0]))


def _trained(
    tokenizer: Tokenizer, texts: Iterable[str], alphabet: Alphabet, trainer: trainers.Trainer
) -> dict[str, Any]:
    tokenizer.train_from_iterator((alphabet.blank(text) for text in texts), trainer)
    model: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    return model
