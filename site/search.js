// How the site's search sorts what it finds: pages that teach come before pages where one
// looks things up, and a page whose title names what was asked for comes first.

var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  lookedUp: [
    "index", "common_mistakes", "reading_critically", "where_next", "instructors",
    "notation", "glossary", "bibliography", "colophon",
  ].map((name) => `chapters/${name}`),

  score([page, title, anchor, , score]) {
    const query = new URLSearchParams(location.search).get("q") ?? "";
    const words = query.toLowerCase().match(/\w{3,}/g) ?? [];
    const named = words.filter((word) => title.toLowerCase().includes(word));
    const defined = page === "chapters/glossary" && anchor !== "";
    const aside = this.lookedUp.includes(page) && !defined;
    return score + (10 * named.length) / Math.max(words.length, 1) - (aside ? 11 : 0);
  },
};
