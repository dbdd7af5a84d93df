import { hash, randomInt, randomUUID } from "node:crypto";
import { mkdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openSession, type Session, systemPorts } from "@skillhold/core/session";
import { bareHost } from "@skillhold/core/test/session/session.fixture";
import { scanDependencies } from "@skillhold/deps/scan";
import { defaultLimits } from "@skillhold/protocol";
import { checkpointFile, RegistryAudit, signingKeyFile } from "@skillhold/registry/audit";
import { openRegistryLibrary } from "@skillhold/registry/library";
import { cachedProbe } from "@skillhold/sandbox/test/backend/remembered-probe";
import { fixedAsker, fixtureRuns, sandbox } from "@skillhold/sandbox/test/run/run.fixture";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import type { Handed } from "./audit-record.ts";

/**
 * Agents in a separate process: `audit-user.ts <store> <folder>`. They read and run skills until they are killed, and
 * report each item when they receive it. Each run writes a file with its own name.
 */
const [url = "", folder = ""] = process.argv.slice(2);
const AGENTS = 4;

// The process ends with its parent, even after a crash of the parent.
process.stdin.on("end", () => process.exit(1)).resume();
process.stdin.unref();
const signer = await signingKeyFile(join(folder, "audit.key"));
const store = await openRegistryStore(url, {
  signer,
  checkpoints: { witnesses: [checkpointFile(join(folder, "checkpoints.log")).append], everyEvents: 20 },
});
const context = {
  store,
  clock: { now: () => new Date() },
  ids: { next: randomUUID },
  limits: defaultLimits,
  scan: scanDependencies,
};
const library = await openRegistryLibrary({ host: bareHost }, context);
const audit = new RegistryAudit(store);
const marks = join(folder, "marks");
mkdirSync(marks, { recursive: true });
// Or the first run of each process would take longer than it lives.
const known = cachedProbe(sandbox, join(folder, "probe.json"), context.clock);
await known.probe();
const [runner, ...readers] = await Promise.all(Array.from({ length: AGENTS }, open));
if (runner === undefined) throw new Error("There are no agents.");
// Every process that lives long enough to be at work has run something.
await run(runner);
await Promise.all([goOn(() => run(runner)), ...readers.map((reader) => goOn(() => read(reader)))]);

async function open(): Promise<Session> {
  const runs = fixtureRuns({ sandbox: known, asker: fixedAsker("once") });
  return await openSession(library, { runtime: "soak", user: "ada" }, { ...systemPorts(audit), runs });
}

async function goOn(act: () => Promise<void>): Promise<never> {
  for (;;) await act();
}

async function run(session: Session): Promise<void> {
  const mark = randomUUID();
  const mounts = [{ source: marks, target: "/mnt/marks", isWritable: true }];
  await session.run("demo", "mark.sh", { args: [mark], mounts });
  tell({ kind: "run", session: session.id, mark });
}

async function read(session: Session): Promise<void> {
  if (randomInt(2) === 0) {
    const { text } = await session.activate("demo", { args: randomUUID() });
    tell({ kind: "text", session: session.id, mark: digest(text) });
  } else {
    const range = { start: randomInt(1000), length: 5 };
    const { start } = await session.resource("demo", "references/name.md", range);
    tell({ kind: "part", session: session.id, mark: String(start) });
  }
}

function digest(text: string): string {
  return `sha256:${hash("sha256", text, "hex")}`;
}

function tell(handed: Handed): void {
  writeSync(1, `${JSON.stringify(handed)}\n`);
}
