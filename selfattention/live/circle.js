// A query, keys and values on the unit circle. The numbers are those of circle.py.

const UNIT = 100; // how long 1 is in the plane

const onCircle = (angle) => [Math.cos(angle), Math.sin(angle)];

const attend = ({ query, keys, values, factor, divisor }) => {
  const by = divisor === "keys" ? keys.length : Math.SQRT2;
  const scores = keys.map((key) => (factor * dot(query, key)) / by);
  const weights = softmax(scores);
  const output = [0, 1].map((axis) => dot(weights, values.map((value) => value[axis])));
  return { scores, weights, output };
};

const render = ({ model, el }) => {
  const svg = plane("Unit circle: the query, the keys and the values can be turned");
  const polygon = drawn("polygon", { class: "live-polygon" });
  const cross = drawn("path", { class: "live-cross", d: "M-6-6L6 6M-6 6L6-6" });
  const arrow = drawn("path", { class: "live-query" });
  const grip = drawn("path", { class: "live-grip" });
  const knob = mark("disc", { class: "live-knob" });
  const ring = drawn("circle", { r: 15, class: "live-ring" });
  const queryNode = drawn("g", {}, grip, arrow, ring, knob);
  const queryAngle = (angle) => change(model, { query_angle: angle });
  const turnQuery = turner(svg, queryNode, { label: "Query", onturn: queryAngle });

  // A key or a value: the mark that is turned, and the label outside the circle.
  const spot = (shape, kind, trait, i) => {
    const text = drawn("text", { dy: "0.35em" });
    const node = drawn(
      "g", {}, drawn("circle", { r: 15, class: "live-ring" }),
      mark(shape, { fill: colour(i) }),
    );
    const onturn = (angle) =>
      change(model, { [trait]: model.get(trait).map((old, j) => (j === i ? angle : old)) });
    const turn = turner(svg, node, { label: kind, onturn });
    return {
      nodes: [text, node],
      set(name, angle, number, what) {
        const [x, y] = onCircle(angle).map((part) => UNIT * part);
        const anchor = Math.abs(x) < 0.3 * UNIT ? "middle" : x > 0 ? "start" : "end";
        place(node, [x, y]);
        place(text, [1.2 * x, 1.2 * y]);
        node.setAttribute("aria-label", `${kind} ${name}`);
        text.setAttribute("text-anchor", anchor);
        text.setAttribute("data-value", number);
        text.textContent = `${name} ${decimals(2)(number)}`;
        turn(angle, `, ${what} ${decimals(2)(number)}`);
      },
    };
  };

  const multiplier = factorSlider("Multiply the scores by", model);
  const divide = choice({
    legend: "Divide them by",
    options: [["keys", "number of keys"], ["width", "√width = √2"]],
    onchange: (divisor) => change(model, { divisor }),
  });
  const weightBars = bars("key → value", "weight");
  const outputReadout = readout("Output", { count: 2, write: decimals(4) });
  const news = announcer();
  let keySpots = [];
  let valueSpots = [];

  const draw = () => {
    const [keyAngles, valueAngles] = [model.get("key_angles"), model.get("value_angles")];
    const [keyNames, valueNames] = [model.get("key_names"), model.get("value_names")];
    const [factor, divisor] = [model.get("factor"), model.get("divisor")];
    const query = onCircle(model.get("query_angle"));
    const keys = keyAngles.map(onCircle);
    const values = valueAngles.map(onCircle);
    const { scores, weights, output } = attend({ query, keys, values, factor, divisor });

    if (keySpots.length !== keys.length) {
      valueSpots = values.map((_, i) => spot("square", "Value", "value_angles", i));
      keySpots = keys.map((_, i) => spot("disc", "Key", "key_angles", i));
      const circle = drawn("circle", { r: UNIT, class: "live-axis" });
      const spots = [...valueSpots, ...keySpots].flatMap((one) => one.nodes);
      svg.replaceChildren(circle, polygon, ...spots, queryNode, cross);
    }
    keySpots.forEach((one, i) => one.set(keyNames[i], keyAngles[i], scores[i], "score"));
    valueSpots.forEach((one, i) =>
      one.set(valueNames[i], valueAngles[i], weights[i], "weight"),
    );
    const around = [...values].sort((a, b) => Math.atan2(a[1], a[0]) - Math.atan2(b[1], b[0]));
    polygon.setAttribute("points", around.map(([x, y]) => [UNIT * x, -UNIT * y]).join(" "));
    const [x, y] = query.map((part) => UNIT * part);
    arrow.setAttribute("d", `M0 0L${x} ${-y}`);
    grip.setAttribute("d", `M0 0L${x} ${-y}`);
    for (const part of [ring, knob]) place(part, [0.6 * x, 0.6 * y]);
    queryNode.setAttribute("aria-label", `Query ${model.get("query_name")[0]}`);
    turnQuery(model.get("query_angle"), "");
    place(cross, output.map((part) => UNIT * part));

    multiplier.set(factor);
    divide.set(divisor);
    weightBars.set(keyNames.map((key, i) => `${key} → ${valueNames[i]}`), weights);
    outputReadout.set(...output);
    const shares = keyNames.map((key, i) => `${key} ${fixed(weights[i])}`).join(", ");
    return `Weights: ${shares}. Output: ${output.map(decimals(4)).join(", ")}.`;
  };
  const redraw = () => news.say(draw());

  frame(el, "Attention on a circle");
  draw();
  const side = [multiplier, divide, weightBars, outputReadout].map((part) => part.node);
  el.append(
    columns([svg], side),
    note("Drag a mark or the arrow round the circle, or turn it with the arrow keys."),
    news.node,
  );
  const traits = ["query_name", "key_names", "value_names", "query_angle", "key_angles"];
  watch(model, [...traits, "value_angles", "factor", "divisor"], redraw);
  return news.silence;
};
