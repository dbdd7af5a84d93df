import { expect, test } from "vitest";
import type { LocalSkill } from "./local-skill.ts";
import {
  linesOf,
  outcomeOf,
  type Parcel,
  type Publication,
  publishable,
  refusalOf,
  unmarked,
} from "./parcel.ts";

// Only the fields that the code under test reads.
const local = (path: string, id: string, isValid = true) => ({ path, id, isValid }) as unknown as LocalSkill;
const good = (id: string, more: object = {}) =>
  ({ status: "published", id, revision: 1, isNew: true, isDryRun: true, ...more }) as unknown as Publication;
const refused = (path: string, id?: string) =>
  ({ status: "failed", path, id, error: {}, diagnostics: [] }) as unknown as Publication;

test("combines the results of browser and gateway [S-59]", () => {
  const skills = [local("a", "one"), local("b", "one"), local("c", "two")];
  const results = [good("one"), refused("b", "one"), good("two"), good("unseen")];
  const told = linesOf({ skills, results }).map(({ path, result }) => [path, result?.status, result?.id]);
  expect(told).toEqual([
    ["a", "published", "one"],
    ["b", "failed", "one"],
    ["c", "published", "two"],
    ["unseen", "published", "unseen"],
  ]);
});

test("a rejected folder does not use the result of another folder with its id [S-59]", () => {
  const lines = linesOf({
    skills: [local("a", "one"), local("b", "one")],
    results: [refused("a", "one"), good("one")],
  });
  expect(lines.map(({ path, result }) => [path, result?.status])).toEqual([
    ["a", "failed"],
    ["b", "published"],
  ]);
});

test("finds the only skill of an archive under another id [S-59]", () => {
  const [line] = linesOf({ skills: [local(".", "old")], results: [good("chosen")] });
  expect(line?.result?.id).toBe("chosen");
});

test.each([
  [undefined, true, "checked here"],
  [undefined, false, "not valid"],
  [good("a"), true, "new"],
  [good("a", { isNew: false, revision: 4 }), true, "new revision r4"],
  [good("a", { status: "unchanged" }), true, "unchanged"],
  [good("a", { isDryRun: false, revision: 4 }), true, "published as r4"],
  [refused("a"), true, "refused"],
])("shows the outcome in a word %#", (result, isValid, word) => {
  expect(outcomeOf({ path: "a", local: local("a", "a", isValid), result })[0]).toBe(word);
});

test("publishes only checked skills that would change something [S-59]", () => {
  const results = [good("a"), good("b", { status: "unchanged" }), refused("c")];
  const error = new Error("gone");
  expect(publishable({ state: { step: "tried" }, results })).toBe(1);
  expect(publishable({ state: { step: "failed", isDryRun: false, error }, results })).toBe(1);
  expect(publishable({ state: { step: "failed", isDryRun: true, error }, results })).toBe(0);
  expect(publishable({ state: { step: "published" }, results })).toBe(0);
});

test("rejects files above a limit before sending [S-59]", () => {
  const file = new File([new Uint8Array(2000)], "a.zip");
  const limits = { archiveBytes: 1000, unpackedBytes: 1000 };
  expect(refusalOf({ kind: "archive", name: "a.zip", file }, limits)).toContain("the limit is 1000 B");
  expect(refusalOf({ kind: "archive", name: "a.zip", file }, { ...limits, archiveBytes: 2000 })).toBe(
    undefined,
  );
  const folder = { kind: "folder", name: "a", skipped: [] } as const;
  expect(refusalOf({ ...folder, files: [{ path: "a/x", file }] }, limits)).toContain("in total");
  expect(refusalOf({ ...folder, files: [] }, limits)).toContain("empty");
  expect(refusalOf({ kind: "unknown", name: "a.txt" }, limits)).toContain("Not a ZIP");
});

test("mentions exec bits only for folders with scripts [S-59]", () => {
  const parcel = (change: Partial<Parcel>) => ({
    kind: "folder" as const,
    paths: [],
    results: [],
    ...change,
  });
  const mode = good("a", { changes: [{ path: "run.sh", change: "mode" }] });
  expect(unmarked(parcel({ paths: ["a/SKILL.md", "a/scripts/run.py"] }))).toBe(false);
  expect(unmarked(parcel({ paths: ["a/bin/tool"] }))).toBe(true);
  expect(unmarked(parcel({ results: [mode] }))).toBe(true);
  expect(unmarked(parcel({ kind: "archive", paths: ["a/bin/tool"] }))).toBe(false);
});
