import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { cutAtFences, parseSkill } from "@skillhold/skill";
import { parse } from "yaml";
import { compare } from "./measure.ts";

/** Microseconds a skill: reading its bytes, `yaml.parse` of its frontmatter alone, and the whole parser. */
export async function benchParse(): Promise<void> {
  const files = corpusFiles() ?? generatedFiles();
  const texts = files.map((read) => read().toString());
  const yamls = texts.map((text) => cutAtFences(text).frontmatter);
  const [bytes = 0, yaml = 0, whole = 0] = await compare([
    () => files.forEach((read) => void read()),
    () => yamls.forEach(tryParse),
    () => files.forEach((read) => void parseSkill(read())),
  ]);
  const each = (ms: number) => ((ms * 1000) / files.length).toFixed(1);
  console.log(
    `parse: ${files.length} skills, µs a skill: read ${each(bytes)}, yaml.parse ${each(yaml)}, read and parse ${each(whole)}`,
  );
  const full = texts.filter((text) => parseSkill(text).yaml?.tokens !== 0).length;
  const share = ((full / texts.length) * 100).toFixed(1);
  console.log(
    `parse: ${full} of ${texts.length} skills (${share} %) need the full YAML reader (aim: at most 5 %)`,
  );
  console.log(`parse: ratio to read + yaml.parse ${(whole / (bytes + yaml)).toFixed(2)} (aim: at most 2)`);
}

type Read = () => Buffer;

function corpusFiles(): readonly Read[] | undefined {
  const root = resolve(import.meta.dirname, "../../shared/corpus/text");
  if (statSync(root, { throwIfNoEntry: false }) === undefined) return undefined;
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(^|\/)skill\.md$/i.test(name),
  );
  return names.map((name) => () => readFileSync(join(root, name)));
}

/** Where the public test data is absent: texts of the usual size, from memory. */
function generatedFiles(): readonly Read[] {
  return Array.from({ length: 200 }, (_, index) => {
    const yaml = `name: skill-${index}\ndescription: ${"Use this for tasks of a kind. ".repeat(8)}\nmetadata:\n  version: 1.${index}\n  author: someone\n`;
    const text = Buffer.from(
      `---\n${yaml}---\n# Skill\n${"A line of instructions that says what to do.\n".repeat(150)}`,
    );
    return () => text;
  });
}

function tryParse(yaml: string): void {
  try {
    parse(yaml);
  } catch {
    // Broken frontmatter is part of the corpus; its cost counts all the same.
  }
}
