import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSkill, propertiesOf, readOpenclaw, validateSkill } from "@skillhold/skill";
import { describe, expect, test } from "vitest";
import { absent, readRows, sharedData } from "./shared-data.ts";

interface Truth {
  readonly id: string;
  readonly dirname: string;
  readonly skill_file: string;
  readonly frontmatter: "ok" | "none" | "unclosed";
  readonly pyyaml?: "ok" | "error";
  readonly fm_sha256?: string;
  readonly body_sha256?: string;
  readonly keys?: readonly string[];
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly spec_valid: boolean;
  readonly spec_errors: readonly string[];
  readonly spec_warnings: readonly string[];
}

const corpus = sharedData("corpus/text");
const truth = sharedData("corpus/truth/frontmatter.jsonl");
const requirements = sharedData("corpus/truth/openclaw_requires.jsonl");

describe.skipIf(corpus === undefined || truth === undefined)(
  `real public skills (skipped when ${absent})`,
  () => {
    const rows = truth === undefined ? [] : readRows<Truth>(truth);
    const skills = new Map(rows.map((row) => [row.id, { row, ...read(row) }]));

    test("every one gets the verdict of the specification [S-4]", () => {
      const wrong = [...skills.values()].filter(({ row, verdict }) => verdict.valid !== row.spec_valid);
      expect(wrong.map(({ row }) => row.id)).toEqual([]);
    });

    test("every error of the specification is found, and no other [S-4]", () => {
      for (const { row, verdict, skill } of skills.values()) {
        if (skill.repaired || row.spec_errors.includes("YAML_INVALID")) continue;
        const codes = verdict.diagnostics
          .filter(({ severity }) => severity === "error")
          .map(({ code }) => code);
        expect([row.id, codes.toSorted()]).toEqual([row.id, row.spec_errors]);
      }
    });

    test("every departure that the specification tolerates is a warning [S-4]", () => {
      for (const { row, verdict, skill } of skills.values()) {
        if (skill.repaired || row.spec_errors.includes("YAML_INVALID")) continue;
        const codes = new Set<string>(
          verdict.diagnostics.filter(({ severity }) => severity === "warning").map(({ code }) => code),
        );
        const expected = row.spec_warnings.filter((code) => code !== "SKILL_FILE_CASE");
        expect([row.id, expected.filter((code) => !codes.has(code))]).toEqual([row.id, []]);
      }
    });

    test("frontmatter and body are cut where they should be, byte for byte [S-2]", () => {
      for (const { row, skill } of skills.values()) {
        expect(skill.fences.kind === "fenced" ? "ok" : skill.fences.kind).toBe(row.frontmatter);
        if (row.frontmatter !== "ok") continue;
        expect([row.id, sha256(skill.fences.frontmatter)]).toEqual([row.id, row.fm_sha256]);
        expect([row.id, sha256(skill.body)]).toEqual([row.id, row.body_sha256]);
      }
    });

    test("keys keep their order and texts are read as written [S-2]", () => {
      for (const { row, skill } of skills.values()) {
        if (row.keys === undefined) continue;
        expect([row.id, Object.keys(skill.frontmatter)]).toEqual([row.id, row.keys]);
        for (const field of ["name", "description"]) {
          if (typeof row.fields?.[field] === "string")
            expect(skill.frontmatter[field]).toBe(row.fields[field]);
        }
      }
    });

    test("broken YAML is repaired wherever there is a description to save [S-3]", () => {
      const broken = [...skills.values()].filter(({ row }) => row.pyyaml === "error");
      expect(broken.length).toBeGreaterThan(0);
      for (const { row, skill } of broken)
        expect([row.id, propertiesOf(skill)?.description]).toEqual([row.id, expect.any(String)]);
    });

    test.skipIf(requirements === undefined)("requirements are read under every alias [S-8]", () => {
      type Row = {
        id: string;
        requires?: object;
        os?: string[];
        emoji?: string;
        install?: { kind: string }[];
      };
      for (const row of requirements === undefined ? [] : readRows<Row>(requirements)) {
        const openclaw = readOpenclaw(skills.get(row.id)?.skill.frontmatter ?? {});
        const requires = { env: [], bins: [], anyBins: [], config: [], ...row.requires };
        expect([row.id, openclaw.requires, openclaw.os]).toEqual([row.id, requires, row.os ?? []]);
        expect([row.id, openclaw.emoji]).toEqual([row.id, row.emoji]);
        expect(openclaw.install.map((step) => step.kind)).toEqual(
          (row.install ?? []).map(({ kind }) => kind),
        );
      }
    });

    function read(row: Truth) {
      const skill = parseSkill(readFileSync(join(corpus ?? "", row.id, row.dirname, row.skill_file)));
      return { skill, verdict: validateSkill(skill, { folder: row.dirname }, "strict") };
    }
  },
);

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
