import { oneWordAtATime } from "../stages/one-word-at-a-time.js";

export const chapter = {
  title: { en: "Writing: one word at a time", hi: "लेखन: एक बार में एक शब्द" },
  stage: oneWordAtATime,
  uses: ["step"],
  parts: [
    {
      en: `
        After training nobody knows the right translation. The decoder begins with <start>, predicts, *appends* what it chose, and reads everything again: until it
        chooses the end token. Each word depends on the ones before, so here there is no shortcut: this is *autoregressive*.

        Take one step at a time.`,
      hi: `
        प्रशिक्षण के बाद सही अनुवाद किसी के पास नहीं होता। डिकोडर <start> से शुरू करता है, अनुमान लगाता है, जो चुना उसे वाक्य में *जोड़ता* है और फिर सब पढ़ता है: जब तक अंत का टोकन न चुन ले। हर
        शब्द पिछले शब्दों पर टिका है, इसलिए यहाँ कोई छोटा रास्ता नहीं: यही *ऑटोरिग्रेसिव (autoregressive)* है।

        एक-एक क़दम चलकर देखें।`,
    },
    {
      en: `
        At the top of the decoder sits a linear layer with one neuron for each entry of the target vocabulary (say 10,000 Hindi words). It gives a *logit* for each;
        softmax turns them into probabilities. Taking the largest each time is *greedy*; keeping several beginnings at once is *beam search*.`,
      hi: `
        डिकोडर के सिरे पर एक रैखिक परत (linear layer) है, जिसमें लक्ष्य शब्दावली की हर प्रविष्टि के लिए एक न्यूरॉन है (मान लें 10,000 हिन्दी शब्द)। वह हर एक को एक *लॉजिट (logit)* देती है; softmax उन्हें
        प्रायिकताओं में बदल देता है। हर बार सबसे बड़ी लेना *ग्रीडी (greedy)* है; एक साथ कई शुरुआतें सँभाले रखना *बीम सर्च (beam search)*।`,
    },
    {
      en: `
        Word by word or all at once: the same numbers come out, because the mask hides exactly what is not written yet. That is why one may train one way and write the other.

        And what was computed for the words before does not change: their keys and values are kept in a *KV cache*, and each step computes one row only.`,
      hi: `
        शब्द-दर-शब्द चलें या सब एक साथ: संख्याएँ वही आती हैं, क्योंकि मास्क ठीक वही छिपाता है जो अभी लिखा नहीं गया। इसीलिए एक ढंग से सिखाकर दूसरे ढंग से लिखवाया जा सकता है।

        और पहले के शब्दों के लिए जो निकल चुका, वह बदलता नहीं: उनकी कुंजियाँ और मान *KV कैश (KV cache)* में रखे जाते हैं, और हर क़दम पर बस एक नई पंक्ति निकालनी पड़ती है।`,
    },
  ],
  question: {
    ask: {
      en: "A translation has five words and the end token. How often do encoder and decoder run, in training and in writing?",
      hi: "अनुवाद में पाँच शब्द और अंत का टोकन है। प्रशिक्षण में और लिखते समय एनकोडर और डिकोडर कितनी-कितनी बार चलते हैं?",
    },
    answer: {
      en: `
        The encoder runs once in both cases: your sentence does not change.

        The decoder runs once in training, all six places behind the mask. In writing it runs six times: five words and the end token, each step one place longer.
        Without a cache that is 1 + 2 + 3 + 4 + 5 + 6 = 21 rows; with one it is 6.`,
      hi: `
        एनकोडर दोनों में एक ही बार चलता है: आपका वाक्य तो बदलता नहीं।

        डिकोडर प्रशिक्षण में एक बार चलता है, मास्क के पीछे छहों स्थान साथ। लिखते समय छह बार: पाँच शब्द और अंत का टोकन, हर क़दम एक स्थान लंबा। कैश के बिना यह 1 + 2 + 3 + 4 + 5 + 6 = 21 पंक्तियाँ
        हुईं; कैश के साथ केवल 6।`,
    },
  },
  code: [
    ["model/generation/generate.py", ""],
    ["model/generation/kv_cache.py", "DecoderCache"],
    ["model/layers.py", "Output"],
  ],
  shown: ["step", "logits"],
  command: 'dhyan explain "Thank you" --at beam',
  labs: ["autoregressive"],
};
