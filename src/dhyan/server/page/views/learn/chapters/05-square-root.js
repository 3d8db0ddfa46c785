import { squareRoot } from "../stages/square-root.js";

export const chapter = {
  title: { en: "Why divide by √d_k", hi: "√d_k से भाग क्यों" },
  stage: squareRoot,
  uses: ["look", "head"],
  parts: [
    {
      en: `
        A dot product of two vectors of d numbers is a sum of d products. If the numbers have variance Var(x) and know nothing of each other,
        variances add up: the sum has variance d · Var(x). The longer the vectors, the wilder the scores.

        The plot is measured, with random queries and keys.`,
      hi: `
        d संख्याओं वाले दो वेक्टरों का डॉट-गुणनफल d गुणनफलों का जोड़ है। संख्याओं का प्रसरण (variance) Var(x) हो और वे एक-दूसरे से स्वतंत्र हों, तो
        प्रसरण जुड़ते जाते हैं: योग का प्रसरण d · Var(x) होता है। वेक्टर जितने लंबे, अंक उतने ही बेक़ाबू।

        यह आलेख (plot) बेतरतीब क्वेरी और कुंजियों से नापा गया है।`,
    },
    {
      en: `
        Softmax does not take that well. With large differences the largest score takes nearly everything: softmax *saturates*. A choice of one is no
        mixture any more, and its gradient is nearly zero, so nothing is learnt through it.

        Var(cX) = c² Var(X). Choose c = 1/√d, and d · Var(x) becomes Var(x) again, at any size. Move the slider.`,
      hi: `
        softmax को यह रास नहीं आता। अंतर बड़े हों तो सबसे बड़ा अंक लगभग सब कुछ ले लेता है: softmax *संतृप्त (saturated)* हो जाता है। फिर वह मिश्रण
        नहीं रहा, किसी एक का चुनाव हो गया; और उसका ग्रेडिएंट (gradient) लगभग शून्य है, इसलिए उससे होकर कुछ सीखा नहीं जा सकता।

        Var(cX) = c² Var(X)। c = 1/√d लें तो d · Var(x) फिर से Var(x) हो जाता है, आकार चाहे जो हो। स्लाइडर खिसकाकर देखें।`,
    },
    {
      en: `
        And in your sentence? On the left, what this head would do with undivided scores; on the right, what it does. The weights
        on the right are the model’s own. (It was trained with the division: take it away, and its habits become a caricature.)`,
      hi: `
        और आपके वाक्य में? बाईं ओर वह है जो यह हेड बिना भाग दिए करता; दाईं ओर वह जो वह सचमुच करता है। दाईं ओर के भार मॉडल के अपने हैं।
        (वह भाग देकर ही सीखा है: भाग हटा दें तो उसकी आदतें अतिशयोक्ति बन जाती हैं।)`,
    },
  ],
  question: {
    ask: {
      en: "The numbers in q and k are independent with mean 0 and variance 1, d_k = 64. What is the variance of q · k, its standard deviation, and both after the division?",
      hi: "q और k की संख्याएँ स्वतंत्र हैं, औसत 0, प्रसरण 1, और d_k = 64। q · k का प्रसरण और मानक विचलन कितना है, और भाग देने के बाद दोनों कितने?",
    },
    answer: {
      en: `
        One product of two such numbers has variance 1 · 1 = 1. There are 64 of them: the variance of the sum is 64, its standard deviation √64 =
        8. So scores of ±16 are nothing unusual, and e¹⁶ is about 9 million.

        Dividing by 8: variance 64 / 8² = 1, standard deviation 1. Scores of ±2; e² is 7.4. Softmax stays a mixture.`,
      hi: `
        ऐसी दो संख्याओं के एक गुणनफल का प्रसरण 1 · 1 = 1 है। ऐसे 64 हैं: योग का प्रसरण 64, मानक विचलन √64 = 8। यानी ±16 के अंक आम बात हैं, और
        e¹⁶ क़रीब 90 लाख होता है।

        8 से भाग दें: प्रसरण 64 / 8² = 1, मानक विचलन 1। अब अंक ±2 के आसपास हैं; e² = 7.4। softmax मिश्रण ही बना रहता है।`,
    },
  },
  code: [
    ["model/attention.py", "attention"],
    ["lab/experiments/sqrt_dk_numpy.py", ""],
  ],
  shown: ["attention"],
  command: "dhyan lab sqrt-dk",
  labs: ["sqrt-dk"],
};
