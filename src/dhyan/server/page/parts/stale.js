// What is of another text than the one in the box is grey: that one is being written, waited for, or was refused.

/**
 * form: what stands behind it is grey while it has the class `stale`. boxes: where the texts are written.
 * shown(): the texts that what is seen belongs to; null while there is nothing to be seen.
 * Returns what looks again, for whoever shows something new.
 */
export function greyWhatIsStale(form, boxes, shown) {
  const look = () => {
    const texts = shown();
    form.classList.toggle("stale", Boolean(texts?.some((text, at) => text.trim() !== boxes[at].value.trim())));
  };
  for (const box of boxes) box.addEventListener("input", look);
  return look;
}
