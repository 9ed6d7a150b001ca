// What the pages can do besides what the theme does: print, and enlarge a figure.

const printButtons = () => {
  for (const button of document.querySelectorAll("[data-print]")) {
    button.addEventListener("click", () => window.print());
  }
};

// Paper is light, and nobody can unfold an output on it.
const printable = () => {
  const page = document.documentElement;
  let theme, folds;
  window.addEventListener("beforeprint", () => {
    theme = page.dataset.theme;
    page.dataset.theme = "light";
    folds = document.querySelectorAll("details.folded:not([open])");
    for (const fold of folds) fold.open = true;
  });
  window.addEventListener("afterprint", () => {
    page.dataset.theme = theme;
    for (const fold of folds) fold.open = false;
  });
};

// A click, Enter or space on a figure shows it as large as the window; Escape or another
// click puts it back.
const enlargeable = () => {
  const dialog = document.createElement("dialog");
  dialog.className = "enlarged";
  dialog.addEventListener("click", () => dialog.close());
  // A browser would close it by Escape, but the theme keeps that key for its search.
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") dialog.close();
  });
  document.body.append(dialog);

  const enlarge = (image) => {
    const copy = image.cloneNode();
    for (const name of ["role", "tabindex", "aria-label", "width", "height", "loading"]) {
      copy.removeAttribute(name);
    }
    dialog.replaceChildren(copy);
    dialog.setAttribute("aria-label", image.alt);
    dialog.showModal();
  };
  for (const image of document.querySelectorAll("figure img, .cell_output img")) {
    image.setAttribute("role", "button");
    image.tabIndex = 0;
    image.setAttribute("aria-label", `Enlarge the figure: ${image.alt}`);
    image.addEventListener("click", () => enlarge(image));
    image.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      enlarge(image);
    });
  }
};

printButtons();
printable();
enlargeable();
