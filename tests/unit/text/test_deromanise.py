"""Hindi in Latin letters comes out in Devanagari, however it is typed; English, names and addresses stay."""

import pytest

from dhyan.text.deromanise import in_devanagari
from dhyan.text.language_id import ENGLISH, frequent_words


@pytest.mark.parametrize(
    ("typed", "hindi"),
    [
        ("kal milte h", "कल मिलते हैं"),
        ("mujhe bhuk lagi hai", "मुझे भूख लगी है"),
        ("tabiyat theek nahi hai aaj", "तबीयत ठीक नहीं है आज"),
        ("kaha ho tum", "कहाँ हो तुम"),  # not कहा, which "ho" hardly follows
        ("usne kaha hai", "उसने कहा है"),
        ("aaj bahut kaam tha", "आज बहुत काम था"),  # not कम, which nobody spells so
        ("mujhe lagta hai ki wo bhai ki kitab hai", "मुझे लगता है कि वह भाई की किताब है"),
        ("khidki khol do", "खिड़की खोल दो"),
        ("DARWAZA BAND KARO", "दरवाज़ा बंद करो"),
        ("Aaj Delhi me barish hai", "आज Delhi में बारिश है"),
        ("mera OTP 4521 hai", "मेरा OTP 4521 है"),
        ("kya hai www.kya.in ya me@hai.in", "क्या है www.kya.in या me@hai.in"),
        ("", ""),
        ("😀 42", "😀 42"),
    ],
)
def test_hindi_as_people_type_it(typed, hindi):
    assert in_devanagari(typed, frequent_words(ENGLISH)) == hindi


def test_what_is_hidden_stays():
    assert in_devanagari("ghar aao ghar", hidden=[(0, 4)]) == "ghar आओ घर"
