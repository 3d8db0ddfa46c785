"""English sentences with their Hindi, written for the experiments: some with an alignment made by hand."""

from typing import NamedTuple


class Aligned(NamedTuple):
    """links: for each Hindi word the numbers of its English words, counted from 1; `?` marks a disputed one.

    Articles, postpositions and auxiliaries that the other language does without are disputed.
    """

    english: str
    hindi: str
    links: str

    def pairs(self, disputed: bool) -> set[tuple[int, int]]:
        """(English word, Hindi word), counted from 0; with or without what may be disputed."""
        return {
            (int(link.rstrip("?")) - 1, index)
            for index, links in enumerate(self.links.split())
            for link in links.split(",")
            if disputed or not link.endswith("?")
        }


ALIGNED = [
    Aligned("I like eating ice-cream.", "मुझे आइसक्रीम खाना पसंद है।", "1 4 3 2 2?"),
    Aligned("We are friends.", "हम दोस्त हैं।", "1 3 2"),
    Aligned("How are you?", "आप कैसे हैं?", "3 1 2"),
    Aligned("I am fine.", "मैं ठीक हूँ।", "1 3 2"),
    Aligned("This is my book.", "यह मेरी किताब है।", "1 3 4 2"),
    Aligned("The children are playing in the park.", "बच्चे पार्क में खेल रहे हैं।", "2,1? 7,6? 5 4 4?,3? 3"),
    Aligned("She is reading an old newspaper.", "वह एक पुराना अखबार पढ़ रही है।", "1 4 5 6 3 3?,2? 2"),
    Aligned("My father works in a bank.", "मेरे पिता एक बैंक में काम करते हैं।", "1 2 5 6 4 3 3 3?"),
    Aligned("The train came two hours late.", "ट्रेन दो घंटे देर से आई।", "2,1? 4 5 6 6? 3"),
    Aligned("He bought a new car yesterday.", "उसने कल एक नई कार खरीदी।", "1 6 3 4 5 2"),
    Aligned("The river flows through the city.", "नदी शहर से होकर बहती है।", "2,1? 6,5? 4 4 3 3?"),
    Aligned("I do not know his name.", "मैं उसका नाम नहीं जानता।", "1 5 6 3 4,2?"),
    Aligned("Where is the nearest hospital?", "सबसे नज़दीकी अस्पताल कहाँ है?", "4,3? 4 5 1 2"),
    Aligned(
        "The teacher gave the students a difficult question.",
        "शिक्षक ने छात्रों को एक कठिन प्रश्न दिया।",
        "2,1? 2?,3? 5,4? 5? 6 7 8 3",
    ),
    Aligned("It is raining heavily today.", "आज भारी बारिश हो रही है।", "5 4 3 3? 3?,2? 2"),
    Aligned("Two dogs are sleeping under the table.", "मेज़ के नीचे दो कुत्ते सो रहे हैं।", "7,6? 5 5 1 2 4 4?,3? 3"),
    Aligned("Please close the door.", "कृपया दरवाज़ा बंद करें।", "1 4,3? 2 2"),
    Aligned(
        "The government opened a new school in our village.",
        "सरकार ने हमारे गाँव में एक नया स्कूल खोला।",
        "2,1? 2?,3? 8 9 7 4 5 6 3",
    ),
    Aligned("Milk and rice are cheap here.", "यहाँ दूध और चावल सस्ते हैं।", "6 1 2 3 5 4"),
]

PAIRS = [
    *((one.english, one.hindi) for one in ALIGNED),
    ("The shop opens at nine in the morning.", "दुकान सुबह नौ बजे खुलती है।"),
    ("My sister is learning to drive a car.", "मेरी बहन कार चलाना सीख रही है।"),
    ("If it rains tomorrow, we will stay at home.", "अगर कल बारिश हुई, तो हम घर पर रहेंगे।"),
    ("The doctor told him to drink more water.", "डॉक्टर ने उसे ज़्यादा पानी पीने को कहा।"),
    ("There are many trees around our school.", "हमारे स्कूल के चारों ओर बहुत से पेड़ हैं।"),
    ("How much does this bag cost?", "इस बैग की कीमत कितनी है?"),
    ("She wrote a long letter to her mother.", "उसने अपनी माँ को एक लंबा पत्र लिखा।"),
    ("The farmers are waiting for the rain.", "किसान बारिश का इंतज़ार कर रहे हैं।"),
    ("I have lived in this city for ten years.", "मैं इस शहर में दस साल से रह रहा हूँ।"),
    ("The bus stopped in front of the old temple.", "बस पुराने मंदिर के सामने रुकी।"),
    ("Nobody knew where the boy had gone.", "किसी को नहीं पता था कि लड़का कहाँ गया है।"),
    ("We should eat fresh fruit every day.", "हमें हर दिन ताज़े फल खाने चाहिए।"),
    ("The police caught the thief last night.", "पुलिस ने कल रात चोर को पकड़ लिया।"),
    ("Can you help me with this work?", "क्या आप इस काम में मेरी मदद कर सकते हैं?"),
    ("The mountain is covered with snow.", "पहाड़ बर्फ से ढका हुआ है।"),
    ("He forgot to bring his umbrella.", "वह अपना छाता लाना भूल गया।"),
    ("The meeting will begin after lunch.", "बैठक दोपहर के भोजन के बाद शुरू होगी।"),
]
