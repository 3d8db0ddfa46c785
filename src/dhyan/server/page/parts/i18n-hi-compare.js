// English → Hindi for Space and Compare.

export const COMPARE_IN_HINDI = {
  // Space
  Space: "अर्थ-मानचित्र",
  "Every layer moves a token. The same word starts at one point in both sentences, and context pulls it apart.":
    "हर परत टोकन को थोड़ा सरकाती है। वही शब्द दोनों वाक्यों में एक ही बिंदु से चलता है, और संदर्भ उसे अलग-अलग ओर ले जाता है।",
  Try: "आज़माएँ",
  Neighbourhoods: "पड़ोस",
  "Greatest spread": "सबसे बड़ा फैलाव",
  "Between two words": "दो शब्दों के बीच",
  across: "आड़े",
  up: "खड़े",
  Look: "नज़र",
  "Zoom out": "दूर से देखें",
  "Zoom in": "पास से देखें",
  "To the word": "शब्द तक",
  All: "पूरा",
  Now: "अभी",
  Play: "चलाएँ",
  Pause: "रोकें",
  "Previous layer": "पिछली परत",
  "Next layer": "अगली परत",
  "after layer {number}": "परत {number} के बाद",
  "Drawing the map: a few seconds, once for each pack…": "मानचित्र बन रहा है: कुछ सेकंड, हर पैक के लिए एक बार…",
  "A map of {count} words; followed: {words}.": "{count} शब्दों का मानचित्र; जिन पर नज़र है: {words}।",
  "Plus and minus zoom, arrow keys move, 0 shows all.": "प्लस और माइनस से पास-दूर, तीर से सरकाएँ, 0 से पूरा दिखे।",
  "cosine with {word}": "{word} के साथ कोसाइन",
  "Near means alike; far says little. A token stands among the six words nearest to it at that stage.":
    "पास होने का मतलब मिलता-जुलता; दूरी कम बताती है। टोकन उन छह शब्दों के बीच खड़ा है जो उस चरण में उसके सबसे निकट हैं।",
  "Of a word's ten nearest in {dimensions} dimensions, {kept} are among its ten nearest here.":
    "{dimensions} विमाओं में शब्द के जो दस सबसे निकट हैं, उनमें से {kept} यहाँ भी उसके दस निकटतम में हैं।",
  "A straight projection of {dimensions} dimensions on the two in which words of all stages differ most. They carry {share} of the variance ({both}): what looks near here may be far apart in the rest.":
    "{dimensions} विमाओं का सीधा प्रक्षेप उन दो दिशाओं पर जिनमें सब चरणों के शब्द सबसे अधिक भिन्न हैं। उनमें प्रसरण का {share} है ({both}): जो यहाँ पास दिखे, वह बाक़ी विमाओं में दूर हो सकता है।",
  "Both axes are true cosines: across with {across}, up with {up}. Every stage is compared with the same word at that stage, once the mean of all words there is taken away.":
    "दोनों अक्ष सच्चे कोसाइन हैं: आड़े {across} के साथ, खड़े {up} के साथ। हर चरण की तुलना उसी चरण के शब्द से होती है, वहाँ के सब शब्दों का औसत घटाकर।",
  "The token that is followed": "जिस टोकन पर नज़र है",
  "Cosine of the two vectors": "दोनों वेक्टरों का कोसाइन",
  "Cosine with its own embedding": "अपनी ही एम्बेडिंग के साथ कोसाइन",
  "Where they part to": "किस ओर अलग होते हैं",
  "What each has come nearer to than the other, in the last two stages. Click for an axis.":
    "आख़िरी दो चरणों में हर एक किसके अधिक निकट आया है। क्लिक करें तो वह अक्ष बने।",
  "Nearest words": "सबसे निकट शब्द",
  "Open this vector": "यह वेक्टर खोलें",
  "The whole way as a table": "पूरा रास्ता तालिका में",
  "The nearest word of the map, and the cosine with it once the stage's mean is taken away":
    "मानचित्र का सबसे निकट शब्द, और चरण का औसत घटाने पर उसके साथ कोसाइन",
  "one layer back, one on": "एक परत पीछे, एक आगे",
  "play, and pause": "चलाएँ, और रोकें",
  "on the map: closer, farther, all of it": "मानचित्र पर: पास, दूर, पूरा",

  // Compare
  "Two sentences, two packs, or a model as it is and changed: side by side in every way of looking, with the difference.":
    "दो वाक्य, दो पैक, या मॉडल जैसा है और बदला हुआ: हर नज़र से अगल-बगल, अंतर के साथ।",
  "An encoder turns every word into a vector that its sentence has changed: see how far, and what it was changed by.":
    "एनकोडर हर शब्द को ऐसा वेक्टर बनाता है जिसे उसके वाक्य ने बदला है: देखें कितना, और किस शब्द ने।",
  "A decoder writes on, piece by piece: see what it could have said at every step, and make it say so.":
    "डिकोडर टुकड़ा-टुकड़ा आगे लिखता है: देखें हर क़दम पर वह और क्या कह सकता था, और वही कहलवाएँ।",
  "Compare with…": "इससे तुलना करें…",
  Swap: "अदला-बदली",
  "Copy A to B": "A को B में उतारें",
  "What came out": "क्या निकला",
  "The difference": "अंतर",
  Heads: "हेड",
  "One head or number": "एक हेड या संख्या",
  "There is no pack {name} here.": "यहाँ {name} नाम का पैक नहीं है।",
  "without {heads}": "{heads} के बिना",
  "Take back": "वापस लें",
  Hidden: "छिपाया",
  "Set by hand": "हाथ से रखा",
  "A vector; nothing is written.": "एक वेक्टर; कुछ लिखा नहीं जाता।",
  "Log-probability": "लॉग-प्रायिकता",
  "per token": "प्रति टोकन",
  "The same text.": "वही पाठ।",
  label: "लेबल",
  "Vectors of different length have no cosine.": "अलग लंबाई के वेक्टरों का कोसाइन नहीं होता।",
  "Cosine of the two texts' vectors": "दोनों पाठों के वेक्टरों का कोसाइन",
  "An encoder alone writes nothing, so there are no steps: look at the heads.":
    "अकेला एनकोडर कुछ नहीं लिखता, इसलिए क़दम नहीं हैं: हेड देखें।",
  "Steps that write the same piece share a row. Bars are probabilities, numbers log-probabilities; click a candidate to force it.":
    "जो क़दम वही टुकड़ा लिखते हैं वे एक पंक्ति में हैं। पट्टियाँ प्रायिकताएँ हैं, संख्याएँ लॉग-प्रायिकताएँ; किसी विकल्प को थोपने के लिए क्लिक करें।",
  "largest difference first": "सबसे बड़ा अंतर पहले",
  "The two packs have no attention in common.": "दोनों पैकों में कोई अटेंशन साझा नहीं है।",
  "A row looks, a column is looked at; shades are √weight. The number is the mean of |B − A|.":
    "पंक्ति देखती है, स्तंभ देखा जाता है; रंग √भार हैं। संख्या |B − A| का औसत है।",
  "Cells are compared position by position.": "खाने स्थान-दर-स्थान मिलाए गए हैं।",
  "The two have different lengths: only tokens that both have are compared.":
    "दोनों की लंबाई अलग है: केवल वे टोकन मिलाए गए हैं जो दोनों में हैं।",
  "A has more": "A में अधिक",
  "B has more": "B में अधिक",
  off: "बंद",
  Numbers: "संख्याएँ",
  "The whole array": "पूरी सारणी",
  "{address} is {shape}: choose a head or a row of it to see it side by side.":
    "{address} का आकार {shape} है: साथ-साथ देखने के लिए एक हेड या एक पंक्ति चुनें।",
  "This is too large to draw; take some rows of it, such as [0:8].":
    "यह बनाने के लिए बहुत बड़ा है; कुछ पंक्तियाँ लें, जैसे [0:8]।",
  "Compared cell by cell.": "खाना-दर-खाना तुलना।",
  "Compared where both have the token: {rows} rows, {columns} columns.":
    "जहाँ टोकन दोनों में है वहीं तुलना: {rows} पंक्तियाँ, {columns} स्तंभ।",
  "No difference is drawn: A has {a} numbers, B has {b}, and nothing says which belong together.":
    "अंतर नहीं बनाया गया: A में {a} संख्याएँ हैं, B में {b}, और कौन-सी किससे मेल खाती है यह कोई नहीं बताता।",
  "No layer is unfolded on both sides: press one to see how its attention differs.":
    "दोनों ओर कोई परत खुली नहीं है: किसी को दबाएँ और देखें कि उसका अटेंशन कैसे अलग है।",
  "Attention in the unfolded layers; tokens that both have are compared.":
    "खुली परतों का अटेंशन; तुलना उन टोकनों की जो दोनों में हैं।",
  "Only {one} writes a token here; {other} waits, so the next token has no difference.":
    "यहाँ केवल {one} टोकन लिखता है; {other} रुकता है, इसलिए अगले टोकन का कोई अंतर नहीं।",
  "The two packs have different vocabularies: the next tokens have no difference.":
    "दोनों पैकों के शब्द-भंडार अलग हैं: अगले टोकनों का कोई अंतर नहीं।",
  "Both sentences side by side": "दोनों वाक्य अगल-बगल",
  "the same on both sides.": "दोनों ओर एक-सा।",
  "Next token": "अगला टोकन",
  "This pack has no such card.": "इस पैक में ऐसा कार्ड नहीं है।",
  "This card has no number on both sides, so there is no difference.":
    "इस कार्ड पर दोनों ओर संख्या नहीं है, इसलिए कोई अंतर नहीं।",
  "Only an encoder–decoder links two texts: choose one on both sides.":
    "दो पाठों को केवल एनकोडर–डिकोडर जोड़ता है: दोनों ओर वैसा पैक चुनें।",
  "The two packs have no head in common that links the texts.":
    "दोनों पैकों में पाठों को जोड़ने वाला कोई साझा हेड नहीं।",
  "{what} while writing {words}, source word by source word.": "{words} लिखते समय {what}, स्रोत के हर शब्द के लिए।",
  "as on side A; its agreement with occlusion is": "जैसा A में; ऑक्लूज़न से इसका मेल है",
  "in Follow: the card before, the next one": "कार्डों में: पिछला कार्ड, अगला कार्ड",
};
