import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { registryScene } from "../../registry.fixture.ts";

const scene = registryScene({ beforeEach, afterEach });

test("outputs prune removes old runs, and --dry-run lists them [S-60] [S-71]", async () => {
  const folder = join(scene.root(), "outputs");
  const [old, recent] = [randomUUID(), randomUUID()];
  for (const name of [old, recent]) mkdirSync(join(folder, name), { recursive: true });
  const time = new Date(Date.now() - 40 * 86_400_000);
  utimesSync(join(folder, old), time, time);
  const prune = ["outputs", "prune", folder, "--older-than", "30d"];
  expect((await scene.json([...prune, "--dry-run"])).data).toMatchObject({ runs: [old], isDryRun: true });
  expect(await scene.text(prune)).toMatchObject({ code: 0, out: expect.stringContaining("1 run removed") });
  expect(readdirSync(folder)).toEqual([recent]);
  expect(await scene.json(["outputs", "prune", folder])).toMatchObject({ code: 2 });
  expect((await scene.json(["outputs", "prune", join(folder, "none"), "--older-than", "1d"])).code).not.toBe(
    0,
  );
});
