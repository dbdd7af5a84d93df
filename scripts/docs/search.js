// Searches the sections of all pages in the browser. The index is loaded when the field first gets the focus.
const field = document.querySelector("#query");
const hits = document.querySelector("#hits");
const base = new URL(".", document.currentScript.src);
let loading;

const load = () => {
  loading ??= fetch(new URL("search.json", base)).then((response) => response.json());
  return loading;
};
const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** Every word of the query must begin a word of the section; titles and headings weigh more than text. */
function score(section, query) {
  let total = 0;
  for (const word of query) {
    const count = (text) => wordsOf(text).filter((each) => each.startsWith(word)).length;
    const found = 8 * count(section.page) + 6 * count(section.title) + Math.min(4, count(section.text));
    if (found === 0) return 0;
    total += found;
  }
  return total;
}

async function search() {
  const query = wordsOf(field.value);
  const sections = await load();
  const found = query.length === 0 ? [] : sections.map((section) => [score(section, query), section]);
  const best = found
    .filter(([points]) => points > 0)
    .sort((a, b) => b[0] - a[0])
    .slice(0, 12);
  hits.replaceChildren(...best.map(([, section]) => item(section, query)));
  if (query.length > 0 && best.length === 0) hits.append(note("No section has all these words."));
}

function item({ url, page, title, text }, query) {
  const link = document.createElement("a");
  link.href = new URL(url, base);
  link.append(page === title ? page : `${page}: ${title}`);
  const at = Math.max(0, text.toLowerCase().indexOf(query[0] ?? "") - 40);
  const excerpt = document.createElement("small");
  excerpt.append(text.slice(at, at + 140));
  link.append(excerpt);
  const row = document.createElement("li");
  row.append(link);
  return row;
}

function note(text) {
  const row = document.createElement("li");
  row.append(text);
  return row;
}

field.addEventListener("focus", () => void load());
field.addEventListener("input", () => void search());
field.form.addEventListener("submit", (event) => {
  event.preventDefault();
  hits.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hits.replaceChildren();
  if (event.key !== "/" || event.target === field) return;
  event.preventDefault();
  field.focus();
});
