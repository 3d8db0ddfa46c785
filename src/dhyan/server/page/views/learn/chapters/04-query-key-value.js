import { queryKeyValue } from "../stages/query-key-value.js";

export const chapter = {
  title: { en: "Queries, keys, values", hi: "क्वेरी, कुंजी, मान" },
  stage: queryKeyValue,
  uses: ["look", "head"],
  parts: [
    {
      en: `
        Why three vectors? Try with none. Let each word be its own query, key and value: weights are the softmax of the words’ own dot
        products. Everything runs at once, which is good. But there is nothing to learn: a word is always most like itself, and “piece of
        cake” would be translated piece by piece, cake and all.`,
      hi: `
        तीन वेक्टर क्यों? पहले एक भी न लेकर देखें। हर शब्द ख़ुद ही अपनी क्वेरी, कुंजी और मान हो; भार शब्दों के आपसी डॉट-गुणनफल का softmax हों।
        सब कुछ एक साथ चलता है, यह अच्छा है। पर सीखने को कुछ है ही नहीं: शब्द सबसे ज़्यादा अपने ही जैसा होता है, और “piece of cake” का
        अनुवाद “केक का टुकड़ा” ही होगा, “बाएँ हाथ का खेल” नहीं।`,
    },
    {
      en: `
        So each word gets three roles, like a search: the *query* is what you type, the *key* is the label on each shelf, the *value* is what
        lies there. Three learnt matrices W_Q, W_K, W_V turn the word’s vector into the three. They are the same for all words, random at
        the start, and changed by training until they help.`,
      hi: `
        इसलिए हर शब्द तीन भूमिकाएँ निभाता है, जैसे पुस्तकालय में खोज: *क्वेरी* वह है जो आप पूछते हैं, *कुंजी* अलमारी पर लगी पर्ची है और *मान* वह
        जो अलमारी में रखा है। तीन सीखी हुई मैट्रिक्स W_Q, W_K, W_V शब्द के वेक्टर से ये तीनों बनाती हैं। ये सब शब्दों के लिए एक ही हैं; शुरू में बेतरतीब
        (random) होती हैं, और प्रशिक्षण (training) इन्हें तब तक बदलता है जब तक काम की न हो जाएँ।`,
    },
    {
      en: `
        Now the table of the notes, with your word: its query meets every key. Score, score ÷ √d_k, softmax. In the notes “Action gets
        results” has d_k = 64, so scores are divided by 8; the heads of the translator that comes with this page are of the same size.`,
      hi: `
        अब नोट्स वाली तालिका, आपके शब्द के साथ: उसकी क्वेरी हर कुंजी से मिलती है। अंक, फिर अंक ÷ √d_k, फिर softmax। नोट्स में “Action gets results”
        के लिए d_k = 64 है, इसलिए 8 से भाग दिया जाता है; इस पेज के साथ आने वाले अनुवादक के हेड भी इतने ही बड़े हैं।`,
    },
    {
      en: `
        What comes back is a mixture of values, by these shares. In “The kids were scared of the lions, so they left right away” the word
        *they* has to find out who left: some heads look from *they* to *kids*.

        Press words, choose other heads. Nobody told any of them what to look for.`,
      hi: `
        इन्हीं हिस्सों में मिले हुए मान लौटकर आते हैं। “The kids were scared of the lions, so they left right away” में *they* को पता करना है
        कि गया कौन: कुछ हेड *they* से *kids* की ओर देखते हैं।

        शब्द दबाइए, दूसरे हेड चुनिए। किसी को बताया नहीं गया था कि क्या खोजना है।`,
    },
  ],
  question: {
    ask: {
      en: "With d_k = 64, a query has the scores 16, 8 and 0 with three keys. What are its weights?",
      hi: "d_k = 64 है और तीन कुंजियों के साथ एक क्वेरी के अंक 16, 8 और 0 हैं। भार क्या होंगे?",
    },
    answer: {
      en: `
        Divide by √64 = 8: 2, 1, 0. Then e² = 7.389, e¹ = 2.718, e⁰ = 1; their sum is 11.107. The weights are 7.389 / 11.107 = 0.665,
        2.718 / 11.107 = 0.245, 1 / 11.107 = 0.090.

        Without the division they would be 0.9997, 0.0003 and 0.0000: the first key would take all. That is the next chapter.`,
      hi: `
        √64 = 8 से भाग दें: 2, 1, 0। फिर e² = 7.389, e¹ = 2.718, e⁰ = 1; योग 11.107। भार: 7.389 / 11.107 = 0.665, 2.718 / 11.107 = 0.245,
        1 / 11.107 = 0.090।

        भाग न दें तो 0.9997, 0.0003 और 0.0000 आते: पहली कुंजी सब कुछ ले जाती। यही अगले अध्याय की बात है।`,
    },
  },
  code: [
    ["model/layers.py", "MultiHeadAttention"],
    ["explain/formulas.py", "attention_without_parameters"],
    ["explain/views/walkthrough.py", ""],
  ],
  shown: ["attend"],
  command: 'dhyan explain "Thank you" --at enc.0.self.h0.query',
  labs: ["no-parameters"],
};
