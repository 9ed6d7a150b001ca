// A mask that can be clicked together. The numbers are those of mask.py.

const SOFTMAXES = {
  // The book's: 0 where nothing may be attended to.
  book: (scores, allowed) => {
    if (!allowed.includes(true)) return scores.map(() => 0);
    return softmax(scores.map((score, j) => (allowed[j] ? score : -Infinity)));
  },
  // −∞ less −∞ is not a number, and no weight of that row is.
  plain: (scores, allowed) =>
    softmax(scores.map((score, j) => (allowed[j] ? score : -Infinity))),
  large: (scores, allowed) =>
    softmax(scores.map((score, j) => (allowed[j] ? score : -1e9))),
};

const OUTCOMES = {
  book: "the book's softmax makes all its weights 0",
  plain: "plain softmax divides 0 by 0, and NaN spreads to all that uses it",
  large: "all its scores are −10⁹, and the weights are shared out evenly after all",
};

const render = ({ model, el }) => {
  const presets = {
    none: () => true,
    causal: (i, j) => j <= i,
    padding: (i, j) => j < model.get("length"),
    both: (i, j) => j <= i && j < model.get("length"),
    all: () => false,
  };
  const built = (rule) => model.get("scores").map((row, i) => row.map((_, j) => rule(i, j)));
  const preset = choice({
    legend: "Mask",
    options: Object.keys(presets).map((name) => [name, name]),
    onchange: (name) => change(model, { mask: built(presets[name]) }),
  });
  const kind = choice({
    legend: "Softmax",
    options: [["book", "the book's"], ["plain", "plain, −∞"], ["large", "plain, −10⁹"]],
    onchange: (softmax) => change(model, { softmax }),
  });
  const toggle = (i, j) =>
    change(model, {
      mask: model.get("mask").map((row, a) =>
        row.map((allowed, b) => (a === i && b === j ? !allowed : allowed)),
      ),
    });

  // One cell of the mask can be reached by Tab; arrow keys go from cell to cell.
  let grid = [];
  let at = [0, 0];
  const focusOn = (i, j) => {
    grid[at[0]]?.[at[1]]?.setAttribute("tabindex", -1);
    at = [i, j];
    grid[i][j].setAttribute("tabindex", 0);
  };
  const make = (i, j) => {
    const press = element("button", { type: "button", class: "live-press" });
    press.setAttribute("tabindex", i === 0 && j === 0 ? 0 : -1);
    press.addEventListener("click", () => toggle(i, j));
    press.addEventListener("focus", () => focusOn(i, j));
    press.addEventListener("keydown", (event) => {
      const step = {
        ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      }[event.key];
      if (!step) return;
      event.preventDefault();
      grid[i + step[0]]?.[j + step[1]]?.focus();
    });
    (grid[i] ??= [])[j] = press;
    return {
      node: element("div", { role: "cell" }, press),
      set(allowed) {
        const [asks, asked] = [model.get("tokens")[i], model.get("tokens")[j]];
        press.textContent = allowed ? "✓" : "–";
        press.setAttribute("aria-pressed", allowed);
        press.setAttribute("aria-label", `${asks} may attend to ${asked}`);
      },
    };
  };
  const maskMatrix = matrix("May attend: click a cell", { make });
  const weightsMatrix = matrix("Weights, and their sum");
  maskMatrix.node.classList.add("live-presses");
  weightsMatrix.node.classList.add("live-presses");
  const verdict = line(3);
  const news = announcer();

  let drawnFor;
  const draw = () => {
    const [tokens, scores] = [model.get("tokens"), model.get("scores")];
    const [mask, softmaxName] = [model.get("mask"), model.get("softmax")];
    if (drawnFor !== JSON.stringify(tokens)) {
      [grid, at] = [[], [0, 0]];
    }
    drawnFor = JSON.stringify(tokens);
    const weights = scores.map((row, i) => SOFTMAXES[softmaxName](row, mask[i]));
    const sums = weights.map(sum);
    maskMatrix.set(tokens, tokens, (i, j) => ({
      number: mask[i][j], shade: mask[i][j] ? 1 : 0,
    }));
    weightsMatrix.set(tokens, [...tokens, "sum"], (i, j) => {
      const inside = j < tokens.length;
      return {
        number: inside ? weights[i][j] : sums[i],
        shade: inside ? weights[i][j] || 0 : 0,
        lit: !mask[i].includes(true),
      };
    });
    const same = Object.keys(presets).find(
      (name) => JSON.stringify(built(presets[name])) === JSON.stringify(mask),
    );
    preset.set(same);
    kind.set(softmaxName);
    const empty = tokens.filter((_, i) => !mask[i].includes(true));
    const text = empty.length
      ? `May attend to nothing: ${empty.join(", ")}. Such a row: ${OUTCOMES[softmaxName]}.`
      : "Every row may attend to something, and every row sums to 1.";
    verdict.set(text);
    return text;
  };
  const redraw = () => news.say(draw());

  frame(el, "Masking");
  draw();
  el.append(
    columns([preset.node], [kind.node]),
    columns([maskMatrix.node], [weightsMatrix.node]),
    verdict.node,
    note("Arrow keys go from cell to cell, Space allows or forbids."),
    news.node,
  );
  watch(model, ["tokens", "scores", "mask", "length", "softmax"], redraw);
  return news.silence;
};
