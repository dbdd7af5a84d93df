import { rmSync } from "node:fs";
import { FolderWatch } from "@skillhold/core/library";
import { until } from "@skillhold/core/test/library/fake-folders";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import type { RegistryContext } from "@skillhold/registry/record";
import {
  type SeedReport,
  type SeedWatch,
  type WatchSeedsOptions,
  watchSeeds,
} from "@skillhold/registry/seed";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Bench, getRow } from "./store.fixture.ts";

describe("the watch of bundled skills", () => {
  let bench: Bench;
  let context: RegistryContext;
  let watch: SeedWatch | undefined;
  let reports: SeedReport[];
  beforeEach(async () => {
    bench = new Bench("sqlite");
    context = await bench.context();
    bench.skill("skills/pdf");
    bench.write("skills/pdf/scripts/read.mjs", 'import "../_shared/zip.mjs";\n');
    bench.write("skills/_shared/zip.mjs", "export {};\n");
    reports = [];
  });
  afterEach(async () => {
    await watch?.close();
    await bench.close();
  });

  /** Watches, and waits for the first seeding. */
  async function start(options: WatchSeedsOptions = {}): Promise<void> {
    const onSeed = (report: SeedReport) => reports.push(report);
    watch = watchSeeds(bench.path("skills"), { debounceMs: 100, onSeed, ...options }, context);
    await until(() => reports.length > 0);
  }

  test("seeds changes in any file of a skill or its helpers [S-40]", async () => {
    await start();
    expect((await getRow("pdf", context)).revision).toBe(1);
    const edits = [
      () => bench.skill("skills/pdf", "# New\n"),
      () => bench.write("skills/pdf/scripts/read.mjs", 'import "../_shared/zip.mjs"; // new\n'),
      () => bench.write("skills/_shared/zip.mjs", "export const x = 1;\n"),
    ];
    for (const [at, edit] of edits.entries()) {
      edit();
      await until(async () => (await getRow("pdf", context)).revision === at + 2);
    }
  });

  test("seeds added skills and files in added folders [S-40]", async () => {
    await start();
    bench.skill("skills/xlsx");
    await until(async () => (await context.store.findSkill("xlsx")) !== undefined);
    bench.write("skills/xlsx/references/deep/a.md", "a\n");
    await until(async () => (await getRow("xlsx", context)).revision === 2);
    bench.write("skills/xlsx/references/deep/a.md", "b\n");
    await until(async () => (await getRow("xlsx", context)).revision === 3);
    // The report follows the commit.
    const seeded = () => reports.flatMap(({ skills }) => skills);
    await until(() => seeded().some((each) => each.status === "updated" && each.revision === 3));
  });

  test("makes one revision of a burst of saves [S-40]", async () => {
    const timers = new ManualTimers();
    await start({ timers });
    for (let save = 0; save < 40; save += 1) {
      bench.skill("skills/pdf", `# Save ${save}\n`);
      bench.write(`skills/pdf/references/${save}.md`, "x\n");
    }
    // The poll is the other timer.
    await until(() => timers.delays.length === 2);
    expect(reports).toHaveLength(1);
    timers.advance(500);
    await until(() => reports.length >= 2);
    expect(reports).toHaveLength(2);
    const tree = (await getRow("pdf", context)).treeHash;
    expect((await getRow("pdf", context)).revision).toBe(2);
    expect(tree === undefined ? 0 : (await context.store.findTree(tree))?.length).toBe(43);
  });

  test("keeps a skill that an edit broke, and seeds it when it is fixed [S-40]", async () => {
    await start();
    bench.write("skills/pdf/SKILL.md", "broken");
    await until(() => reports.length > 1);
    expect(reports[1]?.skills).toMatchObject([{ status: "failed", error: { code: "SKILL_INVALID" } }]);
    expect(await getRow("pdf", context)).toMatchObject({ revision: 1, status: "active" });
    bench.skill("skills/pdf", "# Mended\n");
    await until(async () => (await getRow("pdf", context)).revision === 2);
  });

  test("polls if watching is not possible [S-40]", async () => {
    const timers = new ManualTimers();
    await start({ maxWatches: 0, timers });
    bench.skill("skills/pdf", "# New\n");
    timers.advance(5000);
    await until(async () => (await getRow("pdf", context)).revision === 2);
  });

  test("waits for a folder that does not exist yet [S-40]", async () => {
    rmSync(bench.path("skills"), { recursive: true });
    const timers = new ManualTimers();
    await start({ timers });
    expect(reports[0]?.skills).toMatchObject([{ status: "failed" }]);
    bench.skill("skills/pdf");
    timers.advance(5000);
    await until(async () => (await context.store.findSkill("pdf")) !== undefined);
  });

  test("reports a store failure and retries with the next change [S-40]", async () => {
    const problems: unknown[] = [];
    await start({ onProblem: (problem) => problems.push(problem) });
    await context.store.close();
    bench.skill("skills/pdf", "# New\n");
    await until(() => problems.length > 0);
    expect(problems[0]).toMatchObject({ code: "STORE_FAILED" });
    const before = problems.length;
    bench.skill("skills/pdf", "# Newer\n");
    await until(() => problems.length > before);
  });

  test("does no work after it is closed [S-40]", async () => {
    const timers = new ManualTimers();
    await start({ timers });
    await watch?.close();
    expect(timers.delays).toEqual([]);
    // A second watch sees the change, so the closed one would have seen it too.
    const changed = Promise.withResolvers<void>();
    const observer = new FolderWatch(() => changed.resolve());
    observer.set([bench.path("skills/pdf")]);
    bench.skill("skills/pdf", "# New\n");
    await changed.promise;
    observer.close();
    expect(timers.delays).toEqual([]);
    expect(reports).toHaveLength(1);
    expect((await getRow("pdf", context)).revision).toBe(1);
  });
});
