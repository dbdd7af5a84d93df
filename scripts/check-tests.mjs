import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// Tests must not depend on how busy the machine is: no sleeps, no short time limits, no retries.
const SHORTEST_MS = 1000;
/** The limit in vitest.config.ts, for tests that hang. */
const TEST_MS = 300_000;
/** The limit of `expect.poll` in vitest.config.ts. */
const WAIT_MS = 120_000;
const NAME = String.raw`(?:(?!connect_)\w*[tT]imeout|\w*(?:[bB]usy|[wW]ait|[gG]race|[sS]tall|[dD]rain|[cC]all|[sS]tart|[wW]all|[cC]lose)Ms|timeoutMs)`;
const rules = [
  {
    find: /(?<![.\w])setTimeout\s*\(|\bsetTimeout\b[^;]*from "node:timers/g,
    says: () =>
      "sleeps. Wait for an event, or advance ManualTimers (packages/core/src/manual-timers.fixture.ts).",
  },
  {
    find: new RegExp(
      String.raw`(?<!end\(\{ )\b${NAME}\s*:\s*(\d[\d_]*)\b|AbortSignal\.timeout\((\d[\d_]*)\)`,
      "g",
    ),
    // A limit of 0 is no wait.
    skips: ([, ms, other], text) => {
      const limit = Number((ms ?? other).replaceAll("_", ""));
      return limit === 0 || limit >= SHORTEST_MS || /ManualTimers|useFakeTimers/.test(text);
    },
    says: (match) => `${match} is less than ${SHORTEST_MS} ms. Use a longer limit, or ManualTimers.`,
  },
  {
    find: /\bvi\.wait(?:For|Until)\(/g,
    skips: (match, _text, code) => waitsLong(secondArgument(code, match.index + match[0].length)),
    says: () => `waits less than ${WAIT_MS} ms. Use expect.poll, or pass a longer time.`,
  },
  {
    find: /\bexpect\s*\.poll\(/g,
    skips: (match, _text, code) => {
      const limit = /\btimeout: ([\d_]+)/.exec(secondArgument(code, match.index + match[0].length));
      return limit === null || waitsLong(limit[1]);
    },
    says: () => `waits less than ${WAIT_MS} ms, the common limit. Leave the limit out.`,
  },
  {
    // The limit of a test stands before its callback, or after it.
    find: /\{\s*timeout: ([\d_]+),?\s*\},\s*(?:async )?\(|^ *\}, ([\d_]+)\);$/gm,
    skips: (match, _text, code) => {
      const limit = Number((match[1] ?? match[2]).replaceAll("_", ""));
      return limit < SHORTEST_MS || limit >= TEST_MS || isWait(code, match);
    },
    says: () => `limits a test to less than ${TEST_MS} ms, the limit of all tests. Leave the limit out.`,
  },
  { find: /\bretry\s*:\s*[1-9]/g, says: () => "retries. Fix the cause of the failure." },
];

const problems = [...["packages", "tests"].flatMap(listTests), "vitest.config.ts"].flatMap(check);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exit(problems.length === 0 ? 0 : 1);

function listTests(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(?:node_modules|dist)$/.test(entry.name) ? [] : listTests(path);
    return /\.(?:test|contract)\.ts$/.test(entry.name) ? [path] : [];
  });
}

function check(file) {
  const text = readFileSync(file, "utf8");
  const code = withoutTexts(text);
  return rules.flatMap(({ find, skips = () => false, says }) =>
    [...code.matchAll(find)]
      .filter((match) => !skips(match, text, code))
      .map((match) => `${file}:${code.slice(0, match.index).split("\n").length} ${says(match[0])}`),
  );
}

/** Whether the statement that ends in this line is a wait, whose limit is its own. */
function isWait(code, { index, 0: line }) {
  const indent = /^ */.exec(line)[0];
  const opening = code
    .slice(0, index)
    .split("\n")
    .findLast((each) => each.startsWith(indent) && /\w/.test(each[indent.length] ?? ""));
  return /\bvi\.wait/.test(opening ?? "");
}

/** The text after the first argument of the call whose arguments begin here. */
function secondArgument(code, start) {
  let depth = 0;
  let first = code.length;
  let at = start;
  for (; at < code.length && depth >= 0; at += 1) {
    if ("([{".includes(code[at])) depth += 1;
    else if (")]}".includes(code[at])) depth -= 1;
    else if (code[at] === "," && depth === 0) first = Math.min(first, at);
  }
  return code.slice(first + 1, at - 1).trim();
}

/** Whether a wait with this limit suits a busy machine. A name is checked where it is defined; a pace within a wait is short. */
function waitsLong(limit) {
  const [, ms] = /^(?:\{ timeout: )?([\d_]+)/.exec(limit) ?? [];
  if (ms === undefined) return limit !== "";
  const number = Number(ms.replaceAll("_", ""));
  return number >= WAIT_MS || number < SHORTEST_MS;
}

/** Programs in string literals run in other processes. Line breaks stay, so that line numbers fit. */
function withoutTexts(text) {
  return text.replace(
    /\/\/.*|\/\*[\s\S]*?\*\/|`(?:[^`\\]|\\[\s\S])*`|'(?:[^'\\\n]|\\.)*'|(?<!from )"(?:[^"\\\n]|\\.)*"/g,
    (part) => part.replace(/[^\n]/g, " "),
  );
}
