"""Models as other programs have them, opened up: every address, figure, card and switch, for every setting."""

import io

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.core.screen import Screen
from dhyan.explain.analyses.common_pieces import common_pieces
from dhyan.explain.explainer import Explainer
from dhyan.explain.token_view import Tokens
from dhyan.explain.views.figures import figure
from dhyan.explain.views.html_report import page
from dhyan.explain.views.stages import Where, stages
from dhyan.explain.views.terminal import View
from dhyan.explain.views.walkthrough import walk
from dhyan.text.tokenizer import Tokenizer
from support.foreign_tokenizers import byte_level_json, unigram_json, word_piece_json
from support.models import LIKE_OTHERS
from support.packs import LIKE_OTHER_PACKS, random_pack

SENTENCE = "the river bank flows"
SOMEWHERE = Where(token=1, layer=1, head=2)


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    found = {}
    for name, (shape, options) in LIKE_OTHER_PACKS.items():
        explainer = Explainer(random_pack(tmp_path_factory.mktemp(name) / "pack", shape, **options))
        found[name] = explainer.explain(SENTENCE, **({} if shape == "encoder" else {"max_length": 5}))
    return found


@pytest.mark.parametrize("name", LIKE_OTHER_PACKS)
def test_everything_can_be_looked_at(opened, name):
    explanation = opened[name]
    view = View(Screen(io.StringIO()))
    view.walk(explanation, SOMEWHERE)
    view.heads(explanation)
    assert "<svg" in page(explanation)
    for address, shape in explanation.addresses(weights=True).items():
        axes = explanation.axes(address)
        assert len(axes) == len(shape), address
        assert all(axis.labels is None or len(axis.labels) == n for axis, n in zip(axes, shape, strict=True)), address
        if len(shape) == 2:
            assert figure(explanation, f"{address}[0:4]").startswith("<svg")


@pytest.mark.parametrize("name", LIKE_OTHER_PACKS)
def test_the_walk_names_numbers_that_are_there(opened, name):
    explanation = opened[name]
    for stage in stages(explanation, SOMEWHERE):
        assert not stage.address or stage.address in explanation, stage
    for card in walk(explanation, SOMEWHERE):
        assert all(address in explanation for address in card.addresses), card


@pytest.mark.parametrize("name", LIKE_OTHER_PACKS)
def test_heads_words_and_numbers_can_be_changed(opened, name):
    explanation = opened[name]
    stack = "enc" if explanation.architecture.has_encoder else "dec"
    assert explanation.without(f"{stack}.1.self.h2").change.log_probability.any()
    assert explanation.hiding("bank").change.log_probability.any()
    changed = explanation.setting({f"{stack}.input[2]": 0.5, f"{stack}.0.self.h1.W_K[3,4]": 2})
    assert changed[f"{stack}.input[2,7]"] == 0.5
    assert changed[f"{stack}.0.self.h1.W_K[3,4]"] == 2


def test_tokens_around_a_text_are_special(opened):
    words = opened["bert"].source.words
    assert [word.special for word in words] == [True, False, False, False, False, True, True]
    assert [token.special for token in opened["bert"].source].count(True) == 3
    assert not any(word.special for word in opened["gpt2"].target.words)  # no start token: the prompt begins
    assert opened["gpt2"].target.words[0].text == "the"
    assert opened["llama"].target.words[0].special


def test_heads_that_share_keys_have_one_matrix(opened):
    explanation = opened["llama"]
    shared = explanation["dec.1.self.W_K"]
    assert len(shared) == 1
    np.testing.assert_array_equal(explanation["dec.1.self.h2.W_K"], shared[0])
    np.testing.assert_array_equal(explanation["dec.1.self.h1.b_V"], explanation["dec.1.self.b_V"][0])
    assert explanation.axes("dec.1.self.W_K")[0].labels == ("h0–h2",)
    assert len(explanation["dec.1.self.key"]) == 3
    with pytest.raises(DhyanError, match="the heads here are h0 to h2"):
        explanation["dec.1.self.h3.W_K"]


def test_a_recurrent_unit_has_no_heads(opened):
    explanation = opened["ssru"]
    assert explanation.without("dec.0.h1").heads_off == ("dec.0.cross.h1",)
    with pytest.raises(DhyanError, match=r"recurrent unit, which has no heads"):
        explanation.without("dec.0.self.h1")
    with pytest.raises(DhyanError, match=r"one array for all heads"):
        explanation["dec.0.ssru.h1.cell"]
    assert not any(".ssru." in address for address in explanation.heads())


def test_a_state_that_was_set_is_handed_on(opened):
    explanation = opened["ssru"]
    target = explanation.target_tokenizer.decode(explanation.written.ids)
    given = Explainer(explanation.pack).explain(SENTENCE, target=target or "the")
    changed = given.setting({"dec.0.ssru.cell[0,5]": 3})
    forget, candidate = changed["dec.0.ssru.forget[1,5]"], changed["dec.0.ssru.candidate[1,5]"]
    assert changed["dec.0.ssru.cell[1,5]"] == pytest.approx(forget * 3 + (1 - forget) * candidate, abs=1e-6)


def test_a_decoder_that_only_recurs_cannot_hide_words(tmp_path):
    explainer = Explainer(random_pack(tmp_path / "pack", "decoder", decoder_self="ssru"))
    explanation = explainer.explain(SENTENCE, max_length=3)
    assert "<svg" in page(explanation)
    assert "occlusion" not in explanation
    with pytest.raises(DhyanError, match="no word can be hidden"):
        explanation.ask(explainer.question(SENTENCE, hide=["bank"]))
    with pytest.raises(DhyanError, match="this model has no attention"):
        explanation.without("dec.0.h0")


def test_the_first_word_can_be_hidden_where_nothing_stands_before_it(opened):
    explanation = opened["gpt2"]
    assert np.isfinite(explanation.occlusion.change).all()
    hidden = explanation.hiding("the")
    assert hidden["dec.0.self.h0.weights[0,0]"] == 1  # it has nothing else to look at
    assert not hidden["dec.0.self.weights[:,5,0:3]"].any()


def test_a_lens_ends_where_the_model_does(opened):
    explanation = opened["bert"]
    first, *_, last = explanation["enc.lens.probs"]
    np.testing.assert_allclose(last, explanation["cls.probs"], atol=1e-6)
    assert first.sum() == pytest.approx(1, abs=1e-5)


def test_tokens_of_a_template_are_special_whatever_the_tokenizer_says(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder-decoder", **LIKE_OTHERS["marks"])
    explanation = Explainer(pack).explain(SENTENCE, max_length=3)
    assert [word.special for word in explanation.source.words][0::5] == [True, True]
    assert [token.special for token in explanation.target][:2] == [True, True]
    assert explanation.predicted[0].special
    assert explanation.first_row == 1


@pytest.mark.parametrize(
    "document", [word_piece_json(), byte_level_json(), unigram_json()], ids=["words", "bytes", "unigram"]
)
def test_common_pieces_are_whole_words_of_another_programs_vocabulary(document):
    tokenizer = Tokenizer.from_json(document)
    words = [tokenizer.shown_piece(number) for number in common_pieces(tokenizer, 50)]
    assert words
    assert all(word.startswith(" ") and len(word) > 2 for word in words), words


def test_what_a_vocabulary_lacks_is_text_all_the_same():
    tokenizer = Tokenizer.from_json(word_piece_json())
    text = "the 🪐 river"
    words = Tokens.of(tokenizer, [2, *tokenizer.encode(text), 3], text, before=1).words
    assert [word.special for word in words] == [True, False, False, False, True]
    assert [word.text for word in words if not word.special] == ["the", "🪐", "river"]
