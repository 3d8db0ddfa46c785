// English → Hindi for the Labs view: its own words, and what the experiments say of themselves.

export const LABS_IN_HINDI = {
  Labs: "प्रयोगशाला",
  "What the notes claim, measured. The same experiments are in the terminal:":
    "नोट्स जो दावा करते हैं, उसे मापकर देखें। यही प्रयोग टर्मिनल में भी हैं:",
  Experiments: "प्रयोग",
  "The notes": "नोट्स",
  Method: "विधि",
  Live: "सजीव",
  "Turn a knob: everything here is computed anew, on this machine.":
    "कोई घुंडी घुमाएँ: यहाँ सब कुछ इसी मशीन पर नए सिरे से निकलता है।",
  Knobs: "घुंडियाँ",
  "Draw again": "फिर से निकालें",
  Seed: "बीज",
  Seeds: "बीज",
  Measured: "मापा हुआ",
  "The claim": "दावा",
  held: "सही निकला",
  "held in part": "कुछ हद तक सही निकला",
  "did not hold": "सही नहीं निकला",
  "Result of": "किस समय का परिणाम",
  Fair: "बराबरी",
  When: "कब",
  Took: "समय लगा",
  Where: "कहाँ",
  "Kept in": "यहाँ रखा है",
  "All settings of this run": "इस माप की सारी सेटिंग",
  "It has not been measured on this machine yet.": "यह अभी इस मशीन पर मापा नहीं गया है।",
  "Measure it now, the quick way": "अभी मापें, जल्दी वाले तरीक़े से",
  about: "लगभग",
  Progress: "प्रगति",
  "Being measured": "मापा जा रहा है",
  Stop: "रोकें",

  // questions
  "Does a translator that keeps a sentence in one vector forget half of it?":
    "जो अनुवादक पूरे वाक्य को एक वेक्टर में रखता है, क्या वह आधा भूल जाता है?",
  "Does a word have one meaning, or one for each sentence?": "शब्द का एक ही अर्थ होता है, या हर वाक्य में अलग?",
  "What is left of attention without W_Q, W_K and W_V?": "W_Q, W_K और W_V के बिना अटेंशन में क्या बचता है?",
  "Why are scores divided by √d_k, and what if they were not?":
    "अंकों को √d_k से भाग क्यों देते हैं, और न दें तो क्या होगा?",
  "Do more heads see more?": "क्या ज़्यादा हेड ज़्यादा देखते हैं?",
  "How does a model know which word comes first?": "मॉडल को कैसे पता कि कौन-सा शब्द पहले आता है?",
  "What do the neighbours in a batch do to a sentence?": "बैच में पड़ोसी वाक्य किसी वाक्य के साथ क्या करते हैं?",
  "What does training all words at once save, and does it change anything?":
    "सारे शब्द एक साथ सिखाने से क्या बचता है, और क्या कुछ बदलता है?",
  "What does a model learn that may look at the answer?": "जो मॉडल उत्तर देख सकता है, वह क्या सीखता है?",
  "Does a decoder say the same word by word and all at once, and what does a cache save?":
    "क्या डिकोडर शब्द-दर-शब्द और एक साथ वही कहता है, और कैश क्या बचाता है?",
  "Does cross-attention know which word comes from which?": "क्या क्रॉस-अटेंशन जानता है कि कौन-सा शब्द किससे आया?",

  // claims
  "An RNN encoder–decoder squeezes the sentence into one vector and forgets early words in long sentences; attention lets each output look at every input.":
    "RNN एनकोडर–डिकोडर वाक्य को एक वेक्टर में निचोड़ देता है और लंबे वाक्यों के शुरुआती शब्द भूल जाता है; अटेंशन से हर आउटपुट हर इनपुट को देख सकता है।",
  "A static embedding is an average meaning; self-attention turns it into a contextual one.":
    "स्थिर एम्बेडिंग औसत अर्थ है; सेल्फ़-अटेंशन उसे संदर्भ वाला बना देता है।",
  "Self-attention without parameters learns nothing from data: 'piece of cake' would be translated word by word.":
    "बिना पैरामीटर का सेल्फ़-अटेंशन डेटा से कुछ नहीं सीखता: 'piece of cake' का अनुवाद शब्द-दर-शब्द होगा।",
  "A dot product of d-dimensional vectors has variance d·Var(x); dividing by √d keeps it at Var(x); without it softmax saturates in high dimensions.":
    "d-आयामी वेक्टरों के डॉट-गुणनफल का प्रसरण d·Var(x) होता है; √d से भाग देने पर वह Var(x) रहता है; न दें तो ऊँचे आयामों में softmax संतृप्त हो जाता है।",
  "One head sees one perspective; more heads, more perspectives.":
    "एक हेड एक नज़रिया देखता है; ज़्यादा हेड, ज़्यादा नज़रिए।",
  "Self-attention has no order; counting is unbounded and discrete; sines and cosines of many frequencies are bounded and tell positions apart.":
    "सेल्फ़-अटेंशन में क्रम नहीं होता; गिनती असीम और असतत है; कई आवृत्तियों के साइन-कोसाइन सीमित हैं और स्थानों में अंतर बता देते हैं।",
  "With padded sentences, the padding zeros distort batch norm's statistics; layer norm never sees other rows.":
    "पैडिंग वाले वाक्यों में शून्य बैच नॉर्म के आँकड़े बिगाड़ देते हैं; लेयर नॉर्म दूसरी पंक्तियाँ देखता ही नहीं।",
  "Autoregressive training would run the decoder once for each word (300 words × 16 rows: very slow); with teacher forcing all positions train in parallel.":
    "ऑटोरिग्रेसिव प्रशिक्षण में डिकोडर हर शब्द के लिए एक बार चलेगा (300 शब्द × 16 पंक्तियाँ: बहुत धीमा); टीचर फ़ोर्सिंग से सारे स्थान एक साथ सीखते हैं।",
  "Without a mask, parallel training leaks the future: the loss looks wonderful, inference fails.":
    "मास्क के बिना समांतर प्रशिक्षण में भविष्य दिख जाता है: लॉस शानदार लगता है, पर असल में लिखना विफल होता है।",
  "The Transformer decoder is autoregressive at inference time and non-autoregressive at training time.":
    "ट्रांसफ़ॉर्मर का डिकोडर लिखते समय ऑटोरिग्रेसिव है और प्रशिक्षण के समय नहीं।",
  "Cross-attention is where the two sequences meet: I like eating ice-cream ↔ मुझे आइसक्रीम खाना पसंद है.":
    "क्रॉस-अटेंशन वह जगह है जहाँ दोनों वाक्य मिलते हैं: I like eating ice-cream ↔ मुझे आइसक्रीम खाना पसंद है।",

  // methods
  "Three translators of equal size learn the same made-up language from the same batches: a GRU that hands over one vector, the same with attention, and a Transformer. Then each translates new sentences, and right words are counted by the sentence's length.":
    "बराबर आकार के तीन अनुवादक उन्हीं बैचों से एक गढ़ी हुई भाषा सीखते हैं: एक वेक्टर सौंपने वाला GRU, वही अटेंशन के साथ, और ट्रांसफ़ॉर्मर। फिर हर एक नए वाक्यों का अनुवाद करता है, और वाक्य की लंबाई के अनुसार सही शब्द गिने जाते हैं।",
  "Sentences with two senses of 'bank' and of 'apple' go through the English→Hindi encoder. Behind each layer it is asked whether the nearest other vector of the word has the same sense. And a vector is learnt from nine fruits to one company.":
    "'bank' और 'apple' के दो-दो अर्थों वाले वाक्य अंग्रेज़ी→हिन्दी एनकोडर से गुज़रते हैं। हर परत के बाद पूछा जाता है कि उस शब्द के सबसे पास के दूसरे वेक्टर का अर्थ वही है या नहीं। और एक वेक्टर नौ फलों और एक कंपनी से सीखा जाता है।",
  "The same three words are a phrase in half of the sentences and three single words in the other half. Attention without parameters and attention with them, equally large in all, learn to tell which.":
    "वही तीन शब्द आधे वाक्यों में मुहावरा हैं और बाक़ी आधे में तीन अलग शब्द। बिना पैरामीटर का और पैरामीटर वाला अटेंशन, कुल मिलाकर बराबर बड़े, यह पहचानना सीखते हैं।",
  "First the law, without training: dot products of random queries and keys, their variance, and what softmax makes of them. Then one attention layer learns to say words backwards, with the division and without, from the same weights.":
    "पहले नियम, बिना प्रशिक्षण के: यादृच्छिक क्वेरी और कुंजियों के डॉट-गुणनफल, उनका प्रसरण, और softmax उनका क्या करता है। फिर एक अटेंशन परत शब्दों को उलटा कहना सीखती है, भाग देकर और बिना भाग दिए, उन्हीं भारों से शुरू करके।",
  "One layer is asked for four relations at once, with 1, 2, 4 and 8 heads that share the same parameters. Then the heads of the English→Hindi pack: where their weights go, whether they follow grammar, and what switching each off costs in chrF.":
    "एक परत से एक साथ चार संबंध पूछे जाते हैं, 1, 2, 4 और 8 हेड के साथ जो उतने ही पैरामीटर बाँटते हैं। फिर अंग्रेज़ी→हिन्दी पैक के हेड: उनके भार कहाँ जाते हैं, क्या वे व्याकरण के संबंध पकड़ते हैं, और हर एक को बंद करने से chrF कितना घटता है।",
  "Six positional encodings. Without training: how long their vectors get, how near two positions come, and whether a sentence said backwards looks different. Trained: who was killed, and which letter stands before, also in texts longer than any in training.":
    "टोकन को उसका स्थान बताने के छह तरीक़े। बिना प्रशिक्षण: वेक्टर कितने लंबे होते हैं, दो स्थान कितने पास आते हैं, और उलटा कहा वाक्य अलग दिखता है या नहीं। प्रशिक्षित: कौन मारा गया, और पहले कौन-सा अक्षर है, प्रशिक्षण से लंबे पाठों में भी।",
  "A sentence stands in a batch beside a longer and longer one, so that more and more of the batch is padding: how far do its own numbers move after each norm? Then the same small encoder is trained with each.":
    "एक वाक्य बैच में लंबे-से-लंबे वाक्य के साथ रखा जाता है, जिससे बैच में पैडिंग बढ़ती जाती है: हर नॉर्म के बाद उसकी अपनी संख्याएँ कितनी खिसकती हैं? फिर वही छोटा एनकोडर हर नॉर्म के साथ प्रशिक्षित होता है।",
  "The gradients of one encoder–decoder, computed for all target words at once behind the mask, and again one word after another. They are compared in double precision, and timed by the length of the target.":
    "एक एनकोडर–डिकोडर के ग्रेडिएंट, मास्क के पीछे सारे लक्ष्य-शब्दों के लिए एक साथ, और फिर एक-एक शब्द करके। दोनों की तुलना दोहरी परिशुद्धता में होती है, और लक्ष्य की लंबाई के अनुसार समय नापा जाता है।",
  "Targets end in digits that no source tells, so that nobody who cannot see the future gets below a known loss. The same model is trained with the mask and without; then both write by themselves.":
    "लक्ष्य ऐसे अंकों पर ख़त्म होते हैं जो किसी स्रोत से पता नहीं चलते, इसलिए भविष्य देखे बिना कोई एक तय लॉस से नीचे नहीं जा सकता। वही मॉडल मास्क के साथ और बिना मास्क प्रशिक्षित होता है; फिर दोनों ख़ुद लिखते हैं।",
  "A decoder of random weights computes its logits for all words in one pass behind the mask, for growing prefixes, and word by word with a cache of keys and values. Then the two ways to write are timed, and their multiplications counted.":
    "यादृच्छिक भारों वाला डिकोडर अपने लॉजिट सारे शब्दों के लिए मास्क के पीछे एक बार में, बढ़ते हुए आरंभों के लिए, और कुंजियों-मानों के कैश के साथ शब्द-दर-शब्द निकालता है। फिर लिखने के दोनों तरीक़ों का समय नापा जाता है और गुणा गिने जाते हैं।",
  "The English→Hindi pack is made to write sentences that were aligned by hand. The head that agrees best with hiding words links each Hindi word with an English one; its links are compared with those by hand.":
    "अंग्रेज़ी→हिन्दी पैक से वे वाक्य लिखवाए जाते हैं जिनका मिलान हाथ से किया गया है। छिपाकर देखने से सबसे अधिक मिलने वाला हेड हर हिन्दी शब्द को अंग्रेज़ी शब्द से जोड़ता है; उसकी कड़ियाँ हाथ वाली कड़ियों से मिलाई जाती हैं।",

  // knobs
  "d_k: numbers in a query and in a key": "d_k: क्वेरी और कुंजी में कितनी संख्याएँ",
  "keys that a query looks at": "क्वेरी कितनी कुंजियाँ देखती है",
  "of each number in a query and in a key": "क्वेरी और कुंजी की हर संख्या का",
  "queries drawn for each size": "हर आकार के लिए कितनी क्वेरी",
  "words: rows of the picture": "शब्द: चित्र की पंक्तियाँ",
  "dimensions: its columns": "आयाम: उसके स्तंभ",
  "a sentence, said in both directions": "एक वाक्य, दोनों दिशाओं में कहा गया",
  "words of the sentence that is watched": "जिस वाक्य पर नज़र है उसके शब्द",
  "words of the longest sentence beside it, one after the other": "उसके साथ के सबसे लंबे वाक्य के शब्द, बारी-बारी से",
  "sentences beside it, all as long as it but the longest": "उसके साथ के वाक्य, सबसे लंबे को छोड़ सब उतने ही लंबे",
  "numbers in a word's vector": "शब्द के वेक्टर में कितनी संख्याएँ",
  "of those numbers; padding is zero": "उन संख्याओं का; पैडिंग शून्य है",
  "words written": "लिखे गए शब्द",
  "size of the model; it has 2 heads": "मॉडल का आकार; इसमें 2 हेड हैं",
  "decoder blocks": "डिकोडर के ब्लॉक",

  // what the light ones say
  "At d = {d} the variance of q·k is {variance}; softmax gives its largest weight {plain}, and {divided} once scores are divided by √d.":
    "d = {d} पर q·k का प्रसरण {variance} है; softmax सबसे बड़ा भार {plain} देता है, और √d से भाग देने पर {divided}।",
  "Without positions '{words}' and '{backwards}' give every word the same vector (change {without}); with sinusoidal ones they change by {with_sines}.":
    "स्थान बताए बिना '{words}' और '{backwards}' में हर शब्द का वेक्टर वही रहता है (अंतर {without}); साइन वाले स्थानों से {with_sines} अंतर आता है।",
  "Beside a sentence of {longest} words the same {length} words move by {batch} after batch norm and by {layer} after layer norm.":
    "{longest} शब्दों के वाक्य के साथ वही {length} शब्द बैच नॉर्म के बाद {batch} खिसकते हैं और लेयर नॉर्म के बाद {layer}।",
  "Word by word and all at once, no logit of {length} words differs by more than {difference}; a cache saves {saved} of the multiplications.":
    "शब्द-दर-शब्द और एक साथ, {length} शब्दों का कोई लॉजिट {difference} से अधिक अलग नहीं; कैश {saved} गुणा बचाता है।",

  // tables and plots of the light ones
  scores: "अंक",
  variance: "प्रसरण",
  "entropy (1: even)": "एन्ट्रॉपी (1: बराबर)",
  "largest weight": "सबसे बड़ा भार",
  gradient: "ग्रेडिएंट",
  "variance of the scores": "अंकों का प्रसरण",
  "entropy of softmax, share of the most": "softmax की एन्ट्रॉपी, अधिकतम का हिस्सा",
  "gradient of softmax, norm": "softmax का ग्रेडिएंट, मान",
  positions: "स्थान",
  "longest vector": "सबसे लंबा वेक्टर",
  "nearest two": "सबसे पास के दो",
  "unevenness (0: relative)": "असमता (0: सापेक्ष)",
  "said backwards, change": "उलटा कहने पर अंतर",
  none: "कोई नहीं",
  counting: "गिनती",
  "one-sine": "एक साइन",
  sinusoidal: "साइन-कोसाइन",
  learned: "सीखे हुए",
  rotary: "घूमने वाले",
  "change of the words' vectors": "शब्दों के वेक्टरों में अंतर",
  "The same positions in binary, lowest bit first": "वही स्थान द्विआधारी में, सबसे छोटा बिट पहले",
  word: "शब्द",
  words: "शब्द",
  "How far a sentence's numbers move": "वाक्य की संख्याएँ कितनी खिसकती हैं",
  "longest beside it": "साथ का सबसे लंबा",
  padding: "पैडिंग",
  "layer norm": "लेयर नॉर्म",
  "batch norm": "बैच नॉर्म",
  "batch norm, padding left out": "बैच नॉर्म, पैडिंग छोड़कर",
  "The notes' table": "नोट्स की तालिका",
  "The same sentence beside longer and longer neighbours": "वही वाक्य, लंबे-से-लंबे पड़ोसियों के साथ",
  "padding in the batch, %": "बैच में पैडिंग, %",
  "mean change of its numbers": "उसकी संख्याओं में औसत अंतर",
  "the decoder": "डिकोडर",
  "largest difference from all at once": "एक साथ वाले से सबसे बड़ा अंतर",
  multiplications: "गुणा",
  "word by word, without a cache": "शब्द-दर-शब्द, बिना कैश",
  "word by word, with a cache": "शब्द-दर-शब्द, कैश के साथ",
  "all at once, without the mask": "एक साथ, बिना मास्क",
  "Multiplications to write a sentence": "एक वाक्य लिखने के गुणा",
  "with a cache": "कैश के साथ",
  "without a cache": "बिना कैश",
};
