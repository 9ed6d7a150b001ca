// Brings the figures of a static page to life: a stand-in for the model that Jupyter
// would give, and `render` called with it, as anywidget does.

const staticModel = (state) => {
  const listeners = new Map();
  const emit = (event, ...values) => {
    for (const listener of [...(listeners.get(event) ?? [])]) listener(...values);
  };
  const model = {
    get: (name) => state[name],
    set(name, value) {
      const changed = state[name] !== value;
      state[name] = value;
      if (changed) emit(`change:${name}`, model, value);
    },
    save_changes() {}, // there is no kernel to save to
    on(event, listener) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
    },
    off(event, listener) {
      listeners.get(event)?.delete(listener);
    },
  };
  return model;
};

const mount = (script) => {
  const el = script.parentElement;
  const before = [...el.childNodes];
  el.replaceChildren();
  try {
    const model = staticModel(JSON.parse(script.textContent));
    figures[el.dataset.figure]({ model, el });
  } catch (error) {
    el.replaceChildren(...before); // the picture is better than half a figure
    console.error(`The live figure ${el.dataset.figure} cannot be drawn.`, error);
  }
};

const mountAll = () =>
  document.querySelectorAll(".live-figure > script").forEach(mount);

if (document.readyState === "loading") {
  document.addEventListener("DOMContentLoaded", mountAll);
} else {
  mountAll();
}
