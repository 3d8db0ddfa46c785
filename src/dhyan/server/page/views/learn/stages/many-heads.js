// One word as each head of a layer sees it; all heads of the encoder at a glance; what each adds to the sum behind W_O.

import { button, h, language } from "../../../parts/dom.js";
import { formula } from "../../../parts/notation.js";
import { short } from "../../../parts/numbers.js";
import { go } from "../../../parts/url-state.js";
import { headChooser, wordChooser } from "../controls.js";
import { bars, mixture, painting, reading, scene } from "../pictures.js";
import { prose, say } from "../say.js";
import { dot, length } from "../worked.js";

export async function manyHeads(lesson) {
  const trace = await lesson.trace();
  const a = trace.architecture;
  const { tokens } = trace.info.source;
  const look = lesson.look(tokens);
  const head = lesson.head(a);
  const [weights, share, output, attention] = await Promise.all([
    trace.numbers(`${head.part}.weights[:,${look},:]`),
    trace.numbers(`${head.part}.share[:,${look},:]`),
    trace.numbers(`${head.part}.output[${look}]`),
    trace.attention(),
  ]);
  const size = a.d_model / a.heads;
  const heads = Array.from({ length: a.heads }, (_, index) => index);
  const total = dot(output.data, output.data);
  return {
    scenes: [
      scene(
        0,
        say(
          `“${tokens[look].text}” through the ${a.heads} heads of layer ${head.layer + 1}`,
          `परत ${head.layer + 1} के ${a.heads} हेड की नज़र से “${tokens[look].text}”`,
        ),
        heads.map((one) =>
          mixture(
            `h${one}`,
            tokens.map((token, j) => [token.text, weights.at(one, j), `${head.part}.h${one}.weights[${look},${j}]`]),
          ),
        ),
        wordChooser(tokens, look),
      ),
      scene(
        1,
        say(`All ${a.encoder_layers * a.heads} heads of the encoder`, `एनकोडर के सभी ${a.encoder_layers * a.heads} हेड`),
        h(
          "div",
          { class: "head-wall", style: { "--across": a.heads } },
          Array.from({ length: a.encoder_layers }, (_, layer) => {
            const part = `enc.${layer}.self`;
            return heads.map((one) => thumbnail(`${part}.h${one}`, attention.get(part), one, head.name));
          }),
        ),
        reading(
          h("code", null, head.name),
          " ",
          prose(say("is marked. A row looks, a column is looked at.", "चुना हुआ है। पंक्ति देखती है, स्तंभ देखा जाता है।")),
        ),
      ),
      scene(
        2,
        say(
          `Side by side, then W_O: what each head adds to “${tokens[look].text}”`,
          `साथ रखकर W_O से गुणा: हर हेड “${tokens[look].text}” में क्या जोड़ता है`,
        ),
        formula("output"),
        h(
          "div",
          { class: "concat", "aria-hidden": "true" },
          heads.map((one) => h("span", null, `Z${"₀₁₂₃₄₅₆₇₈₉"[one] ?? one}`)),
          h("b", null, prose("→ W_O → Z")),
        ),
        bars(
          heads.map((one) => [`h${one}`, length(Array.from(share.row(one))), null]),
          { digits: 2 },
        ),
        reading(
          say(
            `Length of each head's share. Their sum, with the bias, is a vector of length ${short(Math.sqrt(total), 2)}.`,
            `हर हेड के हिस्से की लंबाई। सबका योग, बायस (bias) सहित, ${short(Math.sqrt(total), 2)} लंबा वेक्टर है।`,
          ),
        ),
        h(
          "p",
          { class: "muted" },
          say(
            `Each head projects ${a.d_model} numbers to ${size}; the original paper had 8 heads, 512 to 64.`,
            `हर हेड ${a.d_model} संख्याओं को ${size} पर लाता है; मूल शोधपत्र में 8 हेड थे, 512 से 64।`,
          ),
        ),
        headChooser(a, head),
      ),
    ],
  };
}

/** A head's weights, one pixel each. */
function thumbnail(name, { shape, shades }, one, chosen) {
  const [, rows, columns] = shape;
  const canvas = painting({}, columns, rows, (pen, colour) => {
    pen.fillStyle = colour("accent");
    for (let index = 0; index < rows * columns; index += 1) {
      pen.globalAlpha = Math.sqrt(shades[one * rows * columns + index] / 255);
      pen.fillRect(index % columns, Math.floor(index / columns), 1, 1);
    }
  });
  return button(canvas, () => go({ head: name }, true), {
    "aria-label": name,
    title: name,
    "aria-pressed": String(name === chosen),
    "data-key": `head-${name}`,
    lang: language(name),
  });
}
