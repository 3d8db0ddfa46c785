// English → Hindi for what is changed in a model and what comes of it: the consequence bar, hidden words, links as they
// arrive.

export const CONSEQUENCES_IN_HINDI = {
  "Before and after": "पहले और बाद में",
  Before: "पहले",
  After: "बाद में",
  "the same": "वही का वही",
  Undo: "एक क़दम वापस",
  Changes: "बदलाव",
  Share: "लिंक साझा करें",
  "Copy a link to this": "इसका लिंक कॉपी करें",
  Copied: "कॉपी हो गया",
  "Your browser does not let pages copy": "आपका ब्राउज़र पेज को कॉपी नहीं करने देता",
  "Remove this change": "यह बदलाव हटाएँ",
  off: "बंद",
  hidden: "छिपा हुआ",
  "Log-probability": "लॉग-प्रायिकता",
  "log-probability": "लॉग-प्रायिकता",
  "by length": "लंबाई के हिसाब से",
  "of what is written": "जो लिखा गया उसकी",
  "of the text before": "पहले वाले पाठ की",
  "most moved": "सबसे ज़्यादा बदले",
  "Cosine of the vectors": "वेक्टरों की कोसाइन",
  "Hide this word": "यह शब्द छिपाएँ",
  "Show this word again": "यह शब्द फिर दिखाएँ",
  "Words of the source": "मूल वाक्य के शब्द",
  "Press a word to hide it from the model.": "किसी शब्द को दबाएँ: वह मॉडल से छिप जाएगा।",
  "Press a word of the source to hide it from the model.": "मूल वाक्य का कोई शब्द दबाएँ: वह मॉडल से छिप जाएगा।",
  "Hiding words, one after the other…": "एक-एक करके शब्द छिपाए जा रहे हैं…",
  "Words hidden so far": "अब तक छिपाए गए शब्द",
  "mean of all heads": "सभी हेड का औसत",
  "The mean of all cross-attention heads, until it is known which one agrees best with occlusion.":
    "सभी क्रॉस-अटेंशन हेड का औसत, जब तक पता न चले कि कौन-सा हेड शब्द छिपाने के असर से सबसे ज़्यादा मेल खाता है।",
  "chosen by you": "आपका चुना हुआ",
  "the head that agreed best the last time": "वह हेड जो पिछली बार सबसे ज़्यादा मेल खाया था",
  "Numbers are log-probabilities of everything up to there.": "संख्याएँ वहाँ तक लिखे सब कुछ की लॉग-प्रायिकताएँ हैं।",
  "Bars are probabilities. Click another candidate to force it; [ and ] walk.":
    "पट्टियाँ प्रायिकताएँ हैं। किसी दूसरे विकल्प पर क्लिक करके उसे लिखवाएँ; [ और ] से क़दम बदलें।",
  "Too long to be opened up at once; shown is": "पूरा पाठ एक साथ खोलने के लिए बहुत लंबा है; दिखाया गया है",
  "Translate spells short forms out before the model reads them:":
    "“अनुवाद” में छोटे रूप, मॉडल के पढ़ने से पहले, पूरे लिखे जाते हैं:",
  "Open this up instead": "इसके बदले इसे खोलें",
};
