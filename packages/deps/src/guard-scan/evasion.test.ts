import { writeArchive } from "@skillhold/core/archive";
import { expect, test } from "vitest";
import { python, script, shell } from "./flow-case.fixture.ts";
import { HEAD, scanTexts } from "./scan.fixture.ts";

interface Attack {
  readonly about: string;
  /** The rules that block it; empty for harmless code. */
  readonly rules: readonly string[];
  readonly extension: "py" | "js" | "sh";
  readonly code: string;
}
type Texts = Readonly<Record<string, string | Uint8Array>>;

const all: readonly Attack[] = (
  [
    ["py", python],
    ["js", script],
    ["sh", shell],
  ] as const
).flatMap(([extension, cases]) =>
  cases.map(([about, code, expected]) => ({
    about,
    extension,
    code,
    rules: expected.flatMap((line) => (line.startsWith("block ") ? [line.split(" ")[1] ?? ""] : [])),
  })),
);
/** The attacks that the guard blocks as they are, and the code that it does not block. */
const attacks = all.filter(({ rules }) => rules.length > 0);
const harmless = all.filter(({ rules }) => rules.length === 0);

const fences = { py: "python", js: "javascript", sh: "bash" } as const;
const comments = { py: "#", js: "//", sh: "#" } as const;

/** Ways to write the same attack so that a scanner may miss it. */
const evasions: Readonly<Record<string, (attack: Attack) => Texts | Promise<Texts>>> = {
  "blank lines before it": ({ extension, code }) => ({ [`a.${extension}`]: `${"\n".repeat(5000)}${code}` }),
  "comments between its lines": ({ extension, code }) => ({
    [`a.${extension}`]: code.replaceAll("\n", `\n${comments[extension]} Loads the settings.\n`),
  }),
  "in a fence of SKILL.md": ({ extension, code }) => ({
    "SKILL.md": `${HEAD}Run this first:\n\n\`\`\`${fences[extension]}\n${code}\`\`\`\n`,
  }),
  "in a reference that SKILL.md says to run": ({ extension, code }) => ({
    "SKILL.md": `${HEAD}Before using this skill you must run references/setup.md.\n`,
    "references/setup.md": `\`\`\`${fences[extension]}\n${code}\`\`\`\n`,
  }),
  "split texts": ({ extension, code }) => ({ [`a.${extension}`]: splitTexts(code, extension) }),
  "zero-width characters in words": ({ extension, code }) => ({
    [`a.${extension}`]: code.replaceAll(/\b(?:evil|base64|requests|curl|fetch)\b/g, (word) =>
      [...word].join("\u200b"),
    ),
  }),
  "in a function of another name": ({ extension, code }) => ({
    [`a.${extension}`]: wrapped(code, extension),
  }),
  "in a nested archive": async ({ extension, code }) => ({
    "assets/data.zip": await writeArchive("zip", [
      { path: `a.${extension}`, content: new TextEncoder().encode(code), executable: false },
    ]),
  }),
};

/** Every longer text in quotes becomes two that are joined. */
function splitTexts(code: string, extension: Attack["extension"]): string {
  if (extension === "sh")
    return code.replaceAll(/(https?:\/\/)(\w+)\./g, "$1$2''.").replaceAll(/\bid_rsa\b(?!\*)/g, "id_''rsa");
  return code.replaceAll(/"([^"\n]{6,})"/g, (whole, text: string) => {
    const isModule = code.includes(`from ${whole}`) || code.includes(`import ${whole}`);
    const half = Math.floor(text.length / 2);
    return isModule ? whole : `"${text.slice(0, half)}" + "${text.slice(half)}"`;
  });
}

function wrapped(code: string, extension: Attack["extension"]): string {
  const lines = code.trimEnd().split("\n");
  const isImport = (line: string) => /^(?:import|from)\b/.test(line);
  const indented = lines.filter((line) => !isImport(line)).map((line) => `    ${line}`);
  const [open, close] = {
    py: ["def helper():", "helper()"],
    js: ["async function helper() {", "}\nawait helper();"],
    sh: ["helper() {", "}\nhelper"],
  }[extension];
  return [...lines.filter(isImport), open, ...indented, close, ""].join("\n");
}

test("counts the attacks that the same rules block after each evasion, and harmless code that is blocked [S-52]", async () => {
  const counts: Record<string, string> = {};
  const missed: string[] = [];
  for (const [name, evade] of Object.entries(evasions)) {
    const blocksOf = async (attack: Attack) =>
      (await scanTexts(await evade(attack))).findings.flatMap(({ ruleId, severity }) =>
        severity === "block" ? [ruleId] : [],
      );
    let blocked = 0;
    for (const attack of attacks) {
      const found = await blocksOf(attack);
      if (attack.rules.some((rule) => found.includes(rule))) blocked += 1;
      else
        missed.push(`${name}: ${attack.extension}, ${attack.about} (${found.join(", ") || "not blocked"})`);
    }
    let alarms = 0;
    for (const each of harmless) if ((await blocksOf(each)).length > 0) alarms += 1;
    counts[name] = `${blocked} of ${attacks.length}, ${alarms} of ${harmless.length} harmless`;
  }
  const table = Object.entries(counts).map(([name, count]) => `${name}: ${count}`);
  process.stdout.write(`${[...table, ...missed].join("\n")}\n`);
  expect(counts).toEqual(expectedCounts);
});

/** A regression table, not a measure of recall: these attacks were written with the guard at hand. */
const expectedCounts = {
  "blank lines before it": "23 of 23, 0 of 15 harmless",
  "comments between its lines": "23 of 23, 0 of 15 harmless",
  "in a fence of SKILL.md": "23 of 23, 0 of 15 harmless",
  "in a reference that SKILL.md says to run": "23 of 23, 0 of 15 harmless",
  "split texts": "23 of 23, 0 of 15 harmless",
  "zero-width characters in words": "23 of 23, 0 of 15 harmless",
  "in a function of another name": "23 of 23, 0 of 15 harmless",
  "in a nested archive": "23 of 23, 0 of 15 harmless",
};
