// Attention without parameters, a cell at a time. The numbers are those of byhand.py.

const four = decimals(4);

const attend = (X, scale) => {
  const scores = X.map((query) => X.map((key) => dot(query, key)));
  const scaled = scores.map((row) => row.map((score) => score / (scale ?? 1)));
  const weights = scaled.map(softmax);
  const axes = X[0].map((_, axis) => X.map((row) => row[axis]));
  const contexts = weights.map((row) => axes.map((column) => dot(row, column)));
  return { scores, scaled, weights, contexts };
};

const render = ({ model, el }) => {
  const matrices = {
    X: matrix("X, a row per token"),
    scores: matrix("Scores"),
    scaled: matrix("Scores, scaled"),
    weights: matrix("Weights"),
    contexts: matrix("Context vectors"),
  };
  const news = announcer();
  const worked = line(3);
  const tokensPlace = element("div");
  const go = (step) => {
    const last = stages().at(-1).end;
    change(model, { step: Math.min(Math.max(step, 0), last) });
  };
  const back = button("Back", () => go(model.get("step") - 1));
  const next = button("Next", () => go(model.get("step") + 1));
  const steps = controls(back, next);
  steps.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    go(model.get("step") + by);
  });
  const all = ["Scores", "Scaled", "Weights", "Contexts"].map((text) => {
    const name = text.toLowerCase();
    const node = button(text, () => go(stages().find((one) => one.name === name).end));
    node.setAttribute("aria-label", `All ${name}`);
    return [name, node];
  });
  const jumps = controls(...all.map(([, node]) => node));

  // The stages, each with the number of the step that completes it.
  const stages = () => {
    const [X, scale] = [model.get("X"), model.get("scale")];
    const widths = [["scores", X.length], ["weights", X.length], ["contexts", X[0].length]];
    if (scale !== null) widths.splice(1, 0, ["scaled", X.length]);
    let end = 0;
    return widths.map(([name, count]) => ({ name, start: end, end: (end += count) }));
  };

  // How the cell of a step was worked out, in words and numbers.
  const explain = (name, cell, i, tokens, X, scale, found) => {
    if (name === "scores") {
      const products = X[i].map((x, axis) => `${short(x)} × ${short(X[cell][axis])}`);
      const result = four(found.scores[i][cell]);
      return `Score of ${tokens[i]} and ${tokens[cell]}: ${products.join(" + ")} = ${result}`;
    }
    if (name === "scaled") {
      const [score, result] = [found.scores[i][cell], found.scaled[i][cell]].map(four);
      return `Scaled score for ${tokens[cell]}: ${score} / ${short(scale)} = ${result}`;
    }
    const result = four(found[name][i][cell]);
    if (name === "weights") {
      const powers = found.scaled[i].map((score) => `e^${decimals(2)(score)}`);
      const total = `(${powers.join(" + ")})`;
      return `Weight of ${tokens[cell]}: ${powers[cell]} / ${total} = ${result}`;
    }
    const products = X.map((row, j) => `${four(found.weights[i][j])} × ${short(row[cell])}`);
    return `Entry ${cell + 1} of the context: ${products.join(" + ")} = ${result}`;
  };

  let tokenRow;
  let offered;
  const draw = () => {
    const [tokens, X, scale] = [model.get("tokens"), model.get("X"), model.get("scale")];
    const [i, step] = [model.get("row"), model.get("step")];
    const found = attend(X, scale);
    if (offered !== JSON.stringify(tokens)) {
      offered = JSON.stringify(tokens);
      tokenRow = choice({
        legend: "Query",
        options: tokens.map((token, j) => [j, token]),
        onchange: (row) => change(model, { row }),
        tokens: true,
      });
      tokensPlace.replaceChildren(tokenRow.node);
    }
    tokenRow.set(i);
    const parts = stages();
    const stage = parts.find(({ start, end }) => step > start && step <= end);
    const cell = stage ? step - stage.start - 1 : undefined;
    back.setAttribute("aria-disabled", step === 0);
    next.setAttribute("aria-disabled", step === parts.at(-1).end);
    matrices.scaled.node.hidden = scale === null;
    all.forEach(([name, node]) => (node.hidden = name === "scaled" && scale === null));

    // What the cell of this step is made from, which is lit together with it.
    const source = {
      X: (a, b) =>
        stage?.name === "scores" ? a === i || a === cell
          : stage?.name === "contexts" && b === cell,
      scores: (a) => a === i && stage?.name === (scale === null ? "weights" : "scaled"),
      scaled: (a) => a === i && stage?.name === "weights",
      weights: (a) => a === i && stage?.name === "contexts",
      contexts: () => false,
    };
    // The other rows are filled in when a stage is complete: the same is done to each.
    const there = (name, a, b) => {
      const part = parts.find((one) => one.name === name);
      return part && (step >= part.end || (a === i && step > part.start + b));
    };
    const entries = X[0].map((_, axis) => axis + 1);
    matrices.X.set(tokens, entries, (a, b) => ({ number: X[a][b], lit: source.X(a, b) }));
    for (const name of ["scores", "scaled", "weights", "contexts"]) {
      const values = found[name];
      const top = Math.max(...values.flat());
      matrices[name].set(tokens, name === "contexts" ? entries : tokens, (a, b) => {
        const shown = there(name, a, b);
        const own = stage?.name === name && a === i && b === cell;
        return {
          number: shown ? values[a][b] : undefined,
          shade: shown && name !== "contexts" ? Math.max(values[a][b], 0) / (top || 1) : 0,
          lit: own || source[name](a, b),
        };
      });
    }
    const text = stage
      ? explain(stage.name, cell, i, tokens, X, scale, found)
      : `${tokens[i]} asks. Press Next to work out its first score.`;
    worked.set(text);
    return text;
  };
  const redraw = () => news.say(draw());

  frame(el, "Attention by hand");
  draw();
  const shown = Object.values(matrices).map((one) => one.node);
  el.append(
    columns([tokensPlace], [steps, jumps]), worked.node, columns(...shown.map((node) => [node])),
    note("Back and Next also listen to the left and right arrow keys."),
    news.node,
  );
  watch(model, ["tokens", "X", "scale", "row", "step"], redraw);
  return news.silence;
};
