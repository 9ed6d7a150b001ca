// Softmax of scores times a factor. The numbers are those of saturation.py.

const saturate = (scores, factor) => {
  const largest = Math.max(...scores);
  // Two finite scores can be infinitely far apart, and 0 times ∞ is not a number.
  const shifted = scores.map(
    (score) => factor * Math.max(score - largest, -Number.MAX_VALUE),
  );
  const weights = softmax(shifted);
  // ln a = shifted − ln Σ exp(shifted). Neither sum below subtracts anything, so the
  // entropy keeps its digits even where the largest weight has rounded to 1.
  const ascending = [...shifted].sort((a, b) => a - b);
  const others = sum(ascending.slice(0, -1).map(Math.exp));
  const finite = shifted.map((number) => Math.max(number, -Number.MAX_VALUE));
  const entropy = Math.log1p(others) - sum(weights.map((a, i) => a * finite[i]));
  // The largest entry of diag(a) − a aᵀ is an a (1 − a), and 1 − a is the sum of the
  // other weights: the subtraction would give 0 where a has rounded to 1.
  const diagonal = weights.map((a, i) =>
    sum(weights.map((b, j) => (i === j ? 0 : a * b))),
  );
  return { weights, entropy, largestJacobianEntry: Math.max(...diagonal) };
};

// Where the slider stops: 0, then twenty steps to each power of ten from 0.1 to 100.
const stops = [0];
for (let step = 0; step <= 60; step += 1) {
  stops.push(Number((0.1 * 10 ** (step / 20)).toPrecision(3)));
}
const last = stops.length - 1;

const nearestStop = (factor) => {
  if (factor === 0) return 0;
  const step = Math.round(20 * Math.log10(factor / 0.1));
  return Math.min(Math.max(1 + step, 1), last);
};

const render = ({ model, el }) => {
  const factorSlider = slider({
    label: "Multiply the scores by",
    last,
    ticks: [0, 1, 10, 100].map((factor) => [nearestStop(factor), factor]),
    oninput(position) {
      model.set("factor", stops[position]);
      model.save_changes();
    },
  });
  const weightBars = bars("score", "weight");
  const entropyReadout = readout("Entropy (nats)");
  const jacobianReadout = readout("Largest Jacobian entry");
  const news = announcer();

  const draw = () => {
    const scores = model.get("scores");
    const factor = model.get("factor");
    const { weights, entropy, largestJacobianEntry } = saturate(scores, factor);
    keepRows(el, scores.length + 6);
    factorSlider.set(nearestStop(factor), `×${short(factor)}`);
    weightBars.set(scores.map((score, i) => `s${i + 1} = ${short(score)}`), weights);
    entropyReadout.set(entropy);
    jacobianReadout.set(largestJacobianEntry);
    return (
      `Scores times ${short(factor)}: largest weight ${fixed(Math.max(...weights))}, ` +
      `entropy ${fixed(entropy)} nats, ` +
      `largest Jacobian entry ${fixed(largestJacobianEntry)}.`
    );
  };
  const redraw = () => news.say(draw());

  frame(el, "Softmax saturation");
  draw();
  const parts = [factorSlider, weightBars, entropyReadout, jacobianReadout, news];
  el.append(...parts.map((part) => part.node));
  model.on("change:factor", redraw);
  model.on("change:scores", redraw);
  return news.silence;
};
