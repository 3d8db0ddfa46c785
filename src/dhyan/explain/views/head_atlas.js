// Draws every head atlas on the page that is not drawn yet: small heat maps of all heads, one of them large.
// It stands in a notebook beside the data, so it is one plain script: no module, no request, no name left behind.
(() => {
  const WIDE = 60; // of a small heat map, in pixels
  const SVG = "http://www.w3.org/2000/svg";

  /** Weights as they were packed: 16 bits each, 65535 for 1. */
  const unpacked = (text) => {
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    return new Uint16Array(bytes.buffer);
  };

  const element = (name, attributes = {}, ...inside) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...inside);
    return made;
  };

  const shape = (name, attributes, text = "") => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    made.textContent = text;
    return made;
  };

  const draw = (/** @type {HTMLElement} */ root) => {
    const atlas = JSON.parse(root.dataset.atlas);
    const heads = atlas.parts.flatMap((part) => {
      const weights = unpacked(part.weights);
      const cells = part.rows.length * part.columns.length;
      return part.heads.map((name, number) => {
        return { name, part, weights: weights.subarray(number * cells, (number + 1) * cells) };
      });
    });
    const said = element("p", { class: "said", "aria-live": "polite" });
    const stage = element("div", { class: "stage" });
    const wall = element("div", { class: "wall" });
    let shown = null;

    const weightAt = (head, row, column) => head.weights[row * head.part.columns.length + column] / 65535;
    const tell = (head, row, column) => {
      const from = head.part.predicting ? `predicting “${head.part.rows[row]}”, it looks at` : `“${head.part.rows[row]}” looks at`;
      said.textContent = `${head.name}: ${from} “${head.part.columns[column]}”: ${weightAt(head, row, column).toFixed(3)}`;
    };

    const small = (head) => {
      const { rows, columns } = head.part;
      const canvas = element("canvas", { width: columns.length, height: rows.length });
      const paint = () => {
        const brush = canvas.getContext("2d");
        brush.clearRect(0, 0, columns.length, rows.length);
        brush.fillStyle = getComputedStyle(root).getPropertyValue("--accent");
        for (let row = 0; row < rows.length; row++) {
          for (let column = 0; column < columns.length; column++) {
            brush.globalAlpha = weightAt(head, row, column);
            brush.fillRect(column, row, 1, 1);
          }
        }
      };
      canvas.style.width = `${WIDE}px`;
      canvas.style.height = `${Math.min(WIDE * 1.5, (WIDE * rows.length) / columns.length)}px`;
      paint();
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
      const button = element("button", { type: "button", "aria-pressed": "false", "aria-label": `enlarge ${head.name}` }, canvas);
      button.append(element("span", {}, head.name.replace(`${head.part.name}.`, "")));
      button.addEventListener("click", () => enlarge(head));
      canvas.addEventListener("mousemove", (event) => {
        const box = canvas.getBoundingClientRect();
        const inside = (share, count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
        tell(
          head,
          inside((event.clientY - box.top) / box.height, rows.length),
          inside((event.clientX - box.left) / box.width, columns.length),
        );
      });
      head.button = button;
      return button;
    };

    const enlarge = (head) => {
      shown?.button.setAttribute("aria-pressed", "false");
      shown = head;
      head.button.setAttribute("aria-pressed", "true");
      const { rows, columns } = head.part;
      const side = Math.max(6, Math.min(30, 420 / columns.length));
      const size = Math.min(13, side - 1); // of the letters
      const cut = (label) => (label.length > 14 ? `${label.slice(0, 13)}…` : label);
      const room = (labels) => Math.max(...labels.map((label) => cut(label).length)) * size * 0.62 + 10;
      const [left, top] = [room(rows), room(columns) * 0.75 + 6];
      const width = left + columns.length * side + room(columns.slice(-1)) * 0.75;
      const height = top + rows.length * side + 4;
      const picture = shape("svg", {
        viewBox: `0 0 ${width} ${height}`, width, height, role: "img", tabindex: 0, "font-size": size,
        "aria-label": `${head.name}: the arrow keys read its weights`,
      });
      columns.forEach((label, column) => {
        const [x, y] = [left + (column + 0.6) * side, top - 5];
        picture.append(shape("text", { x, y, transform: `rotate(-45 ${x} ${y})` }, cut(label)));
      });
      rows.forEach((label, row) => {
        const y = top + (row + 0.5) * side + size * 0.35;
        picture.append(shape("text", { x: left - 6, y, "text-anchor": "end" }, cut(label)));
      });
      const cells = [];
      rows.forEach((_, row) => {
        columns.forEach((_, column) => {
          const at = { x: left + column * side, y: top + row * side, width: side, height: side };
          const cell = shape("rect", { ...at, "fill-opacity": weightAt(head, row, column).toFixed(3) });
          cell.addEventListener("mouseenter", () => point(row, column));
          cells.push(cell);
        });
      });
      picture.append(...cells);
      const here = [0, 0];
      const point = (row, column) => {
        cells[here[0] * columns.length + here[1]].classList.remove("here");
        here[0] = Math.max(0, Math.min(rows.length - 1, row));
        here[1] = Math.max(0, Math.min(columns.length - 1, column));
        const cell = cells[here[0] * columns.length + here[1]];
        cell.classList.add("here");
        picture.append(cell); // in front, so that its edge is seen
        tell(head, here[0], here[1]);
      };
      const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
      picture.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
        const step = steps[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation(); // a notebook has arrow keys of its own
        point(here[0] + step[0], here[1] + step[1]);
      });
      stage.replaceChildren(element("h4", {}, head.name), picture);
      said.textContent = `${head.name}: point at a cell`;
    };

    for (const part of atlas.parts) {
      const row = element("div", { class: "part", role: "group", "aria-label": part.name }, element("h4", {}, part.name));
      row.append(...heads.filter((head) => head.part === part).map(small));
      wall.append(row);
    }
    root.querySelector(".drawn").replaceChildren(said, element("div", { class: "both" }, wall, stage));
    enlarge(heads[0]);
  };

  for (const root of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".dhyan-atlas:not([data-drawn])"))) {
    root.dataset.drawn = "";
    draw(root);
  }
})();
