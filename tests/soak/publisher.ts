import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { defaultLimits } from "@skillhold/protocol";
import type { RegistryContext } from "@skillhold/registry/record";
import {
  deleteSkill,
  publishFolder,
  purgeSkill,
  restoreSkill,
  rollback,
  sweepStore,
} from "@skillhold/registry/release";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { fastClock } from "./fast-clock.ts";
import type { Acknowledged } from "./publisher-process.ts";

/**
 * A publisher in a separate process: `publisher.ts <store> <folder> <start> <speed> <count> <mix>`. It prints one line
 * for each acknowledgment as it arrives; `mix` is `publish`, or `all` for every verb.
 */
const [url = "", folder = "", startedAt = "0", speed = "1", count = "0", mix = "publish"] =
  process.argv.slice(2);
const by = { user: "ada", role: "publisher" } as const;
const SKILLS = 4;
const AT_ONCE = 3;

// The process ends with its parent, even after a crash of the parent.
process.stdin.on("end", () => process.exit(1)).resume();
process.stdin.unref();
const clock = fastClock(Number(startedAt), Number(speed));
const store = await openRegistryStore(url, { clock });
// The dependency scan is irrelevant here and slows every start.
const scan = async () => ({ dependencies: [], notes: [] });
const context: RegistryContext = {
  store,
  clock,
  ids: { next: () => randomUUID() },
  limits: defaultLimits,
  scan,
};
const work = mkdtempSync(join(folder, "publisher-"));
let left = Number(count);
await Promise.all(Array.from({ length: AT_ONCE }, goOn));
await store.close();
rmSync(work, { recursive: true, force: true });

async function goOn(): Promise<void> {
  for (; left > 0; ) {
    left -= 1;
    const id = `skill-${randomInt(SKILLS)}`;
    if (mix === "all" && randomInt(4) === 0) await disturb(id);
    else await publish(id);
  }
}

async function publish(id: string): Promise<void> {
  const place = join(work, randomUUID(), id);
  mkdirSync(join(place, "scripts"), { recursive: true });
  writeFileSync(
    join(place, "SKILL.md"),
    `---\nname: ${id}\ndescription: Tries.\n---\n\nTry ${randomUUID()}.\n`,
  );
  // Some bytes are those of many revisions, and some are large enough to be half written.
  writeFileSync(join(place, "scripts", "same.sh"), `#!/bin/sh\necho ${randomInt(5)}\n`);
  writeFileSync(join(place, "data.bin"), randomBytes(randomInt(60_000)));
  const { revision, treeHash } = await publishFolder(place, { by }, context);
  tell({ id, revision, treeHash });
  rmSync(join(place, ".."), { recursive: true, force: true });
}

/** Everything else that may be under way when a process dies. */
async function disturb(id: string): Promise<void> {
  const acts = [
    () => rollback(id, randomInt(1, 4), { by }, context),
    () => deleteSkill(id, { by }, context),
    () => restoreSkill(id, { by }, context),
    () => purgeSkill(id, { by, keep: 5, graceMs: 0 }, context),
    () => sweepStore({}, context),
  ];
  const act = acts[randomInt(acts.length)];
  try {
    await act?.();
  } catch (error) {
    // Others delete and purge as well: what they were faster with is refused.
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (!["CONFLICT", "SKILL_NOT_FOUND", "REVISION_NOT_FOUND"].includes(String(code))) throw error;
  }
}

function tell(line: Acknowledged): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
