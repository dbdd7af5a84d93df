import { expect, test } from "vitest";
import { defaultPair, sourceOf } from "./version.ts";

const purgedAt = "2026-11-16T10:00:00.000Z";
const list = (current: number, ...revisions: readonly number[]) =>
  revisions.map((revision) => ({ revision, isCurrent: revision === current }));

test("compares the current revision with the one before it [S-59]", () => {
  expect(defaultPair(list(3, 3, 2, 1))).toEqual({ from: 2, to: 3 });
  expect(defaultPair(list(2, 3, 2, 1))).toEqual({ from: 1, to: 2 });
  expect(defaultPair(list(1, 3, 2, 1))).toEqual({ from: 1, to: 2 });
});

test("compares a purged revision with nothing [S-59]", () => {
  const [third, second, first] = list(3, 3, 2, 1);
  if (third === undefined || second === undefined || first === undefined) throw new Error("no list");
  expect(defaultPair([third, { ...second, purgedAt }, first])).toEqual({ from: 1, to: 3 });
  expect(defaultPair([third])).toBeUndefined();
  expect(defaultPair([])).toBeUndefined();
});

test("a revision names its origin [S-59]", () => {
  const by = { user: "ann", role: "admin" } as const;
  expect(sourceOf({ source: "archive", origin: "pdf.zip", by, at: purgedAt })).toBe("archive pdf.zip");
  expect(sourceOf({ source: "git", origin: "acme/skills", ref: "v2", by, at: purgedAt })).toBe(
    "git acme/skills at v2",
  );
});
