import { manyHeads } from "../stages/many-heads.js";

export const chapter = {
  title: { en: "Many heads", hi: "कई हेड" },
  stage: manyHeads,
  uses: ["look", "head"],
  parts: [
    {
      en: `
        “The man saw the astronomer with a telescope.” Who has the telescope? “The chicken is ready to eat.” Who eats? A sentence can be read in more than
        one way, and one head has only one set of weights: one perspective.

        So attention is done several times side by side. Each row here is one *head* and what it makes of the same word.`,
      hi: `
        “The man saw the astronomer with a telescope.” दूरबीन किसके पास है, देखने वाले के या खगोलशास्त्री के? “The chicken is ready to eat.” मुर्ग़ी खाएगी या
        खाई जाएगी? वाक्य एक से ज़्यादा ढंग से पढ़ा जा सकता है, और एक हेड के पास भारों का एक ही समूह है: एक ही नज़रिया।

        इसलिए अटेंशन कई बार, साथ-साथ किया जाता है। यहाँ हर पंक्ति एक *हेड (head)* है, और दिखाती है कि वह उसी शब्द को कैसे देखता है।`,
    },
    {
      en: `
        Each head has its own W_Q, W_K and W_V, and learns what to look for. Some look at the word before, some at the word after, some
        from a verb to its object; many are broad. How many there are is a hyperparameter: the paper took 8.

        Press one to take it along through the lesson.`,
      hi: `
        हर हेड के अपने W_Q, W_K और W_V हैं, और वह ख़ुद सीखता है कि किसे देखना है। कोई पिछले शब्द को देखता है, कोई अगले को, कोई क्रिया से उसके कर्म
        को; कई दूर-दूर तक देखते हैं। हेड कितने हों, यह एक हाइपरपैरामीटर (hyperparameter) है: शोधपत्र में 8 थे।

        किसी एक को दबाइए; वही पूरे पाठ में साथ चलेगा।`,
    },
    {
      en: `
        Each head works in a small space and returns a short vector, Z₀, Z₁, and so on. They are laid side by side, which makes one vector of the full
        size, and multiplied by one more learnt matrix, W_O. It is the same as adding up a share from each head, so one can measure what each brings.`,
      hi: `
        हर हेड एक छोटे आकार में काम करता है और एक छोटा वेक्टर लौटाता है: Z₀, Z₁, …। इन्हें एक के बाद एक रखकर (concatenate) फिर पूरे आकार का वेक्टर बनता है,
        और उसे एक और सीखी हुई मैट्रिक्स W_O से गुणा करते हैं। यह हर हेड का हिस्सा जोड़ने जैसा ही है, इसलिए नापा जा सकता है कि किसने कितना दिया।`,
    },
  ],
  question: {
    ask: {
      en: "d_model = 512. Do 8 heads of 64 numbers need more weights than one head of 512?",
      hi: "d_model = 512 है। 64-64 संख्याओं के 8 हेड को क्या 512 के एक हेड से ज़्यादा भार चाहिए?",
    },
    answer: {
      en: `
        Eight heads: W_Q, W_K, W_V of 512 × 64 each, so 8 · 3 · 512 · 64 = 786,432; W_O has 512 × 512 = 262,144. Together 1,048,576.

        One head: 3 · 512 · 512 = 786,432, and the same W_O. Exactly as many. Heads do not cost more; they share out the same weights among several perspectives.`,
      hi: `
        आठ हेड: W_Q, W_K, W_V हर एक 512 × 64, यानी 8 · 3 · 512 · 64 = 786,432; W_O में 512 × 512 = 262,144। कुल 1,048,576।

        एक हेड: 3 · 512 · 512 = 786,432, और वही W_O। ठीक उतने ही। हेड बढ़ाने से ख़र्च नहीं बढ़ता; वही भार कई नज़रियों में बँट जाते हैं।`,
    },
  },
  code: [
    ["model/layers.py", "MultiHeadAttention"],
    ["explain/analyses/head_stats.py", "HeadStats"],
  ],
  shown: ["attend"],
  command: 'dhyan explain "The man saw the astronomer with a telescope" --at heads',
  labs: ["heads"],
};
