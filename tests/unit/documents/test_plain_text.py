"""Plain text: wrapped paragraphs are rejoined and wrapped again, whatever is one text per line stays so."""

import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhyan.documents.rewrap import display_width, wrap
from support.documents import same, texts, through

PARAGRAPHS = [
    "The river rose quickly during the night, and by the morning most of the houses near the old bridge in New Delhi "
    "had been flooded. Dr. Smith said that nobody should return. Then they waited for news, which never came.",
    "Under no circumstances should the lid be removed while the machine is running, because the blades inside it do "
    "not stop at once and may hurt whoever reaches for them.",
    "Our shop is open from Monday to Friday between 9 a.m. and 6 p.m., but it is closed on public holidays; please "
    "ring us before you come, since we sometimes have to leave early.",
]
HINDI = (
    "बारिश इतनी तेज़ थी कि सड़क पर चलना मुश्किल हो गया था और सभी दुकानें शाम से पहले ही बंद कर दी गईं ताकि लोग अपने "
    "घर सुरक्षित पहुँच सकें।"
)
LISTS = [
    "Apples\nPears\nGreen bananas\nMilk\n",
    "apples\npears\ngreen bananas\nmilk and bread\n",
    "Introduction to machine learning\nDeep learning for natural language\nAttention is all you need\n",
    "Roses are red,\nViolets are blue,\nSugar is sweet,\nAnd so are you.\n",
    "Mr John Smith of Smithfield\n12 High Street, Hampstead\nLondon NW3 2BB\n",
    "the bank is open\nthe river flows\nhow are you today\nplease wait for me here\n",
    "I went to the bank.\nThe bank was closed.\nI came home late.\n",
    "Name     Age   City\nJohn     32    London\nmary     20    paris\n",
    "    for x in range(10):\n    print(x)\n    total += x\n",
    "she sells sea shells by the sea shore\nthe shells she sells are surely seashells\nso if she sells them here\n",
    "How do I install the package\nHow do I remove the package\nHow do I translate a file\n",
    "I love this product and I would buy it again\nnot what i expected at all\nIt broke after a week\n",
    "Question: What is it?\nAnswer: It is a translator.\n",
    "नमस्ते दुनिया के लोगो\nआप कैसे हैं भाई साहब\nमैं ठीक हूँ\n",
    "title: The book\nauthor: a friend\nyear of print: 1999\n",
    "The old man and the sea\nthe lord of the flies\n",
]


@pytest.mark.parametrize("width", [24, 32, 40, 55, 66, 72, 79])
@pytest.mark.parametrize("paragraph", [*PARAGRAPHS, HINDI], ids=["names", "warning", "times", "hindi"])
def test_a_wrapped_paragraph_is_one_text(paragraph, width):
    assert texts("txt", textwrap.fill(paragraph, width) + "\n\nThe end.\n") == [paragraph, "The end."]
    quoted = textwrap.fill(paragraph, width, initial_indent="> ", subsequent_indent="> ")
    assert texts("txt", quoted) == [paragraph]
    items = [textwrap.fill(paragraph, width, initial_indent=f"{n}. ", subsequent_indent="   ") for n in (1, 2)]
    assert texts("txt", "\n".join(items)) == [paragraph, paragraph]


@pytest.mark.parametrize("content", LISTS)
def test_one_text_per_line_stays_one_per_line(content):
    lines = [line.strip() for line in content.splitlines()]
    assert texts("txt", content) == lines
    assert through("txt", content, same) == content


def test_it_is_wrapped_again_at_its_width_with_its_margins():
    content = (
        "  - It should not be opened\n    before the expert comes.\n\n"
        ">> You have said that it would\n>> be ready by noon.\n"
    )
    long = "one two three four five six seven eight nine ten"
    assert through("txt", content, lambda found: [long] * len(found)) == (
        "  - one two three four five\n    six seven eight nine ten\n\n"
        ">> one two three four five six\n>> seven eight nine ten\n"
    )
    # A word that would begin an item stays behind the word before it.
    assert wrap("aaaa bbbb - cccc", 9) == ["aaaa bbbb -", "cccc"]


def test_short_warnings_and_letters():
    assert texts("txt", "You should never\nopen this file.\n") == ["You should never open this file."]
    letter = "Dear Ann,\n\nthank you for the letter that you sent to us in the week of\nMay. I hope to see you.\n"
    assert len(texts("txt", letter + "\nKind regards,\nMary Jones\nDirector of Sales\n")) == 5


def test_words_divided_at_the_end_of_a_line():
    content = "This infor-\nmation is well-\nknown to every\u00ad\none who has a mother-\nin-law.\n"
    assert texts("txt", content) == ["This information is well-known to everyone who has a mother-in-law."]


def test_lines_of_very_different_length_are_one_sentence_if_nothing_else_begins():
    comb = "You should not open the box if it has been damaged in any way, and you should\nnot\nuse it.\n"
    assert texts("txt", comb) == [comb.replace("\n", " ").strip()]


def test_it_can_be_said():
    assert texts("txt", "Roses are\nRed and\n\nBlue\n", wrapped=True) == ["Roses are Red and", "Blue"]
    assert texts("txt", "You should not\nopen the file.\n", wrapped=False) == ["You should not", "open the file."]


WORDS = st.sampled_from(["a", "river", "runs", "quickly", "past", "old", "houses", "and", "never", "stops"])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.lists(WORDS, min_size=12, max_size=40), min_size=1, max_size=4),
    st.integers(28, 90),
    st.sampled_from(["\n", "\r\n"]),
)
def test_generated_paragraphs_come_out_whole_and_back(words, width, end):
    paragraphs = [" ".join(one).capitalize() + "." for one in words]
    content = "\n\n".join(textwrap.fill(one, width) for one in paragraphs).replace("\n", end) + end
    assert texts("txt", content) == paragraphs
    assert through("txt", content, same) == content
    shouted = through("txt", content, lambda found: [text.upper() for text in found])
    assert shouted == content.upper()


def test_columns_on_the_screen():
    assert display_width("नमस्ते") == 4
    assert display_width("东京") == 4
    assert display_width("abc") == 3
