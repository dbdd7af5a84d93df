import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeHost } from "@skillhold/core/source";
import { scanDependencies } from "@skillhold/deps/scan";
import type { Principal } from "@skillhold/gateway/test/auth/principal";
import { ViewChanges } from "@skillhold/gateway/test/socket/view-change";
import { defaultLimits } from "@skillhold/protocol";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { putSkills } from "../tests/registry-library/put-skills.ts";
import { makeSkill, makeSkills } from "./generated-skill.ts";
import { cpuMs, median } from "./measure.ts";
import { batches } from "./registry-bare.ts";

const VIEWS = 1000;
const PUBLISHES = 9;

/** Processor time to find out whose view changed, for many connected users. */
export async function benchViewChange(sizes: readonly number[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-bench-"));
  try {
    for (const size of sizes) await benchSize(size, join(folder, `${size}.db`));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchSize(size: number, file: string): Promise<void> {
  const store = await openRegistryStore(`sqlite:${file}`);
  for (const batch of batches(makeSkills(size), 500)) await putSkills(batch, store, { hasOneEvent: true });
  const clock = { now: () => new Date() };
  const ids = { next: () => randomUUID() };
  const registry = { store, clock, ids, limits: defaultLimits, scan: scanDependencies };
  const host = nodeHost({ env: {}, platform: "linux", cwd: tmpdir() });
  const skills = await openRegistryLibrary({ host }, registry);
  const changes = new ViewChanges({ registry, library: skills, skills });
  const principals = Array.from({ length: VIEWS }, (_, at) => principalOf(`user-${at}`));
  // The first survey makes the entries of all skills.
  await skills.survey({ runtime: "bench" });
  const note = await cpuMs(async () => {
    for (const principal of principals) await changes.note(principal);
  });
  const times: number[] = [];
  for (let round = 0; round < PUBLISHES; round += 1) {
    await putSkills([makeSkill(size + round)], store);
    times.push(await cpuMs(() => changes.changed(principals)));
  }
  console.log(
    `view-change: ${size} skills, ${VIEWS} views: a publish ${median(times).toFixed(1)} ms of processor time, ` +
      `a new view ${(note / VIEWS).toFixed(3)} ms`,
  );
  await skills.close();
  await store.close();
}

function principalOf(user: string): Principal {
  const times = { issuedAt: "2026-01-01T00:00:00Z", expiresAt: "2027-01-01T00:00:00Z" };
  return { role: "viewer", user, agent: undefined, token: user, kind: "api", ...times };
}
