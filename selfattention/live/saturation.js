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

// Standard normal numbers that a whole number determines, so that a draw can be repeated.
const normals = (seed, count) => {
  let state = seed >>> 0;
  // A Weyl sequence, stirred: 32 bits, each value once before any comes again.
  const uniform = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
    return (((bits ^ (bits >>> 16)) >>> 0) + 0.5) / 2 ** 32;
  };
  return Array.from({ length: count }, () => {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    return radius * Math.cos(2 * Math.PI * uniform());
  });
};

const render = ({ model, el }) => {
  let draws = 0;
  const multiplier = factorSlider("Multiply the scores by", model);
  const redeal = button("New scores", () => {
    draws += 1;
    change(model, { scores: normals(draws, model.get("scores").length) });
  });
  const weightBars = bars("score", "weight");
  const entropyReadout = readout("Entropy (nats)");
  const jacobianReadout = readout("Largest Jacobian entry");
  const news = announcer();

  const draw = () => {
    const scores = model.get("scores");
    const factor = model.get("factor");
    const { weights, entropy, largestJacobianEntry } = saturate(scores, factor);
    keepRows(el, scores.length + 7);
    multiplier.set(factor);
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
  const parts = [multiplier, weightBars, entropyReadout, jacobianReadout];
  el.append(...parts.map((part) => part.node), controls(redeal), news.node);
  watch(model, ["factor", "scores"], redraw);
  return news.silence;
};
