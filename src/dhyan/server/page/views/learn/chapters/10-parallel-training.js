import { parallelTraining } from "../stages/parallel-training.js";

export const chapter = {
  title: { en: "Training: all words at once", hi: "प्रशिक्षण: सारे शब्द एक साथ" },
  stage: parallelTraining,
  uses: ["target"],
  parts: [
    {
      en: `
        To learn, the model is shown pairs: How are you? → आप कैसे हैं; Thank you → धन्यवाद. At each place it gives a probability to every word; the *loss* is −log of
        what the right word got. Backpropagation carries the loss to every weight, and each is changed a little.

        At each place the right word before it comes from the data, not from the model: *teacher forcing*. So no place waits for another. Write another
        translation and see what the model thinks of it.`,
      hi: `
        सीखने के लिए मॉडल को जोड़े दिखाए जाते हैं: How are you? → आप कैसे हैं; Thank you → धन्यवाद। हर स्थान पर वह शब्दावली के हर शब्द को एक प्रायिकता (probability) देता है; सही शब्द को जो
        मिली, उसका −log ही *लॉस (loss)* है। बैकप्रोपेगेशन (backpropagation) यह लॉस हर भार तक पहुँचाता है, और हर भार थोड़ा बदल दिया जाता है।

        हर स्थान पर पिछला सही शब्द डेटा से आता है, मॉडल से नहीं: इसे *टीचर फ़ोर्सिंग (teacher forcing)* कहते हैं। इसलिए किसी स्थान को दूसरे का इंतज़ार नहीं करना पड़ता। कोई और अनुवाद लिखकर
        देखें कि मॉडल उसे कैसा मानता है।`,
    },
    {
      en: `
        All places at once, and the whole answer on the table: without a mask each place copies the word to its right. The loss looks wonderful, and the model
        has learnt nothing. When it writes by itself there is nothing to copy, and it fails.

        Measured in the experiment: loss 0.000 without the mask, and 4 % of what it wrote was right.`,
      hi: `
        सारे स्थान एक साथ, और पूरा उत्तर सामने: मास्क न हो तो हर स्थान अपने दाईं ओर का शब्द उतार लेता है। लॉस शानदार दिखता है, पर मॉडल ने सीखा कुछ नहीं। जब वह ख़ुद लिखता है तब नक़ल
        करने को कुछ होता नहीं, और वह असफल हो जाता है।

        प्रयोग में नापा गया: बिना मास्क लॉस 0.000, और उसके लिखे में से 4 % सही।`,
    },
    {
      en: `
        Step by step, training would run the decoder once for each word: 300 words in 16 rows, 300 passes, each longer than the last. Behind the mask one
        pass gives the same gradients.

        That is the sentence to remember: the decoder is *autoregressive at inference and not at training*.`,
      hi: `
        क़दम-दर-क़दम सिखाएँ तो डिकोडर को हर शब्द के लिए एक बार चलना होगा: 16 पंक्तियाँ, 300 शब्द, 300 बार, और हर बार पिछली से लंबा। मास्क के पीछे एक ही बार में वही ग्रेडिएंट मिल जाते हैं।

        याद रखने की बात यही है: डिकोडर *लिखते समय ऑटोरिग्रेसिव (autoregressive) है, सीखते समय नहीं*।`,
    },
  ],
  question: {
    ask: {
      en: "The right words get the probabilities 0.5, 0.25 and 1. What is the loss?",
      hi: "सही शब्दों को 0.5, 0.25 और 1 प्रायिकता मिली। लॉस कितना है?",
    },
    answer: {
      en: `
        −log 0.5 = 0.693, −log 0.25 = 1.386, −log 1 = 0. The mean is (0.693 + 1.386 + 0) / 3 = 0.693.

        A word that is certain costs nothing; each halving of the probability costs 0.693 more. A model that guesses among 10,000 words begins at log 10,000 = 9.21.`,
      hi: `
        −log 0.5 = 0.693, −log 0.25 = 1.386, −log 1 = 0। औसत (0.693 + 1.386 + 0) / 3 = 0.693।

        जो शब्द पक्का है उसका कोई दाम नहीं; प्रायिकता हर बार आधी होने पर 0.693 और लगता है। 10,000 शब्दों में अंधा अनुमान लगाने वाला मॉडल log 10,000 = 9.21 से शुरू करता है।`,
    },
  },
  code: [
    ["training/losses.py", "token_loss"],
    ["training/trainer.py", "Trainer"],
    ["model/transformer.py", "Transformer.forward"],
  ],
  command: "dhyan train translate --train pairs.tsv --out my-pack",
  labs: ["parallel-training", "leak"],
};
