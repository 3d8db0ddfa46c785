// What is drawn by hand (canvases, links) is drawn again when the colours change or when its room does. One listener
// and one observer serve all of it and hold on to none of it: what is no longer shown is forgotten.

const drawings = new WeakMap(); // element → how it is drawn
const shown = new WeakSet(); // what has been on the page: whatever else comes with it may take a while

const room = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.isConnected) {
      shown.add(target);
      drawings.get(target)();
    } else if (shown.has(target)) room.unobserve(target); // it would keep its callback, and what that refers to, for as long as it is observed
  }
});

window.addEventListener("dhyan-theme", () => {
  for (const element of document.querySelectorAll("[data-drawn]")) drawings.get(element)();
});

/** Call `draw` whenever the colours change while the element is shown. */
export function whenColoursChange(element, draw) {
  drawings.set(element, draw);
  element.dataset.drawn = "";
}

/** Call `draw` whenever the element's size changes, the first size included, and whenever the colours do. */
export function whenRoomChanges(element, draw) {
  whenColoursChange(element, draw);
  room.observe(element);
}
