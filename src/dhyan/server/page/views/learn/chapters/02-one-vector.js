import { oneVector } from "../stages/one-vector.js";

export const chapter = {
  title: { en: "Why one vector is not enough", hi: "एक वेक्टर काफ़ी क्यों नहीं" },
  stage: oneVector,
  uses: ["look", "head", "second"],
  parts: [
    {
      en: `
        A table has one row for each word, so every *apple* gets the same vector: its *average meaning*. Let 9,000 sentences speak of
        the fruit and 1,000 of the company. Then *apple*, as [taste, technology], tilts to [0.9, 0.1], also in a sentence about
        telephones.

        Move the slider: the vector follows the crowd, never the sentence.`,
      hi: `
        तालिका में हर शब्द की एक ही पंक्ति है, इसलिए हर *apple* को वही वेक्टर मिलता है: उसका *औसत अर्थ*। मान लें 9,000 वाक्य फल की
        बात करते हैं और 1,000 कंपनी की। तब [स्वाद, तकनीक] में *apple* झुककर [0.9, 0.1] हो जाता है, उस वाक्य में भी जो फ़ोन के बारे
        में है।

        स्लाइडर खिसकाइए: वेक्टर भीड़ के पीछे चलता है, वाक्य के पीछे नहीं।`,
    },
    {
      en: `
        *bank* has one row, in “money bank grows” and in “river bank flows”. But behind each layer of the model its vector is
        another one: the sentence has changed it. Such a vector is *contextual*.

        Here your word stands in your sentence and in another. The cosine of the two vectors is exactly 1 in the table, because there
        they are the same row. Below 1, context is at work.`,
      hi: `
        *bank* की पंक्ति एक ही है, चाहे “money bank grows” हो या “river bank flows”। पर मॉडल की हर परत (layer) के बाद उसका वेक्टर
        बदला हुआ मिलता है: वाक्य ने उसे बदल दिया। ऐसे वेक्टर को *संदर्भ वाला (contextual)* वेक्टर कहते हैं।

        यहाँ आपका शब्द एक बार आपके वाक्य में है और एक बार दूसरे में। तालिका में दोनों वेक्टरों का कोसाइन (cosine) ठीक 1 है, क्योंकि
        वहाँ दोनों एक ही पंक्ति हैं। जहाँ वह 1 से नीचे आया, वहाँ संदर्भ बोल रहा है।`,
    },
    {
      en: `
        How does a sentence change a word? By *mixing*. The new *bank* is a little of everything that stands around it:

        bank = 0.25 · money + 0.7 · bank + 0.05 · grows, but bank = 0.2 · river + 0.78 · bank + 0.02 · flows.

        That is all that *self-attention* does. What remains is where these weights come from.`,
      hi: `
        वाक्य शब्द को बदलता कैसे है? *मिलाकर*। नया *bank* आसपास के हर शब्द का थोड़ा-थोड़ा है:

        bank = 0.25 · money + 0.7 · bank + 0.05 · grows, जबकि दूसरे वाक्य में bank = 0.2 · river + 0.78 · bank + 0.02 · flows।

        *सेल्फ़-अटेंशन (self-attention)* बस इतना ही करता है। अब सवाल यह है कि ये भार (weights) आते कहाँ से हैं।`,
    },
    {
      en: `
        Sentences have the same trouble. Before attention, an RNN read word after word and kept *one* vector for the whole sentence;
        the translation was written from that alone. In long sentences, beyond about 30 words, it forgot.

        With attention each output word looks at every input word, and nothing waits for the word before: all positions are computed at once.`,
      hi: `
        यही मुश्किल पूरे वाक्य की भी है। अटेंशन से पहले RNN एक-एक शब्द पढ़ता था और पूरे वाक्य के लिए *एक* वेक्टर रखता था; अनुवाद उसी
        एक वेक्टर से लिखा जाता था। वाक्य लंबा हुआ, यानी क़रीब 30 शब्दों से ऊपर, तो वह भूलने लगता था।

        अटेंशन में हर आउटपुट शब्द हर इनपुट शब्द को देख सकता है, और किसी को पिछले शब्द का इंतज़ार नहीं करना पड़ता: सारे स्थान एक साथ
        निकाले जाते हैं।`,
    },
  ],
  question: {
    ask: {
      en: "9,000 sentences speak of the fruit, 1,000 of the company. Now 9,000 more come, all about the company. What is *apple*?",
      hi: "9,000 वाक्य फल के बारे में हैं, 1,000 कंपनी के बारे में। अब 9,000 और आते हैं, सब कंपनी के। *apple* अब क्या है?",
    },
    answer: {
      en: `
        Fruit: 9,000. Company: 1,000 + 9,000 = 10,000. Together 19,000. Then taste = 9,000 / 19,000 ≈ 0.47, technology = 10,000 / 19,000
        ≈ 0.53.

        The vector [0.47, 0.53] is right nowhere: it is a poor fruit and a poor company. More data does not help, because a table has
        one row for each word. The sentence has to come in.`,
      hi: `
        फल: 9,000। कंपनी: 1,000 + 9,000 = 10,000। कुल 19,000। तो स्वाद = 9,000 / 19,000 ≈ 0.47 और तकनीक = 10,000 / 19,000 ≈ 0.53।

        वेक्टर [0.47, 0.53] कहीं भी ठीक नहीं बैठता: न ढंग का फल, न ढंग की कंपनी। डेटा बढ़ाने से बात नहीं बनेगी, क्योंकि तालिका में हर
        शब्द की एक ही पंक्ति है। वाक्य को भीतर लाना ही पड़ेगा।`,
    },
  },
  code: [
    ["explain/analyses/word_in_context.py", ""],
    ["lab/experiments/rnn.py", ""],
  ],
  command: 'dhyan explain "money bank grows" --at enc.0.self.weights --word-mode',
  labs: ["static-vs-context", "long-sentences"],
};
