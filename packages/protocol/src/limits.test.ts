import { expect, test } from "vitest";
import { SkillError } from "./error.ts";
import { defaultLimits, limitTable, withLimits } from "./limits.ts";

test("every default is in its range [S-66]", () => {
  for (const [name, { default: value, min, max }] of Object.entries(limitTable)) {
    expect([name, min <= value && value <= max]).toEqual([name, true]);
  }
});

test("the defaults match the specification [S-66]", () => {
  const MB = 1024 * 1024;
  expect(defaultLimits).toMatchObject({
    skillFileBytes: MB,
    writtenSkillFileBytes: 100 * 1024,
    frontmatterBytes: 64 * 1024,
    resourceReadBytes: MB,
    archiveBytes: 20 * MB,
    unpackedBytes: 50 * MB,
    bundleFiles: 2000,
    archiveRatio: 200,
    pathDepth: 16,
    pathBytes: 512,
    catalogueSkills: 40,
    catalogueTokens: 5000,
    searchHits: 20,
  });
});

test("a limit can be set only within its range [S-66]", () => {
  expect(withLimits({ searchHits: 5 })).toEqual({ ...defaultLimits, searchHits: 5 });
  for (const settings of [
    { searchHits: 0 },
    { searchHits: 1.5 },
    { searchHits: Number.NaN },
    { archiveBytes: 501 * 1024 * 1024 },
    { nonsense: 1 },
    { constructor: 1 },
  ]) {
    expect(() => withLimits(settings as Record<string, number>)).toThrow(SkillError);
  }
});
