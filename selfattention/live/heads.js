// The heads of a trained model, one at a time. heads.py says how weights are written.

const three = decimals(3);

// The weights of one head, (T, T): two digits of base 32 for each thousandth.
const decode = ([tokens, , heads, digits], layer, head) => {
  const T = tokens.length;
  const start = 2 * T * T * (layer * heads + head);
  const weight = (i, j) => {
    const at = start + 2 * (T * i + j);
    return parseInt(digits.slice(at, at + 2), 32) / 1000;
  };
  return tokens.map((_, i) => tokens.map((_, j) => weight(i, j)));
};

const render = ({ model, el }) => {
  const news = announcer();
  const sentencePicker = picker("Sentence", (sentence) => {
    const T = model.get("sentences")[sentence][0].length;
    change(model, { row: Math.min(model.get("row"), T - 1), sentence });
  });
  const layerPicker = picker("Layer", (layer) => change(model, { layer }));
  const headPicker = picker("Head", (head) => change(model, { head }));
  const group = unique();
  let radios = [];
  const map = matrix("A row per query, a column per key", {
    write: three,
    rowName(token, i) {
      const radio = element("input", { type: "radio", name: group });
      radio.addEventListener("change", () => change(model, { row: i }));
      radios[i] = radio;
      return element("label", {}, radio, element("span", {}, token));
    },
  });
  map.node.classList.add("live-map");
  const rowBars = bars("key", "weight", three);
  const rowTitle = element("div", { class: "live-matrix-title" });

  // A row under the pointer is shown instead of the chosen one, until the pointer leaves.
  let hovered;
  const rowOf = (target) => {
    const row = target.closest('[role="row"]:not(.live-heads)');
    return row ? [...map.table.children].indexOf(row) - 1 : undefined;
  };
  map.table.addEventListener("pointerover", (event) => hover(rowOf(event.target)));
  map.table.addEventListener("pointerleave", () => hover(undefined));
  map.table.addEventListener("click", (event) => {
    const row = rowOf(event.target);
    if (row !== undefined && !event.target.closest("label")) radios[row].click();
  });

  let weights;
  const drawRow = () => {
    const tokens = model.get("sentences")[model.get("sentence")][0];
    const row = hovered < tokens.length ? hovered : model.get("row");
    rowTitle.textContent = `What ${tokens[row]} attends to`;
    rowBars.set(tokens, weights[row]);
    const best = weights[row].indexOf(Math.max(...weights[row]));
    return `${tokens[row]} gives ${three(weights[row][best])} to ${tokens[best]}.`;
  };
  const hover = (row) => {
    if (row === hovered) return;
    hovered = row;
    drawRow();
  };

  const draw = () => {
    const [sentences, sentence] = [model.get("sentences"), model.get("sentence")];
    const [layer, head] = [model.get("layer"), model.get("head")];
    const [tokens, layers, heads] = sentences[sentence];
    const count = (length) => Array.from({ length }, (_, i) => String(i));
    sentencePicker.set(sentences.map(([words]) => words.join(" ")), sentence);
    layerPicker.set(count(layers), layer);
    headPicker.set(count(heads), head);
    weights = decode(sentences[sentence], layer, head);
    map.set(tokens, tokens, (i, j) => ({ number: weights[i][j], shade: weights[i][j] }));
    radios[model.get("row")].checked = true;
    const longest = Math.max(...sentences.map(([words]) => words.length));
    room.style.setProperty("--live-longest", longest);
    return `Layer ${layer}, head ${head}: ${drawRow()}`;
  };
  const redraw = () => news.say(draw());

  frame(el, "Attention heads");
  const room = columns([map.node], [rowTitle, rowBars.node]);
  room.classList.add("live-longest");
  draw();
  el.append(
    controls(sentencePicker.node), controls(layerPicker.node, headPicker.node), room,
    note("Point at a row to see its numbers; click it, or use the arrow keys, to choose it."),
    news.node,
  );
  watch(model, ["sentences", "sentence", "layer", "head", "row"], redraw);
  return news.silence;
};
