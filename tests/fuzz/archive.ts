import { tryChanging } from "@skillhold/core/test/archive/changing.fixture";
import { tryArchive } from "@skillhold/core/test/archive/trial.fixture";
import fc from "fast-check";
import { mutatedArchive } from "./archive-mutation.ts";

/** The chunk size of reads, and an optional change of the archive after a number of reads. */
const chunkBytes = fc.oneof(fc.integer({ min: 16, max: 5000 }), fc.constant(1024 * 1024));
const change = fc.option(fc.record({ after: fc.nat({ max: 40 }), to: mutatedArchive }), { freq: 3 });

/** Usage: npm run fuzz -- archive [<number of archives> [<seed>]]. Returns the exit code. */
export async function fuzzArchives([count, start]: readonly string[]): Promise<number> {
  const runs = Number(count ?? 20_000);
  const seed = Number(start ?? Date.now() % 2 ** 31);
  const tally = { accepted: 0, refused: 0, broken: 0 };
  let uncaught = 0;
  let slowest = 0;
  const catchAll = (error: unknown) => {
    uncaught += 1;
    console.log(`not caught: ${error}`);
  };
  process.on("uncaughtException", catchAll).on("unhandledRejection", catchAll);
  console.log(`fuzzing the unpacker with ${runs} archives, seed ${seed}`);
  const started = performance.now();
  try {
    const property = fc.asyncProperty(mutatedArchive, chunkBytes, change, async (archive, chunk, to) => {
      const begun = performance.now();
      const trial = to === null ? await tryArchive(archive, chunk) : await tryChanging(archive, to, chunk);
      slowest = Math.max(slowest, performance.now() - begun);
      tally[trial.outcome] += 1;
      if (trial.outcome === "broken")
        console.log(`${trial.why}\nby ${chunk} bytes\n${archive.toString("base64").slice(0, 2000)}`);
    });
    await fc.assert(property, { numRuns: runs, seed });
  } finally {
    process.off("uncaughtException", catchAll).off("unhandledRejection", catchAll);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${runs} archives in ${seconds} s: ${tally.accepted} accepted, ${tally.refused} refused, ${tally.broken} against a promise, ${uncaught} not caught, slowest ${slowest.toFixed(0)} ms`,
  );
  return tally.broken + uncaught === 0 ? 0 : 1;
}
