// Keeps of a style sheet what pages use. Reads {css, pages, scripts} as JSON from stdin
// and writes the rules that remain, without comments but those of licences. Words of the
// scripts count as used, because scripts set classes, too.

const postcss = require("postcss");
const { PurgeCSS } = require("purgecss");
const { readFileSync } = require("node:fs");

const { css, pages, scripts } = JSON.parse(readFileSync(0, "utf8"));

new PurgeCSS()
  .purge({
    content: [...pages, ...scripts],
    css: [{ raw: css }],
    // Attributes that scripts set: the theme in use, what is open, what was clicked.
    dynamicAttributes: [
      "data-theme", "data-mode", "data-bs-theme", "open", "aria-expanded", "hidden",
      "aria-hidden", "aria-selected", "data-tooltip", "data-popper-placement",
    ],
    keyframes: true,
    // The ring around what has the keyboard's focus: a selector that names no element.
    safelist: [":focus-visible"],
  })
  .then(([{ css: kept }]) => {
    const root = postcss.parse(kept);
    root.walkComments((comment) => {
      if (!comment.text.startsWith("!")) comment.remove();
    });
    process.stdout.write(root.toString());
  })
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
