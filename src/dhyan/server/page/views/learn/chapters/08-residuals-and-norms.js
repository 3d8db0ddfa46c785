import { residualsAndNorms } from "../stages/residuals-and-norms.js";

export const chapter = {
  title: { en: "Add, and norm", hi: "जोड़ना और सामान्य करना" },
  stage: residualsAndNorms,
  uses: ["look", "five"],
  parts: [
    {
      en: `
        Attention brings something back: Z. It does not replace the word, it is *added* to it: x + Z. This *residual* connection keeps what was there, and gives
        the gradient a straight way down through all layers.`,
      hi: `
        अटेंशन कुछ लेकर लौटता है: Z। वह शब्द की जगह नहीं लेता, उसमें *जुड़* जाता है: x + Z। इसे *अवशेष जोड़ (residual connection)* कहते हैं। जो पहले था वह बना रहता
        है, और ग्रेडिएंट को सारी परतों से होकर नीचे आने का सीधा रास्ता मिलता है।`,
    },
    {
      en: `
        Numbers that are added layer after layer would grow. So they are put back to mean 0 and deviation 1. There are two ways to do it. *Batch norm* goes down
        a column: one feature, all samples. *Layer norm* goes along a row: one sample, all its features.

        The first row (7, 5, 4) becomes (1.3363, −0.2673, −1.0690) by layer norm and (1.1859, 1.1667, −0.2041) by batch norm.`,
      hi: `
        परत-दर-परत जोड़ते जाएँ तो संख्याएँ बढ़ती चली जाएँगी। इसलिए उन्हें फिर से औसत 0 और विचलन 1 पर लाते हैं। इसके दो तरीक़े हैं। *बैच नॉर्म (batch norm)* स्तंभ में ऊपर से
        नीचे चलता है: एक गुण, सारे नमूने। *लेयर नॉर्म (layer norm)* पंक्ति में चलता है: एक नमूना, उसके सारे गुण।

        पहली पंक्ति (7, 5, 4) लेयर नॉर्म से (1.3363, −0.2673, −1.0690) बनती है और बैच नॉर्म से (1.1859, 1.1667, −0.2041)।`,
    },
    {
      en: `
        Transformers take layer norm. Sentences have different lengths, and in a batch the short ones are filled up with zeros: *padding*. Those zeros sit in the
        columns and distort batch norm’s mean and deviation. Layer norm never sees another row.

        Measured now: the same sentence beside longer and longer neighbours.`,
      hi: `
        ट्रांसफ़ॉर्मर लेयर नॉर्म लेता है। वाक्य छोटे-बड़े होते हैं, और बैच (batch) में छोटे वाक्यों को शून्यों से भरकर बराबर किया जाता है: इसे *पैडिंग (padding)* कहते हैं।
        ये शून्य स्तंभों में बैठकर बैच नॉर्म का औसत और विचलन बिगाड़ देते हैं। लेयर नॉर्म किसी दूसरी पंक्ति को देखता ही नहीं।

        अभी नापा हुआ: वही वाक्य, लंबे-से-लंबे पड़ोसियों के साथ।`,
    },
    {
      en: `
        Then each word, alone, passes through a small network: wider (512 → 2048 in the paper), ReLU, back again. ReLU turns all below zero off; only a
        few neurons fire for a word. Add and norm once more, and a *layer* of the encoder is complete. It is repeated N times, each with weights of its own.

        (The notes norm after adding. The packs that come with this page norm before; it trains more steadily, and the idea is the same.)`,
      hi: `
        फिर हर शब्द अकेला एक छोटे नेटवर्क से गुज़रता है: पहले चौड़ा (शोधपत्र में 512 → 2048), फिर ReLU, फिर वापस। ReLU शून्य से नीचे का सब कुछ बंद कर देता है; एक शब्द
        के लिए थोड़े-से ही न्यूरॉन सक्रिय होते हैं। एक बार फिर जोड़ना और सामान्य करना, और एनकोडर (encoder) की एक *परत* पूरी हुई। ऐसी N परतें होती हैं, हर एक के अपने भार।

        (नोट्स में जोड़ने के बाद नॉर्म है। इस पेज के साथ आने वाले पैक पहले नॉर्म करते हैं; इससे प्रशिक्षण स्थिर रहता है; बात वही है।)`,
    },
  ],
  question: {
    ask: {
      en: "Work out the layer norm of the second row, (2, 3, 4).",
      hi: "दूसरी पंक्ति (2, 3, 4) का लेयर नॉर्म निकालिए।",
    },
    answer: {
      en: `
        Mean: (2 + 3 + 4) / 3 = 3. Differences: −1, 0, 1. Variance: (1 + 0 + 1) / 3 = 0.6667, deviation √0.6667 = 0.8165.

        Divide: −1 / 0.8165 = −1.2247, 0, 1.2247. The third row (1, 2, 3) gives the same: layer norm keeps the shape and forgets the level.`,
      hi: `
        औसत: (2 + 3 + 4) / 3 = 3। अंतर: −1, 0, 1। प्रसरण: (1 + 0 + 1) / 3 = 0.6667, विचलन √0.6667 = 0.8165।

        भाग दें: −1 / 0.8165 = −1.2247, 0, 1.2247। तीसरी पंक्ति (1, 2, 3) भी यही देती है: लेयर नॉर्म बनावट रखता है, ऊँचाई भूल जाता है।`,
    },
  },
  code: [
    ["model/layers.py", "EncoderLayer"],
    ["model/layers.py", "FeedForward"],
    ["explain/formulas.py", "layer_norm"],
  ],
  shown: ["layer_norm", "add_and_norm", "feed_forward"],
  command: 'dhyan explain "How are you" --at enc.0.ffn.hidden',
  labs: ["norms"],
};
