// English → Hindi for what the server says: notes about a translation, and why something cannot be. What it names stands
// in braces; `said` of i18n.js finds the sentence by what is around it.

export const SERVER_IN_HINDI = {
  // notes about a translation
  "a repetition was cut out of the translation": "अनुवाद से एक दोहराव हटाया गया",
  "the translation has digits that the source has not": "अनुवाद में ऐसे अंक हैं जो मूल में नहीं",
  "a translation is much longer than its source": "अनुवाद अपने मूल से बहुत लंबा है",
  "the model gave nothing for a sentence, which is left as it was": "एक वाक्य के लिए मॉडल से कुछ नहीं आया; उसे वैसा ही छोड़ा गया",
  "a sentence was translated in parts, so that what must not change did not":
    "एक वाक्य का अनुवाद टुकड़ों में हुआ, ताकि जो नहीं बदलना चाहिए वह न बदले",
  "the translation has a broken character": "अनुवाद में एक टूटा अक्षर है",
  "{words} may be invented": "हो सकता है {words} मनगढ़ंत हो",
  "{words} may not be translated": "हो सकता है {words} का अनुवाद न हुआ हो",
  "the translation is much shorter than its source": "अनुवाद अपने मूल से बहुत छोटा है",
  "\"{words}\" may be wrong or missing": "हो सकता है \"{words}\" ग़लत हो या छूट गया हो",
  "the number \"{words}\" may be wrong": "हो सकता है संख्या \"{words}\" ग़लत हो",
  "the number \"{words}\" is not in the source": "संख्या \"{words}\" मूल में नहीं है",
  "the time {time} is not in the source": "समय {time} मूल में नहीं है",
  "the time {time} may be wrong": "हो सकता है समय {time} ग़लत हो",
  "the source denies something (\"{word}\") that the translation may not":
    "मूल में निषेध है (\"{word}\"), जो शायद अनुवाद में नहीं",
  "the translation denies something (\"{word}\") that the source may not":
    "अनुवाद में निषेध है (\"{word}\"), जो शायद मूल में नहीं",
  "what is denied may be wrong: that something was said, or what was said":
    "निषेध ग़लत जगह हो सकता है: कहने का, या कही गई बात का",
  "what changes by, from or to \"{number}\" may be wrong": "हो सकता है \"{number}\" से या तक का बदलाव ग़लत हो",
  "\"{words}\" is said twice": "\"{words}\" दो बार आया है",
  "this looks like {language}, not {source}; it is left as it is": "यह {source} नहीं, {language} लगता है; इसे वैसा ही छोड़ा गया है",
  "a part looks like {language}, not {source}; it is left as it is": "एक भाग {source} नहीं, {language} लगता है; उसे वैसा ही छोड़ा गया है",
  "style: {style} is not possible: the pack was not trained for it, and there are no rules":
    "शैली: {style} संभव नहीं: पैक ने यह नहीं सीखा, और नियम नहीं हैं",
  "style: {style}, as the pack was trained to, and by rule": "शैली: {style}, जैसा पैक ने सीखा, और नियम से",
  "style: {style}, as the pack was trained to": "शैली: {style}, जैसा पैक ने सीखा",
  "style: {style} was not possible in {what}, which the rules cannot tell apart":
    "शैली: {style}, {what} में संभव नहीं हुआ: नियमों से भेद नहीं होता",
  "style: {style}, by rule": "शैली: {style}, नियम से",
  "style: {style}: nothing had to change": "शैली: {style}: कुछ बदलना नहीं पड़ा",
  "a sentence": "एक वाक्य",
  formal: "औपचारिक",
  informal: "अनौपचारिक",
  feminine: "स्त्रीलिंग",
  masculine: "पुल्लिंग",

  // texts
  "{what} is empty: write at least one word.": "{what} ख़ाली है: कम से कम एक शब्द लिखें।",
  "{what} is {length} characters long; at most {most} are taken here.":
    "{what} में {length} अक्षर हैं; यहाँ अधिक से अधिक {most} लिए जाते हैं।",
  "{what} holds half of a character ({where}), which no text may; send the whole one.":
    "{what} में आधा वर्ण है ({where}), जो किसी पाठ में नहीं हो सकता; पूरा भेजें।",
  "the text": "पाठ",
  "the prefix": "शुरुआत",
  "the target": "लक्ष्य पाठ",
  "the text to copy from": "जिस पाठ से नक़ल हो वह",
  "there is no text to explain; write at least one word.": "खोलने के लिए कोई पाठ नहीं; कम से कम एक शब्द लिखें।",
  "{what} is {tokens} tokens long, marks included; at most {room} can be opened up: give one sentence.":
    "{what} में चिह्नों समेत {tokens} टोकन हैं; अधिक से अधिक {room} खोले जा सकते हैं: एक वाक्य दें।",
  "the prefix is longer than a translation of this sentence can be; give less of it.":
    "शुरुआत इस वाक्य के अनुवाद से भी लंबी है; उसे छोटा करें।",
  "there are no texts: give at least one.": "कोई पाठ नहीं: कम से कम एक दें।",
  "there are {count} texts; at most {most} are taken at once.": "{count} पाठ हैं; एक बार में अधिक से अधिक {most} लिए जाते हैं।",
  "there is nothing to compare with: give texts in `among`.": "तुलना के लिए कुछ नहीं: कुछ पाठ लिखें।",
  "'{word}' is not a word of the text.": "'{word}' पाठ का शब्द नहीं है।",
  "'{word}' is not a word of '{text}'.": "'{word}', '{text}' का शब्द नहीं है।",
  "there is no word {number}: the words of the text are numbered 0 to {last}.":
    "शब्द {number} नहीं है: पाठ के शब्दों की गिनती 0 से {last} तक है।",
  "there are {words} words, numbered 0 to {last}.": "{words} शब्द हैं, 0 से {last} तक गिने हुए।",
  "'{word}' is not on the map of {count} words.": "'{word}' {count} शब्दों के मानचित्र पर नहीं है।",
  "{pack} knows no whole words, so there is no map of them.": "{pack} पूरे शब्द नहीं जानता, इसलिए उनका मानचित्र नहीं है।",

  // addresses, heads, pieces
  "there is no '{name}' in this trace.": "इस ट्रेस में '{name}' नहीं है।",
  "'{name}' is a part, not an array: below it are {some}.": "'{name}' एक भाग है, सरणी नहीं: उसके नीचे {some} हैं।",
  "'{text}' points outside of {name}, which is {shape}.": "'{text}', {name} से बाहर है, जो {shape} है।",
  "'{text}' is not an address; one looks like {example}.": "'{text}' पता नहीं है; पता ऐसा होता है: {example}.",
  "'{text}' names more than one head; an address has at most one.": "'{text}' में एक से अधिक हेड हैं; पते में एक ही होता है।",
  "'{part}' in '{text}' is neither a number nor a range such as 2:5 or ':'.":
    "'{text}' में '{part}' न संख्या है न 2:5 या ':' जैसी सीमा।",
  "'{text}' asks for head {head}; the heads here are h0 to h{last}.": "'{text}' में हेड {head} माँगा गया है; यहाँ h0 से h{last} तक हैं।",
  "'{name}' is one array for all heads; ask for it without '.h{head}'.":
    "'{name}' सब हेडों की एक ही सरणी है; '.h{head}' के बिना लिखें।",
  "'{name}' is one array for all heads; set it without '.h{head}'.":
    "'{name}' सब हेडों की एक ही सरणी है; '.h{head}' के बिना बदलें।",
  "'{name}' is not a head; one is called {example}.": "'{name}' हेड नहीं है; हेड का नाम ऐसा होता है: {example}.",
  "there is no '{name}' in this model; its attentions are {first} to {last}.":
    "इस मॉडल में '{name}' नहीं है; उसके अटेंशन {first} से {last} तक हैं।",
  "there is no '{name}': this model has no attention, and so no heads.":
    "'{name}' नहीं है: इस मॉडल में अटेंशन नहीं, इसलिए हेड भी नहीं।",
  "there is no '{name}': this decoder looks back with a recurrent unit, which has no heads.":
    "'{name}' नहीं है: यह डिकोडर पीछे एक आवर्ती इकाई से देखता है, जिसमें हेड नहीं होते।",
  "no word can be hidden from this model: its recurrent unit reads every token of the text.":
    "इस मॉडल से कोई शब्द नहीं छिप सकता: उसकी आवर्ती इकाई पाठ का हर टोकन पढ़ती है।",
  "there is no head '{name}'; the heads of {part} are h0 to h{last}.": "हेड '{name}' नहीं है; {part} के हेड h0 से h{last} तक हैं।",
  "'{head}' is no cross-attention head; they are {first} to {last}.": "'{head}' क्रॉस-अटेंशन हेड नहीं है; वे {first} से {last} तक हैं।",
  "'{head}' is no cross-attention head; one is {example}.": "'{head}' क्रॉस-अटेंशन हेड नहीं है; एक है {example}.",
  "there is no step {step} to force: the steps are 0 to {last}.": "क़दम {step} नहीं है: क़दम 0 से {last} तक हैं।",
  "there is no piece {piece} to force: ids go from {first} to {last}.": "टुकड़ा {piece} नहीं है: संख्याएँ {first} से {last} तक हैं।",
  "'{piece}' is not one piece of the vocabulary; it is made of {parts}: force the first, then the next.":
    "'{piece}' शब्द-भंडार का एक टुकड़ा नहीं है; यह {parts} से बना है: पहले पहला चुनें, फिर अगला।",
  "'{piece}' is not one piece of the vocabulary.": "'{piece}' शब्द-भंडार का एक टुकड़ा नहीं है।",
  "there is no {name} {value} here: they go from 0 to {last}.": "यहाँ {name} {value} नहीं है: 0 से {last} तक हैं।",

  // numbers set by hand
  "'{text}' takes numbers from −1,000,000 to 1,000,000.": "'{text}' में −1,000,000 से 1,000,000 तक की संख्याएँ आ सकती हैं।",
  "'{text}' takes numbers from −1,000,000 to 1,000,000, or −∞.":
    "'{text}' में −1,000,000 से 1,000,000 तक की संख्याएँ, या −∞, आ सकती हैं।",
  "'{text}': write a number, or several with commas between them and ';' behind each row.":
    "'{text}': एक संख्या लिखें, या कई, बीच में अल्पविराम और हर पंक्ति के बाद ';'।",
  "'{text}' sets nothing: write an address and a number, such as enc.output[3]=0.":
    "'{text}' से कुछ नहीं बदलता: पता और संख्या लिखें, जैसे enc.output[3]=0।",
  "{size} numbers do not fit into '{text}', which has {there}.": "{size} संख्याएँ '{text}' में नहीं समातीं, जिसमें {there} हैं।",
  "nothing goes on from '{name}': set what comes before it, such as {instead}.":
    "'{name}' से आगे कुछ नहीं जाता: उससे पहले वाला बदलें, जैसे {instead}.",
  "'{text}' is yet to be written when row {row} is computed: it looks at 0 to {last}.":
    "पंक्ति {row} की गणना के समय '{text}' अभी लिखा नहीं गया: वह 0 से {last} तक देखती है।",
  "'{text}': a decoder's rows are counted from the first; how many there will be is open.":
    "'{text}': डिकोडर की पंक्तियाँ पहली से गिनी जाती हैं; कितनी होंगी यह तय नहीं।",
  "there is no '{text}' to copy; give a trace.": "नक़ल के लिए '{text}' नहीं है।",
  "{set}: then a row of {name} has nothing left to look at.": "{set}: तब {name} की एक पंक्ति के पास देखने को कुछ नहीं बचता।",
  "the numbers that were set are too large together: others overflow; set smaller ones.":
    "बदली गई संख्याएँ मिलकर बहुत बड़ी हैं: बाक़ी सीमा से बाहर जाती हैं; छोटी लिखें।",

  // packs and the server
  "no pack '{name}' is served here.": "यहाँ '{name}' नाम का पैक नहीं चल रहा।",
  "this site has no pack that can {task}: `dhyan site OUT --model PACK` puts one in.":
    "इस साइट में {task} का कोई पैक नहीं है: `dhyan site OUT --model PACK` से डालें।",
  "this browser cannot run Dhyan, which needs WebAssembly SIMD and module workers: update it, or use another.":
    "यह ब्राउज़र Dhyan नहीं चला सकता, जिसे WebAssembly SIMD और मॉड्यूल वर्कर चाहिए: इसे अपडेट करें, या दूसरा लें।",
  "documents are translated by Dhyan itself, not in a browser's tab: `pip install dhyan`, then `dhyan serve`.":
    "दस्तावेज़ों का अनुवाद ब्राउज़र के टैब में नहीं, स्वयं Dhyan करता है: `pip install dhyan`, फिर `dhyan serve`।",
  "{address} could not be fetched: there is no connection; try again when there is one.":
    "{address} नहीं आ सका: इंटरनेट नहीं है; होने पर फिर कोशिश करें।",
  "this site is incomplete, or there is no connection: load the page again.":
    "यह साइट अधूरी है, या इंटरनेट नहीं है: पृष्ठ फिर से लोड करें।",
  "something went wrong in this tab; its console says what.": "इस टैब में कुछ गड़बड़ हुई; कंसोल बताता है क्या।",
  "no pack that can {task} is served: train one with `{train}` and start `{serve}`.":
    "ऐसा कोई पैक नहीं चल रहा जो {task} कर सके: `{train}` से सिखाएँ और `{serve}` चलाएँ।",
  translate: "अनुवाद",
  embed: "वेक्टर",
  classify: "वर्गीकरण",
  write: "लेखन",
  "{name} has no encoder: words in context are for packs that have one.":
    "{name} में एनकोडर नहीं है: संदर्भ में शब्द उन्हीं पैकों के लिए हैं जिनमें वह हो।",
  "the server has as much to do as it can take; try again in a moment.": "सर्वर के पास अभी पूरा काम है; थोड़ी देर में फिर कोशिश करें।",
  "too many requests wait already; try again in a moment.": "बहुत-से अनुरोध पहले से रुके हैं; थोड़ी देर में फिर कोशिश करें।",
  "the server had no time for this request within {seconds} seconds; try again in a moment.":
    "{seconds} सेकंड में सर्वर को इस अनुरोध का समय नहीं मिला; थोड़ी देर में फिर कोशिश करें।",
  "this takes longer than the {seconds} seconds that a request has; ask for less at once.":
    "इसमें {seconds} सेकंड से अधिक लगते हैं, जितने एक अनुरोध के लिए हैं; एक बार में कम माँगें।",
  "files are not translated by this server; send their texts.": "यह सर्वर फ़ाइलों का अनुवाद नहीं करता; उनका पाठ भेजें।",
  "{name} is too large once it is unpacked; send a smaller file.": "खोलने पर {name} बहुत बड़ी है; छोटी फ़ाइल भेजें।",
  "this file is not here, or no longer; translate it again.": "यह फ़ाइल यहाँ नहीं है, या अब नहीं; फिर से अनुवाद करें।",

  "{name}: input should be less than or equal to {most}.": "{name}: अधिक से अधिक {most} हो सकता है।",
  "{name}: input should be greater than or equal to {least}.": "{name}: कम से कम {least} होना चाहिए।",
  "{name}: input should be a valid integer, unable to parse string as an integer.": "{name}: पूर्ण संख्या होनी चाहिए।",
  "{name}: input should be a valid number, unable to parse string as a number.": "{name}: संख्या होनी चाहिए।",

  // experiments
  "Softmax over {keys} random keys": "{keys} बेतरतीब कुंजियों पर softmax",
  "{positions} positions, {dimensions} dimensions": "{positions} स्थान, {dimensions} विमाएँ",
  "Sinusoidal positions: {positions} words × {dimensions} dimensions":
    "साइन-कोसाइन स्थान: {positions} शब्द × {dimensions} विमाएँ",
  "'{sentence}' said backwards": "'{sentence}' उलटा कहा हुआ",
  "A decoder writes {words} words": "डिकोडर {words} शब्द लिखता है",

  "the glossary has {terms} terms; at most {most} are taken here.":
    "शब्दावली में {terms} शब्द हैं; यहाँ ज़्यादा से ज़्यादा {most} लिए जाते हैं।",

  // packs, as they are described
  "{shape}, {layers} layers × {heads} heads, d_model {size}": "{shape}, {layers} परतें × {heads} हेड, d_model {size}",
  "encoder-decoder": "एनकोडर–डिकोडर",
  encoder: "एनकोडर",
  decoder: "डिकोडर",

  // languages
  English: "अंग्रेज़ी",
  French: "फ़्रांसीसी",
  German: "जर्मन",
  Spanish: "स्पेनी",
  Italian: "इतालवी",
  Portuguese: "पुर्तगाली",
  Russian: "रूसी",
  Chinese: "चीनी",
  Japanese: "जापानी",
  Arabic: "अरबी",
  Urdu: "उर्दू",
  Persian: "फ़ारसी",
  Bengali: "बांग्ला",
  Marathi: "मराठी",
  Nepali: "नेपाली",
  Gujarati: "गुजराती",
  Punjabi: "पंजाबी",
  Tamil: "तमिल",
  Telugu: "तेलुगु",
};
