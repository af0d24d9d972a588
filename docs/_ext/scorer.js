// Weights of the search: what readers ask comes before how the package was built. The rest are Sphinx' defaults.
var Scorer = {
  score([page, , , , score]) {
    if (page.startsWith("how_to/")) return score + 5;
    return /^(decisions|develop|performance\/measured)\/|^protocol/.test(page) ? score - 20 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
