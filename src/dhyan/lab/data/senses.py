"""Sentences about one word in two senses, written for the experiments. The word is spelt alike in all of them."""

from typing import NamedTuple


class TwoSenses(NamedTuple):
    word: str
    senses: dict[str, tuple[str, ...]]  # sense → sentences


# 'Apple' opens every sentence: its capital letter and its place then tell nothing.
WORDS = (
    TwoSenses(
        "bank",
        {
            "money": (
                "She put her savings in the bank last week.",
                "The bank gave him a loan for his house.",
                "My bank charges a fee for every cheque.",
                "He works as a manager in a bank near the station.",
                "The bank closes at four on Saturdays.",
                "You can open an account at any bank in the city.",
                "Thieves robbed the bank on Monday night.",
                "The bank raised its interest rates again.",
                "I must go to the bank to withdraw some cash.",
                "The bank refused to lend money to the company.",
                "Her salary is paid into the bank every month.",
                "A new bank has opened on our street.",
            ),
            "river": (
                "They sat on the bank of the river and fished.",
                "The bank of the stream was covered with grass.",
                "Crocodiles rested on the muddy bank in the sun.",
                "The boat drifted to the other bank of the Ganges.",
                "Trees grow along the bank of the canal.",
                "The flood washed away the left bank of the river.",
                "We walked along the bank until the water turned south.",
                "Women were washing clothes on the bank of the river.",
                "The village lies on the northern bank of the Yamuna.",
                "He swam across and climbed up the steep bank to the trees.",
                "Birds build nests in the sandy bank of the river.",
                "The river broke its bank after the heavy rain.",
            ),
        },
    ),
    TwoSenses(
        "apple",
        {
            "fruit": (
                "Apple juice is sweeter than orange juice.",
                "Apple trees blossom in the spring.",
                "Apple pie is served warm with cream.",
                "Apple peel is full of vitamins.",
                "Apple growers in Kashmir had a good harvest.",
                "Apple seeds should not be eaten.",
                "Apple slices turn brown after some time.",
                "Apple jam tastes good on bread.",
                "Apple orchards cover the slopes of the valley.",
                "Apple cake was her favourite dessert.",
                "Apple and banana are my favourite fruits.",
                "Apple vinegar is used in salads.",
            ),
            "company": (
                "Apple released a new phone this year.",
                "Apple sells computers all over the world.",
                "Apple shares fell on the stock market.",
                "Apple engineers designed a faster chip.",
                "Apple opened its first store in Mumbai.",
                "Apple and Google compete for customers.",
                "Apple announced record profits on Tuesday.",
                "Apple phones are expensive in India.",
                "Apple software is updated every month.",
                "Apple was founded in a garage in California.",
                "Apple laptops have a long battery life.",
                "Apple sued another company over a patent.",
            ),
        },
    ),
)
