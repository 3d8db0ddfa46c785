import { positions } from "../stages/positions.js";

export const chapter = {
  title: { en: "Where a word stands", hi: "शब्द का स्थान" },
  stage: positions,
  uses: ["look"],
  parts: [
    {
      en: `
        Self-attention mixes words and never asks where they stand. For it, “Nithish killed lion” and “lion killed Nithish” are the same: every word
        gets the same vector in both. For the lion it makes a difference.

        So the position has to come in as a number. The experiment says your sentence forwards and backwards: without positions nothing changes.`,
      hi: `
        सेल्फ़-अटेंशन शब्दों को मिलाता है, पर कभी नहीं पूछता कि कौन कहाँ खड़ा है। उसके लिए “Nithish killed lion” और “lion killed Nithish” एक ही बात है:
        दोनों में हर शब्द का वेक्टर वही रहता है। शेर के लिए बात एक नहीं है।

        इसलिए स्थान को भी संख्या बनाकर भीतर लाना होगा। प्रयोग आपके वाक्य को सीधा और उलटा पढ़ता है: स्थान न बताएँ तो कुछ नहीं बदलता।`,
    },
    {
      en: `
        Counting 1, 2, 3 … is a poor way: it grows without bound, jumps, and says nothing about distance. Wanted is something bounded, smooth,
        periodic, and different at every position: *sines and cosines* of many frequencies.

        For “river bank” and d = 6: PE(0) = 0, 1, 0, 1, 0, 1 and PE(1) = 0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0000.`,
      hi: `
        1, 2, 3 … गिनते जाना ठीक उपाय नहीं: संख्या बढ़ती ही जाती है, उछल-उछलकर चलती है और दूरी के बारे में कुछ नहीं बताती। चाहिए ऐसा कुछ जो सीमा में रहे,
        लगातार बदले, आवर्ती (periodic) हो और हर स्थान पर अलग हो: कई आवृत्तियों के *साइन और कोसाइन*।

        “river bank” और d = 6 के लिए: PE(0) = 0, 1, 0, 1, 0, 1 और PE(1) = 0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0000।`,
    },
    {
      en: `
        Many positions at once: 50 rows, 128 columns. The left columns swing fast, the right ones hardly move, like the bits of a binary counter: the last bit
        changes at every step, the one before at every second. Together they tell every position from every other.`,
      hi: `
        बहुत-से स्थान एक साथ: 50 पंक्तियाँ, 128 स्तंभ। बाएँ स्तंभ तेज़ी से झूलते हैं, दाएँ वाले मुश्किल से हिलते हैं, जैसे द्विआधारी (binary) गिनती के बिट: आख़िरी
        बिट हर क़दम पर बदलता है, उससे पहले वाला हर दूसरे क़दम पर। सब मिलकर हर स्थान को हर दूसरे स्थान से अलग पहचान लेते हैं।`,
    },
    {
      en: `
        The encoding has as many numbers as the embedding and is simply *added* to it: X₁ = E₁ + P₁. Nothing gets longer. The first layer reads
        word and place from the same vector.`,
      hi: `
        स्थान के वेक्टर में उतनी ही संख्याएँ हैं जितनी एम्बेडिंग में, और वह उसमें सीधे *जोड़* दिया जाता है: X₁ = E₁ + P₁। वेक्टर लंबा नहीं होता। पहली परत एक
        ही वेक्टर में शब्द भी पढ़ती है और उसका स्थान भी।`,
    },
  ],
  question: {
    ask: {
      en: "A third word comes: “river bank flows”. What is PE(2) for d = 6?",
      hi: "तीसरा शब्द आया: “river bank flows”। d = 6 के लिए PE(2) क्या है?",
    },
    answer: {
      en: `
        i = 0: the angle is 2 / 10000⁰ = 2: sin 2 = 0.9093, cos 2 = −0.4161.

        i = 1: 10000^(2/6) = 21.544, the angle is 2 / 21.544 = 0.0928: sin = 0.0927, cos = 0.9957.

        i = 2: 10000^(4/6) = 464.16, the angle is 0.0043: sin = 0.0043, cos = 1.0000.

        So PE(2) = 0.9093, −0.4161, 0.0927, 0.9957, 0.0043, 1.0000: the first pair has moved far, the last hardly.`,
      hi: `
        i = 0: कोण है 2 / 10000⁰ = 2: sin 2 = 0.9093, cos 2 = −0.4161।

        i = 1: 10000^(2/6) = 21.544, कोण 2 / 21.544 = 0.0928: sin = 0.0927, cos = 0.9957।

        i = 2: 10000^(4/6) = 464.16, कोण 0.0043: sin = 0.0043, cos = 1.0000।

        यानी PE(2) = 0.9093, −0.4161, 0.0927, 0.9957, 0.0043, 1.0000: पहली जोड़ी दूर निकल गई, आख़िरी लगभग वहीं है।`,
    },
  },
  code: [
    ["model/positions.py", "sinusoidal"],
    ["explain/formulas.py", "positional_encoding"],
  ],
  shown: ["positions"],
  command: 'dhyan explain "river bank" --at enc.positions',
  labs: ["positions"],
};
