// Checks the language of comments, messages, help lines and documents. `npm run check` runs it; `--report` prints every match
// with its replacement; `--update` lowers the allowances in language-allowance.json to today's counts and never raises one.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Tests pass another folder.
const root = process.env.LANGUAGE_ROOT ?? fileURLToPath(new URL("..", import.meta.url));
const allowanceFile = join(root, "scripts/language-allowance.json");

/** Each measure with its limit per 10,000 words. An area may exceed a limit only up to its allowance. */
const MEASURES = {
  "what is/was/it": { limit: 10, pattern: /\bwhat (?:is|was|it)\b/gi, use: "name the thing" },
  "nobody/nothing/none": {
    limit: 15,
    pattern: /\b(?:nobody|nothing|none)\b/gi,
    use: "`no <noun>`, or an active sentence",
  },
  "whoever/one who/those who": {
    limit: 2,
    pattern: /\b(?:whoever|whomever|(?:the )?one who|those who)\b/gi,
    use: "name the role: the user, the caller, the owner",
  },
  "told/tells": { limit: 2, pattern: /\b(?:told|tells)\b/gi, use: "notify, report, say, or return" },
  phrases: { limit: 0 },
  "messages that start with It": { limit: 0 },
};

/** Phrases with a plain replacement. */
const PHRASES = [
  [/\btell\b/gi, "notify, report, or say"],
  [/\b(?:hear|hears|heard)\b/gi, "receive"],
  [/\b(?:believe|believes|believed)\b/gi, "trust, or accept"],
  [/\b(?:hold|holds|held) to\b/gi, "pin, limit, or follow"],
  [/\b(?:call|calls|called|calling) off\b/gi, "cancel"],
  [/\b(?:take|takes|took|taken|taking) in\b/gi, "import, or accept"],
  [/\b(?:give|gives|gave|given|giving) up\b/gi, "delete, release, or stop"],
  [/\b(?:is|are|was|were) over\b(?! (?:a|an|the|its|\d))/gi, "end, or expire"],
  [/\b(?:lie|lies|lain)\b/gi, "be, or be stored"],
  [/\b(?:mend|mends|mended|mending)\b/gi, "fix"],
  [/\bcounts? (?:again|for nothing|no more)\b/gi, "be current, or be valid"],
  [/\b(?:the|a|no|get|gets|give|gives|without|with|their|its|of) leave\b/gi, "permission, or approval"],
  [/\bleave to \w+/gi, "permission to"],
  [/\bno one\b/gi, "`no <noun>`"],
  [/\b(?:behaviour|colour|honour|favour|neighbour)s?\b/gi, "the American spelling"],
  [
    /\b(?:organi|recogni|materiali|normali|initiali|seriali|authori|summari|minimi|optimi)s(?:e|es|ed|ing|ation)\b/gi,
    "-ize",
  ],
  [/\b(?:artefact|licence|cancelled|cancelling|travelled)s?\b/gi, "the American spelling"],
];

const allowances = existsSync(allowanceFile) ? JSON.parse(readFileSync(allowanceFile, "utf8")) : {};
const areas = new Map();
for (const file of listFiles()) measure(file);
const problems = [...areas].flatMap(([name, area]) => problemsOf(name, area));
printTotals();
if (process.argv.includes("--update")) updateAllowances();
else {
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

function listFiles() {
  const patterns = ["packages/*/src/**", "tests/**", "bench/**", "scripts/**", "*.md"];
  const list = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns], {
    cwd: root,
  });
  return [...new Set(list.toString().split("\n"))].filter(
    (file) =>
      /\.(?:ts|tsx|mts|mjs|md)$/.test(file) &&
      !file.startsWith("skills/") &&
      file !== "scripts/check-language.mjs",
  );
}

/** Documents are one area; code has an area per package, and one for each top folder beside them. */
function areaOf(file) {
  if (file.endsWith(".md")) return "docs";
  const [top, name] = file.split("/");
  return top === "packages" ? name : top;
}

function measure(file) {
  const path = join(root, file);
  if (!existsSync(path)) return;
  const source = readFileSync(path, "utf8");
  const name = areaOf(file);
  const area = areas.get(name) ?? { words: 0, counts: {}, matches: [] };
  areas.set(name, area);
  const passages = file.endsWith(".md") ? passagesOfDocument(source) : passagesOfCode(source);
  for (const { text, line, isMessage } of passages) {
    const plain = withoutCode(text);
    // Rates are per word of comments and documents; messages are checked for phrases, but do not add to the words.
    if (!isMessage) area.words += plain.match(/[A-Za-z]+(?:'[a-z]+)?/g)?.length ?? 0;
    const note = (measureName, match, use) => {
      area.counts[measureName] = (area.counts[measureName] ?? 0) + 1;
      area.matches.push(`${file}:${line}: "${match}" → ${use}`);
    };
    for (const [measureName, { pattern, use }] of Object.entries(MEASURES))
      for (const [match] of pattern === undefined ? [] : plain.matchAll(pattern))
        note(measureName, match, use);
    for (const [pattern, use] of PHRASES)
      for (const [match] of plain.matchAll(pattern)) note("phrases", match, use);
    if (isMessage && /^It\b/.test(plain))
      note("messages that start with It", plain.slice(0, 40), "name the subject");
  }
}

/** The prose of a document, line by line, without code blocks. Generated pages are checked where their text is written. */
function passagesOfDocument(source) {
  if (source.includes("<!-- Generated by")) return [];
  const blank = (block) => block.replace(/[^\n]/g, "");
  const prose = source.replace(/^( *)```[\s\S]*?^\1```/gm, blank);
  return prose.split("\n").map((text, index) => ({ text, line: index + 1, isMessage: false }));
}

/** The comments of a file, and the texts that users see: error messages, hints, summaries, descriptions and fixes. */
function passagesOfCode(source) {
  const { comments, strings } = scan(source);
  const lineOf = lineFinder(source);
  const before = (at) => source.slice(Math.max(0, at - 80), at);
  const isForUsers = (at) =>
    /(?:\b(?:summary|hint|fix|message|description|reason):\s*|\.describe\(\s*|SkillError\(\s*"[A-Z_]+",\s*)$/.test(
      before(at),
    );
  return [
    ...comments.map(({ at, text }) => ({ text, line: lineOf(at), isMessage: false })),
    ...strings
      .filter(({ at }) => isForUsers(at))
      .map(({ at, text }) => ({
        text: text.replace(/\$\{[^}]*\}/g, "x"),
        line: lineOf(at),
        isMessage: true,
      })),
  ];
}

/** Finds comments and string literals. Regular expressions are skipped where the character before allows only a value. */
function scan(source) {
  const comments = [];
  const strings = [];
  let at = 0;
  while (at < source.length) {
    const char = source[at];
    const pair = source.slice(at, at + 2);
    let end = at + 1;
    if (pair === "//") {
      end = endOf(source.indexOf("\n", at));
      comments.push({ at, text: source.slice(at + 2, end) });
    } else if (pair === "/*") {
      end = endOf(source.indexOf("*/", at + 2), 2);
      comments.push({ at, text: source.slice(at + 2, end - 2).replace(/^\s*\*/gm, " ") });
    } else if (char === '"' || char === "'" || char === "`") {
      end = endOfString(source, at, char);
      strings.push({ at, text: source.slice(at + 1, end - 1) });
    } else if (
      char === "/" &&
      /(?:^|[(,=:[!&|?{};>+\n]|return|=>)\s*$/.test(source.slice(Math.max(0, at - 20), at))
    ) {
      end = endOfRegExp(source, at);
    }
    at = end;
  }
  return { comments, strings };

  function endOf(found, length = 0) {
    return found < 0 ? source.length : found + length;
  }
}

function endOfString(source, start, quote) {
  let depth = 0;
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (quote === "`" && source.startsWith("${", at)) depth += 1;
    else if (depth > 0 && source[at] === "}") depth -= 1;
    else if (depth === 0 && source[at] === quote) return at + 1;
    // An apostrophe in JSX text is not a string.
    else if (quote !== "`" && source[at] === "\n") return start + 1;
  }
  return start + 1;
}

function endOfRegExp(source, start) {
  let isClass = false;
  for (let at = start + 1; at < source.length && source[at] !== "\n"; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === "[") isClass = true;
    else if (source[at] === "]") isClass = false;
    else if (source[at] === "/" && !isClass) return at + 1;
  }
  return start + 1;
}

/** Removes code spans, link targets, file names and identifiers. */
function withoutCode(text) {
  return text
    .replace(/`[^`]*`/g, "x")
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/\S+\.(?:tsx?|mts|mjs|js|md|json)\b/g, "x")
    .replace(/\b\w*(?:[a-z][A-Z]|_)\w*\b/g, "x");
}

function lineFinder(source) {
  const ends = [...source.matchAll(/\n/g)].map(({ index }) => index);
  return (at) => ends.filter((end) => end < at).length + 1;
}

function mostOf(name, measureName, words) {
  const rate = Math.ceil((MEASURES[measureName].limit * words) / 10_000);
  return Math.max(rate, allowances[name]?.[measureName] ?? 0);
}

function problemsOf(name, { words, counts, matches }) {
  const over = Object.keys(MEASURES).filter((each) => (counts[each] ?? 0) > mostOf(name, each, words));
  if (process.argv.includes("--report")) for (const match of matches) console.log(match);
  return over.map(
    (each) =>
      `${name}: ${counts[each]} × ${each} (at most ${mostOf(name, each, words)}). Run \`node scripts/check-language.mjs --report\` for the places.`,
  );
}

function printTotals() {
  const words = [...areas.values()].reduce((sum, area) => sum + area.words, 0);
  console.log(`language: ${words} words of comments and documents; per 10,000 words:`);
  for (const [name, { limit }] of Object.entries(MEASURES)) {
    const count = [...areas.values()].reduce((sum, area) => sum + (area.counts[name] ?? 0), 0);
    console.log(`  ${name}: ${((count * 10_000) / words).toFixed(1)} (goal ${limit})`);
  }
}

function updateAllowances() {
  const rows = [...areas]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, area]) => [name, allowanceOf(name, area)]);
  const kept = Object.fromEntries(rows.filter(([, row]) => Object.keys(row).length > 0));
  writeFileSync(allowanceFile, `${JSON.stringify(kept, null, 2)}\n`);
}

/** Only counts above the limit need an allowance. Once the file exists, no allowance is added or raised. */
function allowanceOf(name, { words, counts }) {
  const old = existsSync(allowanceFile) ? (allowances[name] ?? {}) : undefined;
  return Object.fromEntries(
    Object.entries(MEASURES).flatMap(([each, { limit }]) => {
      const count = Math.min(counts[each] ?? 0, old === undefined ? Infinity : (old[each] ?? 0));
      return count > Math.ceil((limit * words) / 10_000) ? [[each, count]] : [];
    }),
  );
}
