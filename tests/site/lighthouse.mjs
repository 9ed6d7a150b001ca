// Audits pages one after the other in one browser: `node lighthouse.mjs CHROMIUM
// CATEGORIES ADDRESS…`. Writes a line of JSON for each: its scores, and what fell short.

import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const [chromePath, categories, ...addresses] = process.argv.slice(2);
const chromeFlags = [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
  "--disable-component-update",
];
const chrome = await launch({ chromePath, chromeFlags });
for (const address of addresses) {
  const { lhr } = await lighthouse(address, {
    port: chrome.port,
    onlyCategories: categories.split(","),
    disableFullPageScreenshot: true,
    logLevel: "error",
  });
  const scores = Object.fromEntries(
    Object.values(lhr.categories).map(({ id, score }) => [id, Math.round(100 * score)]),
  );
  const short = Object.values(lhr.categories).flatMap(({ auditRefs }) =>
    auditRefs
      .filter(({ id, weight }) => weight > 0 && lhr.audits[id].score < 0.9)
      .filter(({ id }) => lhr.audits[id].score !== null)
      .map(({ id }) => `${id} ${lhr.audits[id].displayValue ?? ""}`.trim()),
  );
  console.log(JSON.stringify({ address, scores, short }));
}
await chrome.kill();
