// Snapshots of a head in training: queries and keys in the plane, weights beside.

const SIZE = 140; // of the plane, for the coordinate that is farthest from 0

const SHAPES = ["disc", "square", "triangle"];

const render = ({ model, el }) => {
  const svg = plane("Queries and keys in the plane");
  svg.setAttribute("role", "img");
  const axes = drawn("path", { class: "live-axis", d: "M-150 0H150M0-150V150" });
  const news = announcer();
  const accuracy = readout("Accuracy");
  const legend = line(2);
  const weightsMap = matrix("Weights: a row per query");
  const rightMap = matrix("Where it should look");
  const sliderPlace = element("div");
  // Those who asked for less motion go from snapshot to snapshot themselves.
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let timer;
  const playing = () => timer !== undefined;
  const pause = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = still ? "Next" : "Play";
  };
  const last = () => model.get("steps").length - 1;
  const advance = () => {
    const now = model.get("snapshot");
    if (now < last()) change(model, { snapshot: now + 1 });
    if (now + 1 >= last()) pause();
  };
  const play = button("Play", () => {
    if (playing()) return pause();
    if (model.get("snapshot") >= last()) change(model, { snapshot: 0 });
    else if (still) advance();
    if (still || last() === 0) return;
    play.textContent = "Pause";
    timer = setInterval(advance, 400);
  });
  pause();

  let offered;
  let scrub;
  let points = [];
  const rebuild = (tokens, kinds, steps) => {
    const shapes = [...new Set(kinds)];
    const point = (i, role) => {
      const look = { class: `live-${role}`, style: `--live-colour: ${colour(i)}` };
      const text = drawn("text", { x: 11, dy: "0.35em" }, tokens[i]);
      return drawn("g", {}, mark(SHAPES[shapes.indexOf(kinds[i])], look), text);
    };
    points = ["key-point", "query-point"].map((role) => tokens.map((_, i) => point(i, role)));
    svg.replaceChildren(axes, ...points.flat());
    scrub = slider({
      label: "Training step",
      last: Math.max(steps.length - 1, 1),
      ticks: [[0, steps[0]], [Math.max(steps.length - 1, 1), steps.at(-1)]],
      oninput(snapshot) {
        pause();
        change(model, { snapshot: Math.min(snapshot, last()) });
      },
    });
    sliderPlace.replaceChildren(scrub.node);
    const names = { disc: "round", square: "square", triangle: "three-cornered" };
    const kindsText = shapes.map((kind, i) => `${names[SHAPES[i]]}: ${kind}`).join(", ");
    legend.set(`Full marks are queries, hollow ones keys; ${kindsText}.`);
  };

  const draw = () => {
    const [tokens, kinds] = [model.get("tokens"), model.get("kinds")];
    const [steps, now] = [model.get("steps"), model.get("snapshot")];
    const [queries, keys] = [model.get("query_points"), model.get("key_points")];
    const weights = model.get("weights")[now];
    const right = model.get("right");
    const names = JSON.stringify([tokens, kinds, steps]);
    if (names !== offered) rebuild(tokens, kinds, steps);
    offered = names;
    const farthest = Math.max(...[queries, keys].flat(3).map(Math.abs)) || 1;
    [keys, queries].forEach((all, role) =>
      all[now].forEach((point, i) => {
        place(points[role][i], point.map((part) => (SIZE * part) / farthest));
      }),
    );
    scrub.set(now, `${steps[now]}`);
    accuracy.set(model.get("accuracies")[now]);
    weightsMap.set(tokens, tokens, (i, j) => ({
      number: weights[i][j], shade: weights[i][j], lit: right[i][j] >= 0.01,
    }));
    const top = Math.max(...right.flat());
    rightMap.set(tokens, tokens, (i, j) => ({
      number: right[i][j], shade: right[i][j] / (top || 1), lit: right[i][j] >= 0.01,
    }));
    return `Step ${steps[now]}: accuracy ${fixed(model.get("accuracies")[now])}.`;
  };
  const redraw = () => news.say(draw());

  frame(el, "A head in training");
  draw();
  el.append(
    columns([svg], [sliderPlace, controls(play), accuracy.node, legend.node]),
    columns([weightsMap.node], [rightMap.node]),
    note("Outlined cells are those where the right map has weight."),
    news.node,
  );
  const data = ["tokens", "kinds", "steps", "query_points", "key_points", "weights"];
  watch(model, [...data, "right", "accuracies", "snapshot"], redraw);
  return () => {
    pause();
    news.silence();
  };
};
