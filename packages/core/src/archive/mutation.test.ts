import fc from "fast-check";
import { expect, test } from "vitest";
import { mutatedArchive } from "../../../../tests/fuzz/archive-mutation.ts";
import { tryChanging } from "./changing.fixture.ts";
import { tryArchive } from "./trial.fixture.ts";

const chunkBytes = fc.integer({ min: 16, max: 5000 });

test("a damaged archive is unpacked as listed, or rejected [S-42]", async () => {
  const outcomes: string[] = [];
  await fc.assert(
    fc.asyncProperty(mutatedArchive, chunkBytes, async (archive, chunk) => {
      const trial = await tryArchive(archive);
      outcomes.push(trial.outcome);
      expect(trial).not.toHaveProperty("why");
      // How much is held at a time makes no difference.
      expect(await tryArchive(archive, chunk)).toEqual(trial);
    }),
    { numRuns: 400 },
  );
  // If every mutation had the same outcome, the test would cover only one path.
  expect(outcomes.filter((outcome) => outcome === "accepted").length).toBeGreaterThan(20);
  expect(outcomes.filter((outcome) => outcome === "refused").length).toBeGreaterThan(100);
});

test("an archive that changes during a read is unpacked as it was, or rejected [S-42]", async () => {
  const outcomes: string[] = [];
  const change = fc.record({ after: fc.nat({ max: 40 }), to: mutatedArchive });
  await fc.assert(
    fc.asyncProperty(mutatedArchive, change, chunkBytes, async (archive, to, chunk) => {
      const trial = await tryChanging(archive, to, chunk);
      outcomes.push(trial.outcome === "refused" ? trial.code : trial.outcome);
      expect(trial).not.toHaveProperty("why");
    }),
    { numRuns: 300 },
  );
  expect(outcomes.filter((outcome) => outcome === "accepted").length).toBeGreaterThan(10);
  expect(outcomes.filter((outcome) => outcome === "IO_FAILED").length).toBeGreaterThan(10);
});
