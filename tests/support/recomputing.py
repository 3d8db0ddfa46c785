"""The page recomputes numbers: how to ask it, and for which."""

WORK = """async ([model, text, addresses]) => {
  const page = document.querySelector("script[type=module]").src;  // the same modules as the page's own
  const [{ get }, { Trace, questionOf }, { recompute }] = await Promise.all(
    ["api", "trace", "recompute"].map((name) => import(new URL(`parts/${name}.js`, page))));
  const known = (await get("models")).models.find((one) => one.name === model);
  const trace = await Trace.open(known, questionOf({ text, off: [], force: [], hide: [] }, known));
  return Promise.all(addresses.map(async (address) => {
    const { shown, result, ok, delta } = await recompute(trace, address);
    return [address, shown, result, ok, delta];
  }));
}"""


def addresses(trace, layers):
    """Two numbers of every array that is computed in these layers: one on the diagonal, one that no mask hides."""
    skipped = ("occlusion", "alignment", "dec.lens.probs", "enc.lens.probs", "cls.words.counts")
    found = []
    for name, shape in trace.shapes().items():
        layer = name.split(".")[1] if name.count(".") > 1 else ""
        if name in skipped or not all(shape) or (layer.isdecimal() and int(layer) not in layers):
            continue
        for wanted in ([2, 2, 2], [1, 3, 1]):
            place = [min(one, size - 1) for one, size in zip(wanted[-len(shape) :], shape, strict=True)]
            found.append(f"{name}[{','.join(map(str, place))}]")
    return found
