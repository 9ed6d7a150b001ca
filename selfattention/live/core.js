// What live figures are made of. No file here imports or exports: the same text becomes
// a module in Jupyter and part of one classic script on the pages of the book.

const element = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
};

const drawn = (tag, attributes = {}, ...children) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
};

// A name that nothing else on the page has: radio buttons of one name exclude each other.
const unique = () => `live-${Math.random().toString(36).slice(2)}`;

// Change parts of the state, in the order given, and tell the kernel if there is one.
const change = (model, parts) => {
  for (const [name, value] of Object.entries(parts)) model.set(name, value);
  model.save_changes();
};

const watch = (model, names, redraw) => {
  for (const name of names) model.on(`change:${name}`, redraw);
};

const colour = (index) => `var(--live-token-${index % 8})`;

// Numbers, written as figure.py writes them.

const scientific = (number) => number.toExponential(1).replace("e+", "e");

// Four decimals, or powers of ten where those would show none of the number.
const fixed = (number) => {
  if (number === 0) return "0";
  return Math.abs(number) < 1e-3 ? scientific(number) : number.toFixed(4);
};

// At most three decimals, and none that are 0.
const short = (number) => {
  if (number === 0) return "0";
  const size = Math.abs(number);
  return size >= 1e-3 && size < 1e5
    ? String(Number(number.toFixed(3)))
    : scientific(number);
};

// So many decimals, and no sign before zeros.
const decimals = (digits) => (number) => {
  const text = number.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
};

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// The weights of a row of scores. The largest score is subtracted first, which changes
// no weight and keeps every exponential at most 1.
const softmax = (scores) => {
  const largest = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - largest));
  const total = sum(exponentials);
  return exponentials.map((exponential) => exponential / total);
};

const dot = (a, b) => sum(a.map((number, i) => number * b[i]));

// Make `el` the box of a figure.
const frame = (el, label) => {
  el.classList.add("live-figure");
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", label);
  // JupyterLab would take the arrow keys of whatever has the focus for its own shortcuts.
  el.addEventListener("focusin", (event) => {
    event.target.dataset.lmSuppressShortcuts = "true";
  });
};

// Keep so many rows of the page free for a figure, as LiveFigure.rows in Python does.
const keepRows = (el, rows) => el.style.setProperty("--live-rows", rows);

// Groups of parts side by side where there is room, else one below the other.
const columns = (...groups) => {
  const made = groups.map((group) => element("div", {}, ...group));
  return element("div", { class: "live-columns" }, ...made);
};

// The last lines of a figure: what can be done with it.
const note = (text) => element("p", { class: "live-note" }, text);

// A slider over the positions 0 to `last`, three rows high. `ticks` are pairs of a
// position and what is written under it. `set` moves it and says what it stands for.
const slider = ({ label, last, ticks, oninput }) => {
  const input = element("input", { type: "range", min: 0, max: last, step: 1 });
  input.addEventListener("input", () => oninput(Number(input.value)));
  const value = element("span", { class: "live-value" });
  const name = element("label", { class: "live-slider-label" }, label, input);
  const marks = ticks.map(([position, text]) =>
    element("span", { style: `--live-at: ${position / last}` }, text),
  );
  const scale = element("div", { class: "live-ticks", "aria-hidden": true }, ...marks);
  return {
    node: element("div", { class: "live-slider" }, name, value, scale),
    set(position, text) {
      input.value = position;
      input.setAttribute("aria-valuetext", text);
      value.textContent = text;
    },
  };
};

// A slider for a factor from 0 to 100: 0, then twenty steps to each power of ten from 0.1.
const factorSlider = (label, model) => {
  const stops = [0];
  for (let step = 0; step <= 60; step += 1) {
    stops.push(Number((0.1 * 10 ** (step / 20)).toPrecision(3)));
  }
  const last = stops.length - 1;
  const nearest = (factor) => {
    if (factor === 0) return 0;
    const step = Math.round(20 * Math.log10(factor / 0.1));
    return Math.min(Math.max(1 + step, 1), last);
  };
  const { node, set } = slider({
    label,
    last,
    ticks: [0, 1, 10, 100].map((factor) => [nearest(factor), factor]),
    oninput: (position) => change(model, { factor: stops[position] }),
  });
  return { node, set: (factor) => set(nearest(factor), `×${short(factor)}`) };
};

const button = (text, onclick) => {
  const node = element("button", { type: "button", class: "live-button" }, text);
  node.addEventListener("click", onclick);
  return node;
};

// Buttons side by side, one row high.
const controls = (...nodes) => element("div", { class: "live-controls" }, ...nodes);

// One of several, as radio buttons, two rows high. `options` are pairs of a value and
// its text. With `tokens`, each has the colour of its token.
const choice = ({ legend, options, onchange, tokens = false }) => {
  const name = unique();
  const inputs = options.map(([value]) => {
    const input = element("input", { type: "radio", name });
    input.addEventListener("change", () => onchange(value));
    return input;
  });
  const labels = options.map(([, text], i) =>
    element(
      "label",
      tokens ? { style: `border-color: ${colour(i)}` } : {},
      inputs[i],
      element("span", {}, text),
    ),
  );
  const node = element("fieldset", { class: "live-choice" });
  node.append(element("legend", {}, legend), element("div", {}, ...labels));
  if (tokens) node.classList.add("live-tokens");
  return {
    node,
    set(chosen) {
      inputs.forEach((input, i) => (input.checked = options[i][0] === chosen));
    },
  };
};

// One of many, as a list that opens. `set` takes the texts and which one is chosen.
const picker = (label, onchange) => {
  const select = element("select");
  select.addEventListener("change", () => onchange(select.selectedIndex));
  let offered;
  return {
    node: element("label", { class: "live-picker" }, element("span", {}, label), select),
    set(texts, chosen) {
      if (offered !== texts.join("\n")) {
        offered = texts.join("\n");
        select.replaceChildren(...texts.map((text) => element("option", {}, text)));
      }
      select.selectedIndex = chosen;
    },
  };
};

// A number on the page that keeps all its digits for whoever reads the page by program.
const datum = (write = fixed) => {
  const node = element("data", { class: "live-value" });
  return {
    node,
    set(number) {
      node.value = number;
      node.textContent = write(number);
    },
  };
};

// A name and its number, or its numbers, one row high.
const readout = (name, { count = 1, write = fixed } = {}) => {
  const numbers = Array.from({ length: count }, () => datum(write));
  const node = element("div", { class: "live-readout" }, element("span", {}, name));
  node.append(...numbers.map((number) => number.node));
  return { node, set: (...values) => numbers.forEach((n, i) => n.set(values[i])) };
};

// A line of text that takes so many rows, however much of it there is.
const line = (rows) => {
  const node = element("p", { class: "live-line", style: `--live-rows: ${rows}` });
  return { node, set: (text) => (node.textContent = text) };
};

// One bar: a label, its length as part of 1, and the number. One row high.
const bar = (index, write) => {
  const fill = element("div", {
    class: "live-bar-fill",
    style: `background: ${colour(index)}`,
  });
  const track = element("div", { class: "live-bar-track" }, fill);
  const number = datum(write);
  const name = element("span");
  return {
    node: element(
      "div", { class: "live-bar", role: "listitem" }, name, track, number.node,
    ),
    set(label, value) {
      name.textContent = label;
      fill.style.width = `${100 * value}%`;
      number.set(value);
    },
  };
};

// Bars from 0 to 1 with a heading, one row each. They are made anew only when there are
// more or fewer, so that a bar grows and shrinks.
const bars = (left, right, write = fixed) => {
  const heading = element("div", { class: "live-bars-heading" });
  heading.append(element("span", {}, left), element("span", {}, right));
  const list = element("div", { class: "live-bars-list", role: "list" });
  let rows = [];
  return {
    node: element("div", { class: "live-bars" }, heading, list),
    set(labels, values) {
      if (labels.length !== rows.length) {
        rows = labels.map((_, i) => bar(i, write));
        list.replaceChildren(...rows.map((row) => row.node));
      }
      rows.forEach((row, i) => row.set(labels[i], values[i]));
    },
  };
};

// A matrix with a name for each row and column. `set` is given the names and, for each
// cell, its number, how dark it is from 0 to 1, and whether it is lit; a cell without a
// number stays empty. `make(i, j)` makes a cell, and `rowName(text, i)` a name of a row,
// that is more than a number or a text.
const matrix = (caption, { write = decimals(2), make, rowName } = {}) => {
  const title = element("div", { class: "live-matrix-title" }, caption);
  const table = element("div", { role: "table", "aria-label": caption });
  table.className = "live-matrix";
  const cell = (i, j) => {
    const number = datum(write);
    const node = element("div", { role: "cell" });
    return {
      node,
      set(value) {
        node.replaceChildren(...(value === undefined ? [] : [number.node]));
        if (value !== undefined) number.set(value);
      },
    };
  };
  let named = "";
  let cells = [];
  const name = (role, text) => element("div", { role }, element("span", {}, text));
  const rebuild = (rows, columns) => {
    cells = rows.map((_, i) => columns.map((_, j) => (make ?? cell)(i, j)));
    const corner = element("div", { role: "cell" });
    const heads = columns.map((text) => name("columnheader", text));
    const body = cells.map((row, i) =>
      element(
        "div",
        { role: "row" },
        rowName
          ? element("div", { role: "rowheader" }, rowName(rows[i], i))
          : name("rowheader", rows[i]),
        ...row.map((one) => one.node),
      ),
    );
    table.style.setProperty("--live-columns", columns.length);
    const top = element("div", { role: "row", class: "live-heads" }, corner, ...heads);
    const level = columns.every((text) => String(text).length <= 2);
    top.classList.toggle("live-level", level);
    table.replaceChildren(top, ...body);
  };
  return {
    node: element("div", {}, title, table),
    table,
    set(rows, columns, look) {
      const names = JSON.stringify([rows, columns]);
      if (names !== named) rebuild(rows, columns);
      named = names;
      cells.forEach((row, i) =>
        row.forEach((one, j) => {
          const { number, shade = 0, lit = false } = look(i, j);
          const looks = `${number} ${shade} ${lit}`;
          if (one.looks === looks) return;
          one.looks = looks;
          one.set(number);
          one.node.style.setProperty("--live-shade", shade);
          one.node.classList.toggle("live-lit", lit);
        }),
      );
    },
  };
};

// The plane, upright: 1 on its axes is `unit` long, and ±160 of these fit in.
const plane = (label) =>
  drawn("svg", {
    class: "live-plane", viewBox: "-160 -160 320 320", role: "group",
    "aria-label": label,
  });

// What marks a point, about the origin: its shape says what kind of thing it is.
const mark = (shape, attributes) => {
  if (shape === "disc") return drawn("circle", { r: 8, ...attributes });
  const path = shape === "square" ? "M-7-7H7V7H-7Z" : "M0-9L9 7H-9Z";
  return drawn("path", { d: path, ...attributes });
};

const place = (node, [x, y]) => node.setAttribute("transform", `translate(${x} ${-y})`);

// Turn around the middle of a plane, by pointer or by keys: a slider over the degrees.
// Arrow keys go by 5°, with Shift by 1°, Page Up and Down by 30°, Home to 0°.
const turner = (svg, node, { label, onturn }) => {
  const all = { tabindex: 0, role: "slider", "aria-label": label };
  Object.assign(all, { "aria-valuemin": 0, "aria-valuemax": 360 });
  for (const [name, value] of Object.entries(all)) node.setAttribute(name, value);
  node.classList.add("live-handle");
  const turn = 2 * Math.PI;
  const onto = (angle) => onturn(((angle % turn) + turn) % turn);
  let angle = 0;
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    node.setPointerCapture(event.pointerId);
    node.focus({ preventScroll: true });
    event.preventDefault(); // no text is selected by dragging
  });
  node.addEventListener("pointermove", (event) => {
    if (!node.hasPointerCapture(event.pointerId)) return;
    const box = svg.getBoundingClientRect();
    const x = event.clientX - box.left - box.width / 2;
    const y = event.clientY - box.top - box.height / 2;
    if (x !== 0 || y !== 0) onto(Math.atan2(-y, x));
  });
  node.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 1 : 5;
    const by = {
      ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step,
      PageUp: 30, PageDown: -30,
    }[event.key];
    if (by === undefined && event.key !== "Home") return;
    event.preventDefault();
    onto(by === undefined ? 0 : angle + (by * Math.PI) / 180);
  });
  return (present, text) => {
    angle = present;
    const degrees = Math.round(((((present % turn) + turn) % turn) * 180) / Math.PI);
    node.setAttribute("aria-valuenow", degrees);
    node.setAttribute("aria-valuetext", `${degrees} degrees${text}`);
  };
};

// Says what has changed to readers who do not see it: politely, and only once things
// have been still for half a second, so that dragging does not pour out numbers.
const announcer = () => {
  const node = element("p", { class: "live-announcement", role: "status" });
  node.setAttribute("aria-live", "polite");
  let timer;
  return {
    node,
    say(text) {
      clearTimeout(timer);
      timer = setTimeout(() => (node.textContent = text), 500);
    },
    silence: () => clearTimeout(timer),
  };
};
