import { wordsToNumbers } from "../stages/words-to-numbers.js";

export const chapter = {
  title: { en: "Words become numbers", hi: "शब्द संख्याएँ बनते हैं" },
  stage: wordsToNumbers,
  uses: ["look"],
  parts: [
    {
      en: `
        A computer can add and multiply; it cannot read. Before anything else, each word must become a list of numbers: a *vector*.

        The simplest way gives each word a place of its own. With three words, *mat* is (1, 0, 0), *cat* is (0, 1, 0), *rat* is
        (0, 0, 1). This is *one-hot*. It works, and it says nothing: a cat is no nearer to a rat than to a mat. Counting words
        (TF-IDF) tells which of them matter in a text, but still not what they mean.`,
      hi: `
        कंप्यूटर जोड़ और गुणा कर सकता है, पढ़ नहीं सकता। इसलिए सबसे पहला काम यह है कि हर शब्द संख्याओं की एक सूची बने। ऐसी सूची
        को *वेक्टर (vector)* कहते हैं।

        सबसे सीधा उपाय: हर शब्द को अपनी एक जगह दे दें। तीन शब्द हों तो *mat* (1, 0, 0) है, *cat* (0, 1, 0) और *rat* (0, 0, 1)।
        इसे *वन-हॉट (one-hot)* कहते हैं। काम तो चल जाता है, पर इससे पता कुछ नहीं चलता: बिल्ली चूहे के उतनी ही पास है जितनी चटाई
        के। शब्द गिनने की विधि (TF-IDF) बता देती है कि पाठ में कौन-से शब्द ख़ास हैं, पर उनका अर्थ वह भी नहीं जानती।`,
    },
    {
      en: `
        Nobody can list all words. So a text is cut into *pieces* from a fixed vocabulary: frequent words stay whole, rare ones fall
        into parts. Each piece has a number, its *id*. What you see is your own sentence.`,
      hi: `
        सारे शब्दों की सूची कोई नहीं बना सकता। इसलिए पाठ को एक तय शब्दावली (vocabulary) के *टुकड़ों* में काटते हैं: जो शब्द बार-बार
        आते हैं वे पूरे रहते हैं, विरले शब्द कई टुकड़ों में बँट जाते हैं। हर टुकड़े का एक क्रमांक होता है, उसकी *आईडी (id)*। चित्र में
        आपका ही वाक्य है।`,
    },
    {
      en: `
        The id picks a row from a table E that the model has *learnt*: some hundred numbers for each piece, its *embedding*. Nobody
        wrote them by hand. Words that are used alike drift towards each other while a model learns; Word2Vec made that famous.

        Blue is above zero, orange below. Press a word to read its first numbers.`,
      hi: `
        यह क्रमांक एक तालिका E से एक पंक्ति चुनता है, जिसे मॉडल ने *सीखा* है: हर टुकड़े के लिए कुछ सौ संख्याएँ, यानी उसकी
        *एम्बेडिंग (embedding)*। इन्हें किसी ने हाथ से नहीं लिखा। सीखते-सीखते एक जैसे प्रयोग वाले शब्द एक-दूसरे के पास खिसक आते हैं;
        यह बात Word2Vec से मशहूर हुई।

        नीला यानी शून्य से ऊपर, नारंगी यानी नीचे। किसी शब्द को दबाकर उसकी पहली कुछ संख्याएँ पढ़ें।`,
    },
  ],
  question: {
    ask: {
      en: "How far apart are two different one-hot vectors? Does it depend on the words?",
      hi: "दो अलग-अलग वन-हॉट वेक्टरों के बीच कितनी दूरी है? क्या वह शब्दों पर निर्भर है?",
    },
    answer: {
      en: `
        Take *cat* (0, 1, 0) and *rat* (0, 0, 1). Their difference is (0, 1, −1), its length √(0² + 1² + 1²) = √2 ≈ 1.414. For *cat*
        and *mat* it is √2 again, and for any two of 10,000 words.

        So one-hot vectors know that words differ, and nothing else. That is why embeddings are learnt.`,
      hi: `
        *cat* (0, 1, 0) और *rat* (0, 0, 1) लें। अंतर है (0, 1, −1), और उसकी लंबाई √(0² + 1² + 1²) = √2 ≈ 1.414। *cat* और *mat* के
        लिए भी यही √2 आता है, और 10,000 शब्दों में से किन्हीं भी दो के लिए यही।

        यानी वन-हॉट वेक्टर इतना ही जानते हैं कि शब्द अलग हैं, इससे ज़्यादा कुछ नहीं। इसीलिए एम्बेडिंग सीखी जाती है।`,
    },
  },
  code: [
    ["text/tokenizer.py", "Tokenizer"],
    ["model/transformer.py", "Stack.embed"],
    ["vectors/baselines.py", ""],
  ],
  shown: ["encode", "embed"],
  command: 'dhyan explain "Thank you" --at enc.embedded',
  labs: ["static-vs-context"],
};
