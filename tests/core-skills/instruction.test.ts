import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { program as docx } from "@skillhold/core-skills/test/docx/program";
import { program as pdf } from "@skillhold/core-skills/test/pdf/program";
import { program as pptx } from "@skillhold/core-skills/test/pptx/program";
import type { Command } from "@skillhold/core-skills/test/shared/command";
import { makeProgram } from "@skillhold/core-skills/test/skill-creator/program";
import { program as xlsx } from "@skillhold/core-skills/test/xlsx/program";
import { describe, expect, test } from "vitest";

const programs = { docx, pdf, pptx, "skill-creator": makeProgram("assets"), xlsx };
const skills = join(import.meta.dirname, "../../skills");

describe.each(Object.entries(programs))("the instructions of %s", (id, { name, commands }) => {
  const pages = readPages(join(skills, id));
  const find = (word: string) => commands.find((command) => command.name === word);
  const helps = commands.map((command) => command.help(name)).join("\n");

  test("show only calls that the program accepts [S-40]", () => {
    const calls = pages.flatMap(({ path, text }) => findCalls(text, name).map((call) => ({ path, call })));
    expect(calls.length).toBeGreaterThan(0);
    for (const { path, call } of calls) {
      const [word = "", ...rest] = splitWords(call);
      const label = `${path}: ${call}`;
      const command = find(word);
      expect(command, label).toBeDefined();
      expect(() => command?.check(rest), label).not.toThrow();
    }
  });

  test("name only commands and options that exist [S-40]", () => {
    for (const { path, text } of pages) {
      for (const span of findSpans(text)) {
        const [word = "", ...rest] = splitWords(span);
        const command = find(word);
        const known = command === undefined ? helps : command.help(name);
        // skill-creator also names options of other scripts.
        const isOurs = command !== undefined || (word.startsWith("--") && id !== "skill-creator");
        for (const option of isOurs ? optionsOf([word, ...rest]) : []) {
          expect(hasOption(known, option), `${path}: ${span} has ${option}`).toBe(true);
        }
      }
    }
  });

  test("show a call for every command [S-40]", () => {
    const main = pages[0]?.text ?? "";
    const shown = [...findSpans(main), ...findCalls(main, name)].map((call) => splitWords(call)[0]);
    const hidden = (command: Command) => !shown.includes(command.name);
    expect(commands.filter(hidden).map((command) => command.name)).toEqual([]);
  });
});

test.skipIf(process.platform === "win32")("calls in tables are complete and safe in a shell [S-40]", () => {
  const loose = Object.entries(programs).flatMap(([id, { commands }]) => {
    const rows = readPages(join(skills, id))[0]?.text.match(/^\| .* \| `.*` \|$/gm) ?? [];
    const calls = rows.flatMap((row) => findSpans(row.replace(/^\|[^|]*\|/, "")));
    return calls.flatMap((call) => {
      const [word = "", ...rest] = splitWords(call);
      const command = commands.find((each) => each.name === word);
      if (command === undefined) return [];
      expect(() => command.check(rest), `${id}: ${call}`).not.toThrow();
      return /[()<>|&;$*?!]/.test(call.replace(/'[^']*'|"[^"]*"/g, "")) ? [`${id}: ${call}`] : [];
    });
  });
  expect(loose).toEqual([]);
});

interface Page {
  readonly path: string;
  readonly text: string;
}

/** SKILL.md first, without its frontmatter, then the references. */
function readPages(folder: string): readonly Page[] {
  const references = join(folder, "references");
  const names = existsSync(references) ? readdirSync(references).map((each) => `references/${each}`) : [];
  return ["SKILL.md", ...names].map((path) => {
    const text = readFileSync(join(folder, path), "utf8");
    return { path, text: path === "SKILL.md" ? text.replace(/^---\n[\s\S]*?\n---\n/, "") : text };
  });
}

/** The calls after `node scripts/<id>.mjs`, in code blocks and in code spans. */
function findCalls(text: string, program: string): readonly string[] {
  const start = `node ${program} `;
  const blocks = [...text.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
  const commands = blocks.flatMap((block) =>
    block.replaceAll("\\\n", " ").match(/(?:'[^']*'|"[^"]*"|[^\n'"])+/g),
  );
  const lines = [...commands.map((each) => each ?? ""), ...findSpans(text)];
  return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
}

function findSpans(text: string): readonly string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span.replace(/\s+/g, " "));
}

/** The words of a command line, with quotes removed. */
function splitWords(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, (_, one, other) => one ?? other));
}

function optionsOf(words: readonly string[]): readonly string[] {
  return words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/[=,.].*$/, ""));
}

function hasOption(help: string, option: string): boolean {
  return new RegExp(`^  ${option}(?: |$)`, "m").test(help);
}
