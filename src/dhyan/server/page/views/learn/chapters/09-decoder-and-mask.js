import { decoderAndMask } from "../stages/decoder-and-mask.js";

export const chapter = {
  title: { en: "The decoder and its mask", hi: "डिकोडर और उसका मास्क" },
  stage: decoderAndMask,
  uses: ["hand"],
  parts: [
    {
      en: `
        The encoder has read your sentence. The *decoder* writes the other one. While it learns, it is given the right translation, moved one place to the
        right behind a *start* token: at each place it reads what came before and has to say what comes next.

        “We are friends” → <start> हम दोस्त हैं.`,
      hi: `
        एनकोडर आपका वाक्य पढ़ चुका। अब *डिकोडर (decoder)* दूसरा वाक्य लिखता है। सीखते समय उसे सही अनुवाद दिया जाता है, *start* टोकन के पीछे एक जगह दाईं ओर खिसकाकर: हर
        स्थान पर वह पहले का सब पढ़ता है और उसे बताना होता है कि आगे क्या आएगा।

        “We are friends” → <start> हम दोस्त हैं।`,
    },
    {
      en: `
        But the whole translation lies before it: each place could look to the right and copy the answer. So a *mask* M is added to the scores: 0 on
        and below the diagonal, −∞ above it. e to the power of −∞ is 0: later words get exactly nothing.

        The poem once more: “a” now divides itself between “write” (0.3614) and itself (0.6386); “poem” is last and sees all, as before.`,
      hi: `
        पर पूरा अनुवाद तो उसके सामने पड़ा है: हर स्थान दाईं ओर झाँककर उत्तर उतार सकता है। इसलिए अंकों में एक *मास्क (mask)* M जोड़ा जाता है: विकर्ण पर और उसके नीचे 0, ऊपर −∞।
        e की घात −∞ शून्य होती है: बाद के शब्दों को ठीक-ठीक कुछ नहीं मिलता।

        वही कविता फिर से: “a” अब “write” (0.3614) और ख़ुद (0.6386) में बँटता है; “poem” सबसे अंत में है, उसे पहले की तरह सब दिखता है।`,
    },
    {
      en: `
        In the model it looks the same: a triangle. Each row knows the words before it and nothing else.

        After it the decoder’s layer goes on as the encoder’s: add and norm; then something new; then feed-forward.`,
      hi: `
        मॉडल में भी यही दिखता है: एक त्रिकोण। हर पंक्ति अपने से पहले के शब्द जानती है, और कुछ नहीं।

        इसके बाद डिकोडर की परत एनकोडर जैसी ही चलती है: जोड़ना और नॉर्म; फिर एक नई चीज़; फिर फ़ीड-फ़ॉरवर्ड।`,
    },
    {
      en: `
        The new thing is *cross-attention*. The queries come from the sentence that is being written, keys and values from the encoder. Each word to be written asks
        all of your sentence. Here the two meet, as in the notes’ matrix of dots: I like eating ice-cream ↔ मुझे आइसक्रीम खाना पसंद है. With a picture or a voice on
        the other side it works just so.`,
      hi: `
        नई चीज़ है *क्रॉस-अटेंशन (cross-attention)*। क्वेरी उस वाक्य से आती है जो लिखा जा रहा है; कुंजी और मान एनकोडर से। लिखा जाने वाला हर शब्द आपके पूरे वाक्य से पूछता है। दोनों
        वाक्य यहीं मिलते हैं, जैसे नोट्स की बिंदुओं वाली तालिका में: I like eating ice-cream ↔ मुझे आइसक्रीम खाना पसंद है। दूसरी ओर चित्र या आवाज़ हो, तब भी ठीक यही होता है।`,
    },
  ],
  question: {
    ask: {
      en: "Without the mask, “a” has the weights 0.3414, 0.6033, 0.0554. Find the masked ones without any e.",
      hi: "मास्क के बिना “a” के भार 0.3414, 0.6033, 0.0554 हैं। e का प्रयोग किए बिना मास्क वाले भार निकालिए।",
    },
    answer: {
      en: `
        The mask takes “poem” away and leaves the others in their proportion. What is left is 0.3414 + 0.6033 = 0.9447. Divide:
        0.3414 / 0.9447 = 0.3614 and 0.6033 / 0.9447 = 0.6386.

        So a mask is nothing but renormalizing what may be seen. With v of “write” and “a”: 0.3614 · (0.5996, 0.7375) + 0.6386 · (−0.3538, 0.5245) = (−0.0093, 0.6015).`,
      hi: `
        मास्क “poem” को हटा देता है, बाक़ी का अनुपात वही रहता है। बचा 0.3414 + 0.6033 = 0.9447। भाग दें: 0.3414 / 0.9447 = 0.3614 और
        0.6033 / 0.9447 = 0.6386।

        यानी मास्क और कुछ नहीं: जो दिख सकता है, उसी को फिर से 1 के हिस्सों में बाँट देना। “write” और “a” के v से: 0.3614 · (0.5996, 0.7375) + 0.6386 · (−0.3538, 0.5245)
        = (−0.0093, 0.6015)।`,
    },
  },
  code: [
    ["model/masks.py", "CausalMask"],
    ["model/layers.py", "DecoderLayer"],
    ["training/objectives/translation.py", "shift_right"],
  ],
  shown: ["causal_mask", "decoder"],
  command: 'dhyan explain "We are friends" --at dec.0.self.h0.masked',
  labs: ["leak", "alignment"],
};
