// Renders formulas: reads one a line as JSON, writes its HTML, or what is wrong with it,
// as one line of JSON. Ends when its input ends.

const katex = require("katex");
const readline = require("readline");

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { latex, display } = JSON.parse(line);
  let answer;
  try {
    const options = { displayMode: display, strict: "error" };
    answer = { html: katex.renderToString(latex, options) };
  } catch (error) {
    answer = { error: error.message };
  }
  console.log(JSON.stringify(answer));
});
