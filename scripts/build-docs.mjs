// Renders the documents as a static site with search: `npm run docs` writes docs-site/, which the gateway serves at /docs.
//   node scripts/build-docs.mjs [target folder [--list]]
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { Marked } from "marked";

const root = join(import.meta.dirname, "..");

/** The pages in reading order. A test checks that no document is left out. */
const groups = [
  ["Start", ["README.md", "docs/start/README.md", "docs/start/*.md", "docs/guide/concepts.md"]],
  ["Use", ["library", "frameworks/README", "frameworks/*", "mcp", "mcp-sources", "search"].map(guide)],
  ["Write", ["write-a-skill", "validate", "rules", "dependencies", "evals"].map(guide)],
  ["Share", ["registry", "install", "access", "registry-schema"].map(guide)],
  [
    "Run",
    ["run", "gateway", "sign-in", "operations", "security", "comparison", "troubleshooting"].map(guide),
  ],
  ["More guides", ["docs/guide/**/*.md"]],
  ["Reference", ["docs/reference/*.md", "docs/GLOSSARY.md", "SECURITY.md"]],
  ["Project", ["CONTRIBUTING.md", "CHANGELOG.md", "docs/ARCHITECTURE.md", "docs/**/*.md"]],
];

function guide(name) {
  return `docs/guide/${name}.md`;
}

/** Renders all pages into a folder, which is replaced. Returns the paths of the pages. */
export function buildDocs(target) {
  const pages = listPages();
  const site = { pages, files: new Set(), sections: [] };
  const rendered = pages.map((page) => renderPage(page, site));
  rmSync(target, { recursive: true, force: true });
  for (const [index, page] of pages.entries()) write(target, page.url, layOut(rendered[index], page, pages));
  for (const file of site.files) {
    mkdirSync(dirname(join(target, "files", file)), { recursive: true });
    copyFileSync(join(root, file), join(target, copyOf(file)));
  }
  for (const name of ["site.css", "search.js"])
    write(target, name, readFileSync(join(import.meta.dirname, "docs", name)));
  write(target, "search.json", JSON.stringify(site.sections));
  return pages.map(({ file }) => file);
}

function listPages() {
  const pages = new Map();
  for (const [group, patterns] of groups)
    for (const pattern of patterns)
      for (const file of globSync(pattern, { cwd: root }).sort()) {
        if (pages.has(file)) continue;
        const text = readFileSync(join(root, file), "utf8");
        pages.set(file, { file, group, url: urlOf(file), text, title: /^# (.+)$/m.exec(text)?.[1] ?? file });
      }
  return [...pages.values()];
}

/** README.md of a folder is its index; docs/ itself is no part of an address. */
function urlOf(file) {
  return file
    .replace(/^docs\//, "")
    .replace(/README\.md$/, "index.md")
    .replace(/\.md$/, ".html");
}

function renderPage(page, site) {
  const slugs = new Map();
  const headings = [];
  let section = { url: page.url, page: page.title, title: page.title, text: "" };
  site.sections.push(section);
  const marked = new Marked({ gfm: true });
  marked.use({
    walkTokens: (token) => {
      if (token.type === "link") token.href = relink(token.href, page, site);
      if (token.type === "image") token.href = relink(token.href, page, site);
    },
    renderer: {
      heading({ tokens, depth, text }) {
        const id = uniqueSlug(text, slugs);
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`;
        if (depth === 2) headings.push({ id, text: plainText(text) });
        section = { url: `${page.url}#${id}`, page: page.title, title: plainText(text), text: "" };
        site.sections.push(section);
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>\n`;
      },
      paragraph({ tokens, text }) {
        section.text += `${plainText(text)} `;
        return `<p>${this.parser.parseInline(tokens)}</p>\n`;
      },
      code({ text, lang }) {
        section.text += `${text} `;
        const kind = /^\w+$/.test(lang ?? "") ? ` class="language-${lang}"` : "";
        return `<pre tabindex="0"><code${kind}>${escapeHtml(text)}</code></pre>\n`;
      },
      table(token) {
        const cell = (tag) => (each) => `<${tag}>${this.parser.parseInline(each.tokens)}</${tag}>`;
        for (const row of [token.header, ...token.rows])
          section.text += `${row.map(({ text }) => plainText(text)).join(" ")} `;
        const head = `<tr>${token.header.map(cell("th")).join("")}</tr>`;
        const body = token.rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`).join("\n");
        return `<div class="table"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`;
      },
      // The documents contain no HTML except comments.
      html: ({ text }) => (text.startsWith("<!--") ? "" : escapeHtml(text)),
    },
  });
  return { html: marked.parse(page.text), headings };
}

/** The address of a link on the site: a page, or a copy of another file of the repository. */
function relink(href, page, site) {
  if (/^[a-z]+:|^#/i.test(href)) return href;
  const [path, fragment] = href.split("#");
  const file = posix.normalize(posix.join(posix.dirname(page.file), decodeURI(path)));
  const to = site.pages.find((each) => each.file === file || each.file === posix.join(file, "README.md"));
  const isFile = statSync(join(root, file), { throwIfNoEntry: false })?.isFile() === true;
  if (to === undefined && isFile) site.files.add(file);
  const address = to?.url ?? (site.files.has(file) ? copyOf(file) : indexOf(file, site));
  return `${up(page)}${address}${fragment === undefined ? "" : `#${fragment}`}`;
}

/** Source code is copied as text, which a browser shows. */
function copyOf(file) {
  return `files/${file}${/\.[cm]?[jt]sx?$/.test(file) ? ".txt" : ""}`;
}

/** A folder without a README stands for its first page. */
function indexOf(folder, { pages }) {
  const first = pages.find(({ file }) => file.startsWith(`${folder.replace(/\/$/, "")}/`));
  if (first === undefined) throw new Error(`No page and no file: ${folder}`);
  return first.url;
}

function up({ url }) {
  return "../".repeat(url.split("/").length - 1);
}

/** As GitHub makes it, so that links work in both places. */
function uniqueSlug(text, slugs) {
  const slug = plainText(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
  const count = slugs.get(slug) ?? 0;
  slugs.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

function plainText(markdown) {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .replace(/\s+/g, " ");
}

function escapeHtml(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => names[character]);
}

function layOut({ html, headings }, page, pages) {
  const to = up(page);
  const entry = (each) =>
    `<li><a href="${to}${each.url}"${each === page ? ' aria-current="page"' : ""}>${escapeHtml(each.title)}</a></li>`;
  const listed = Map.groupBy(pages, ({ group }) => group);
  const nav = [...listed].map(
    ([group, members]) => `<h2>${group}</h2>\n<ul>\n${members.map(entry).join("\n")}\n</ul>`,
  );
  const outline = headings.map(
    ({ id, text }) => `<li class="sub"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} – Skillhold</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to}site.css">
<script defer src="${to}search.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<strong><a href="${to}index.html">Skillhold</a></strong>
<form role="search"><input id="query" type="search" placeholder="Search the documents ( / )" aria-label="Search the documents" autocomplete="off"><ul id="hits" aria-live="polite"></ul></form>
</header>
<div class="page">
<nav aria-label="Pages">
${nav.join("\n")}
</nav>
<main id="main">
${html}</main>
<aside><nav aria-label="On this page"><ul>${outline.join("\n")}</ul></nav></aside>
</div>
</body>
</html>
`;
}

function write(target, path, content) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), content);
}

if (process.argv[1] === import.meta.filename) {
  const [folder = join(root, "docs-site"), option] = process.argv.slice(2);
  const pages = buildDocs(resolve(folder));
  const listed = option === "--list" ? pages.map((page) => `${page}\n`).join("") : "";
  process.stdout.write(`${listed}${pages.length} pages in ${folder}\n`);
}
