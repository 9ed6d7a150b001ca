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

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// The weights of a row of scores. The largest score is subtracted first, which changes
// no weight and keeps every exponential at most 1.
const softmax = (scores) => {
  const largest = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - largest));
  const total = sum(exponentials);
  return exponentials.map((exponential) => exponential / total);
};

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

// A number on the page that keeps all its digits for whoever reads the page by program.
const datum = () => {
  const node = element("data", { class: "live-value" });
  return {
    node,
    set(number) {
      node.value = number;
      node.textContent = fixed(number);
    },
  };
};

// A name and its number, one row high.
const readout = (name) => {
  const number = datum();
  const node = element("div", { class: "live-readout" }, element("span", {}, name));
  node.append(number.node);
  return { node, set: number.set };
};

// One bar: a label, its length as part of 1, and the number. One row high.
const bar = (label, index) => {
  const fill = element("div", {
    class: "live-bar-fill",
    style: `background: var(--live-token-${index % 8})`,
  });
  const track = element("div", { class: "live-bar-track" }, fill);
  const number = datum();
  const name = element("span", {}, label);
  return {
    node: element(
      "div", { class: "live-bar", role: "listitem" }, name, track, number.node,
    ),
    set(value) {
      fill.style.width = `${100 * value}%`;
      number.set(value);
    },
  };
};

// Bars from 0 to 1 with a heading, one row each. They are made anew only when their
// labels change, so that a bar grows and shrinks.
const bars = (left, right) => {
  const heading = element("div", { class: "live-bars-heading" });
  heading.append(element("span", {}, left), element("span", {}, right));
  const list = element("div", { class: "live-bars-list", role: "list" });
  let labelled = [];
  let rows = [];
  return {
    node: element("div", { class: "live-bars" }, heading, list),
    set(labels, values) {
      if (labels.join("\n") !== labelled.join("\n")) {
        labelled = labels;
        rows = labels.map(bar);
        list.replaceChildren(...rows.map((row) => row.node));
      }
      rows.forEach((row, i) => row.set(values[i]));
    },
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
