import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OpenedSkill, openSkill } from "@skillhold/core/source";
import { judge, parseSkill, propertiesOf, referencePrompt, validateSkill } from "@skillhold/skill";
import { afterAll, describe, expect, test } from "vitest";
import { absent, readRows, sharedData } from "./shared-data.ts";

/**
 * The calls that the reference implementation's own tests make, with its results. An error of the reference maps to
 * the equivalent Skillhold code.
 */
interface Call {
  readonly test: string;
  readonly call: "find_skill_md" | "parse_frontmatter" | "read_properties" | "validate" | "to_prompt";
  readonly args: readonly unknown[];
  readonly returns?: unknown;
  readonly raises?: string;
  readonly message?: string;
}
interface Place {
  readonly path: {
    readonly kind: "dir" | "file" | "missing";
    readonly name: string;
    readonly files?: Record<string, string>;
  };
}

/** The reference's words, and the code that says the same. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/must start with YAML frontmatter/, "NO_FRONTMATTER"],
  [/not properly closed/, "FRONTMATTER_UNCLOSED"],
  [/Invalid YAML/, "YAML_"],
  [/must be a YAML mapping/, "FRONTMATTER_NOT_MAPPING"],
  [/SKILL\.md not found|Missing required file/, "SKILL_FILE_MISSING"],
  [/frontmatter: name/, "NAME_MISSING"],
  [/frontmatter: description/, "DESC_MISSING"],
  [/must be lowercase/, "NAME_UPPERCASE"],
  [/exceeds 64 character/, "NAME_TOO_LONG"],
  [/start or end with a hyphen/, "NAME_HYPHEN_EDGE"],
  [/consecutive hyphens/, "NAME_DOUBLE_HYPHEN"],
  [/invalid characters/, "NAME_BAD_CHARS"],
  [/must match skill name/, "NAME_DIR_MISMATCH"],
  [/Unexpected fields/, "UNKNOWN_FIELDS"],
  [/exceeds 1024/, "DESC_TOO_LONG"],
  [/exceeds 500/, "COMPATIBILITY_TOO_LONG"],
  [/does not exist/, "FOLDER_MISSING"],
  [/Not a directory/, "NOT_A_FOLDER"],
];

const vectors = sharedData("spec-vectors/skills-ref-calls.jsonl");

describe.skipIf(vectors === undefined)(`calls of the reference tests (skipped when ${absent})`, () => {
  const root = mkdtempSync(join(tmpdir(), "skillhold-reference-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const calls = vectors === undefined ? [] : readRows<Call>(vectors);

  test.each(calls.map((call, index) => [`${call.call} in ${call.test} (${index})`, call] as const))(
    "%s is answered alike [S-2] [S-4]",
    (title, call) => {
      const folder = mkdtempSync(join(root, "case-"));
      expect([title, answer(call, folder)]).toEqual([title, expected(call, folder)]);
    },
  );
});

function expected(call: Call, root: string): unknown {
  if (call.raises !== undefined) return [meaning(call.message ?? "")];
  const here = JSON.parse(JSON.stringify(call.returns ?? null).replaceAll("<root>", root)) as unknown;
  return call.call === "validate" && Array.isArray(here)
    ? here.map((message) => meaning(String(message)))
    : here;
}

function meaning(message: string): string {
  return meanings.find(([words]) => words.test(message))?.[1] ?? `no code for: ${message}`;
}

function answer({ call, args }: Call, root: string): unknown {
  switch (call) {
    case "parse_frontmatter": {
      const skill = parseSkill(String(args[0]));
      const { diagnostics } = judge(skill.findings, "strict");
      return diagnostics.length > 0
        ? diagnostics.map(({ code }) => family(code))
        : [skill.frontmatter, skill.body.trim()];
    }
    case "find_skill_md":
      return open(args[0], root).file ?? null;
    case "read_properties": {
      const opened = open(args[0], root);
      return propertiesOf(opened.skill) ?? errors(opened);
    }
    case "validate":
      return errors(open(args[0], root));
    case "to_prompt": {
      const opened = (args[0] as readonly unknown[]).map((place) => open(place, root));
      return referencePrompt(
        opened.map(({ skill, file }) => ({
          name: "",
          description: "",
          ...propertiesOf(skill),
          location: file ?? "",
        })),
      );
    }
  }
}

function errors(opened: OpenedSkill): readonly string[] {
  const { diagnostics } = validateSkill(opened.skill, opened.subject, "strict");
  return diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => family(code));
}

/** YAML that fails is one answer, whether it could be repaired or not. */
function family(code: string): string {
  return code.startsWith("YAML_") ? "YAML_" : code;
}

function open(place: unknown, root: string): OpenedSkill {
  const { kind, name, files } = (place as Place).path;
  const path = join(root, name);
  if (kind === "file") writeFileSync(path, "");
  if (kind === "dir") {
    mkdirSync(path);
    for (const [file, text] of Object.entries(files ?? {})) writeFileSync(join(path, file), text);
  }
  return openSkill(path);
}
