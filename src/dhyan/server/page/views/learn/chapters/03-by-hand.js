import { byHand } from "../stages/by-hand.js";

export const chapter = {
  title: { en: "Self-attention by hand", hi: "सेल्फ़-अटेंशन, अपने हाथ से" },
  stage: byHand,
  uses: ["hand"],
  parts: [
    {
      en: `
        Three words, two numbers each: small enough for paper. “write a poem” is the matrix X, a row for each word. Beside it stand
        three small matrices, W_Q, W_K and W_V. They are the same for all words. A trained model has learnt them; here they are
        just given.

        All of them are open: write other numbers.`,
      hi: `
        तीन शब्द, हर शब्द की दो संख्याएँ: इतना काग़ज़ पर हो जाता है। “write a poem” एक मैट्रिक्स (matrix) X है, हर शब्द की एक पंक्ति।
        साथ में तीन छोटी मैट्रिक्स हैं: W_Q, W_K और W_V। सब शब्दों के लिए यही तीन हैं। असली मॉडल इन्हें सीखता है; यहाँ इन्हें दिया हुआ मान लें।

        सब खुली हैं: चाहें तो दूसरी संख्याएँ लिखकर देखें।`,
    },
    {
      en: `
        *First* each word is multiplied by each of the three. That gives it a *query* q, what it is looking for; a *key* k, what it
        offers; and a *value* v, what it hands over. For “write”: q = (0.7621, −0.0477).`,
      hi: `
        *पहला क़दम:* हर शब्द का तीनों से गुणा। इससे हर शब्द को तीन चीज़ें मिलती हैं: *क्वेरी (query)* q, यानी वह क्या खोज रहा है; *कुंजी (key)*
        k, यानी वह क्या पेश करता है; और *मान (value)* v, यानी वह क्या सौंपता है। “write” के लिए q = (0.7621, −0.0477)।`,
    },
    {
      en: `
        *Second*, who fits whom? The dot product of a query with a key is large where both point the same way: the *score*. Three
        words, nine scores. All of them are divided by √d_k, here √2; chapter 5 says why.`,
      hi: `
        *दूसरा क़दम:* किसका किससे मेल? क्वेरी और कुंजी का डॉट-गुणनफल (dot product) वहाँ बड़ा होता है जहाँ दोनों एक ही दिशा में हों। यही
        *अंक (score)* है। तीन शब्द, नौ अंक। सबको √d_k से, यानी यहाँ √2 से, भाग देते हैं; क्यों, यह पाँचवें अध्याय में।`,
    },
    {
      en: `
        *Third*, scores become shares. *softmax* raises e to the power of each and divides by the row’s sum, so that a row adds up to 1. The
        first row reads 0.3564, 0.3979, 0.2457: “write” gives 36 % to itself, 40 % to “a”, 25 % to “poem”.`,
      hi: `
        *तीसरा क़दम:* अंकों से हिस्से बनाना। *softmax* हर अंक s के लिए eˢ निकालता है और पंक्ति के योग से भाग देता है, जिससे हर पंक्ति
        का जोड़ 1 हो जाता है। पहली पंक्ति: 0.3564, 0.3979, 0.2457। यानी “write” 36 % अपने को देता है, 40 % “a” को और 25 % “poem” को।`,
    },
    {
      en: `
        *Last*, the values are mixed by these shares. The new “write” is 0.3564 · v(write) + 0.3979 · v(a) + 0.2457 · v(poem) =
        (1.0207, 1.0635). It has taken in the poem. The same for the other two rows, all at once.`,
      hi: `
        *अंतिम क़दम:* इन्हीं हिस्सों में मानों को मिला दें। नया “write” = 0.3564 · v(write) + 0.3979 · v(a) + 0.2457 · v(poem) = (1.0207, 1.0635)।
        अब उसमें कविता भी घुल गई है। बाक़ी दो पंक्तियों में भी यही, और तीनों एक साथ।`,
    },
  ],
  question: {
    ask: {
      en: "What would attention return for “a” if all nine scores were equal?",
      hi: "अगर नौ के नौ अंक बराबर हों, तो “a” के लिए अटेंशन क्या लौटाएगा?",
    },
    answer: {
      en: `
        Equal scores give equal shares: softmax of (s, s, s) is (1/3, 1/3, 1/3), whatever s is. So the result is the mean of the values:

        first number: (0.5996 − 0.3538 + 3.8574) / 3 = 1.3677; second: (0.7375 + 0.5245 + 2.4093) / 3 = 1.2238.

        It would be the same for every word, so attention would have nothing to say. Try it: set all of W_Q to 0.`,
      hi: `
        अंक बराबर तो हिस्से भी बराबर: (s, s, s) का softmax (1/3, 1/3, 1/3) है, s चाहे जो हो। यानी उत्तर मानों का औसत है:

        पहली संख्या: (0.5996 − 0.3538 + 3.8574) / 3 = 1.3677; दूसरी: (0.7375 + 0.5245 + 2.4093) / 3 = 1.2238।

        हर शब्द के लिए यही आएगा, इसलिए अटेंशन से कोई नई बात पता नहीं चलेगी। करके देखें: W_Q की चारों संख्याएँ 0 कर दें।`,
    },
  },
  code: [
    ["explain/formulas.py", "attention"],
    ["model/attention.py", "attention"],
  ],
  shown: ["attention", "softmax"],
  command: "pytest tests/unit/explain/test_worked_numbers.py",
  labs: ["no-parameters"],
};
