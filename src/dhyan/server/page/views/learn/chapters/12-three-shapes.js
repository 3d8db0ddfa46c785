import { threeShapes } from "../stages/three-shapes.js";

export const chapter = {
  title: { en: "The three shapes", hi: "तीन रूप" },
  stage: threeShapes,
  uses: [],
  ofOtherPacks: true, // its numbers are not the translator's alone
  parts: [
    {
      en: `
        *Encoder and decoder* together were the first Transformer: a sequence goes in, another comes out. Translation, summaries. It is what you have seen in eleven
        chapters; here is your sentence once more.`,
      hi: `
        *एनकोडर और डिकोडर* साथ: यही पहला ट्रांसफ़ॉर्मर था। एक अनुक्रम भीतर जाता है, दूसरा बाहर आता है। अनुवाद, सारांश। ग्यारह अध्यायों में आपने यही देखा; लीजिए, आपका वाक्य एक बार फिर।`,
    },
    {
      en: `
        The *encoder alone* turns text into vectors that know their context. Similar sentences lie near each other, so one can search, cluster documents, or put a
        small classifier on top that tells the sentiment.`,
      hi: `
        *अकेला एनकोडर* पाठ को ऐसे वेक्टरों में बदलता है जो अपना संदर्भ जानते हैं। मिलते-जुलते वाक्य पास-पास आ जाते हैं; इसलिए खोज हो सकती है, दस्तावेज़ों के समूह (clusters) बन सकते हैं, या ऊपर एक छोटा
        वर्गीकारक बिठाकर भाव (sentiment) पहचाना जा सकता है।`,
    },
    {
      en: `
        The *decoder alone* has no second sentence to look at: masked self-attention, and the next token. Give it a beginning, and it goes on. The great writing models
        are this, many times larger.

        That is the whole machine. Every number you saw has an address; under *Look inside* you can open each of them.`,
      hi: `
        *अकेले डिकोडर* के पास देखने को दूसरा वाक्य नहीं: मास्क वाला सेल्फ़-अटेंशन, और अगला टोकन। शुरुआत दीजिए, वह आगे लिखता है। आज के बड़े लेखन-मॉडल यही हैं, बस कई गुना बड़े।

        पूरी मशीन बस इतनी ही है। जो भी संख्या आपने देखी उसका एक पता है; *भीतर देखें* में हर एक को खोला जा सकता है।`,
    },
  ],
  question: {
    ask: {
      en: "Which shape would you take to (a) shorten reports, (b) find tickets that say the same, (c) complete code while somebody types?",
      hi: "कौन-सा रूप लेंगे, अगर (क) रिपोर्ट छोटी करनी हो, (ख) एक जैसी शिकायतें ढूँढ़नी हों, (ग) लिखते-लिखते कोड पूरा करना हो?",
    },
    answer: {
      en: `
        (a) A sequence in, a shorter one out: encoder–decoder. A large decoder does it as well, with the report as its beginning.

        (b) No text has to be written, only compared: encoder. One vector for each ticket, and the cosine between them.

        (c) Only what comes next is wanted, again and again: decoder.`,
      hi: `
        (क) एक अनुक्रम भीतर, छोटा अनुक्रम बाहर: एनकोडर–डिकोडर। बड़ा डिकोडर भी कर लेता है, रिपोर्ट को शुरुआत मानकर।

        (ख) लिखना कुछ नहीं, बस तुलना करनी है: एनकोडर। हर शिकायत का एक वेक्टर, और उनके बीच का कोसाइन।

        (ग) बार-बार बस अगला टोकन चाहिए: डिकोडर।`,
    },
  },
  code: [
    ["translation/translator.py", ""],
    ["vectors/embedder.py", ""],
    ["engines/writer.py", "Writer"],
    ["model/architecture.py", "Architecture"],
  ],
  shown: ["encoder", "decoder"],
  command: 'dhyan write "To be, or not to"',
  labs: [],
};
