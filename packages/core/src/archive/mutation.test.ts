import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { mutatedArchive } from "../../../../tests/fuzz/archive-mutation.ts";
import { tryArchive } from "./trial.fixture.ts";

const base = mkdtempSync(join(tmpdir(), "skillhold-mutation-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

test("a damaged archive is unpacked as it is listed, or refused and leaves nothing [S-42]", async () => {
  const outcomes: string[] = [];
  await fc.assert(
    fc.asyncProperty(mutatedArchive, async (archive) => {
      const trial = await tryArchive(archive, base);
      outcomes.push(trial.outcome);
      expect(trial).not.toHaveProperty("why");
    }),
    { numRuns: 400 },
  );
  // Were they all refused for one reason, nothing would have been tried.
  expect(outcomes.filter((outcome) => outcome === "accepted").length).toBeGreaterThan(20);
  expect(outcomes.filter((outcome) => outcome === "refused").length).toBeGreaterThan(100);
});
