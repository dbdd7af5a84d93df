import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { SkillEvent } from "@skillhold/protocol";
import { checkpointFile, findTrustedKey, signingKeyFile, verifyAudit } from "@skillhold/registry/audit";
import type { RegistryStore } from "@skillhold/registry/record";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { compileCache } from "../compile-cache.ts";
import { putSkills } from "../registry-library/put-skills.ts";

/** A text or part that an agent received, or a run for it; the mark is unique in its session. */
export interface Handed {
  readonly kind: "text" | "part" | "run";
  readonly session: string;
  readonly mark: string;
}

export interface RecordOptions {
  readonly url: string;
  readonly folder: string;
  readonly kills: number;
  readonly onKill?: (kills: number) => void;
}

export interface RecordReport {
  readonly kills: number;
  readonly handed: number;
  /** Runs that began, reported or not. */
  readonly begun: number;
  /** What has no record. */
  readonly unrecorded: readonly string[];
  /** What verification says of the log at the end. */
  readonly problems: readonly string[];
  readonly errors: readonly string[];
}

/** Kills processes of agents at random instants: all that they were handed, and all that began, was recorded before. */
export async function recordRun({ url, folder, kills, onKill }: RecordOptions): Promise<RecordReport> {
  const store = await openRegistryStore(url, { signer: await signingKeyFile(join(folder, "audit.key")) });
  const handed: Handed[] = [];
  const errors: string[] = [];
  try {
    await putSkills([demo], store);
    for (let count = 1; count <= kills; count += 1) {
      const ended = await killOne(url, folder, count);
      handed.push(...ended.handed);
      if (ended.errors !== "") errors.push(ended.errors);
      onKill?.(count);
    }
    const begun = listMarks(folder);
    const unrecorded = await findUnrecorded(handed, begun, store);
    return {
      kills,
      handed: handed.length,
      begun: begun.length,
      unrecorded,
      problems: await verify(folder, store),
      errors,
    };
  } finally {
    await store.close();
  }
}

const demo = {
  folder: "demo",
  trust: "org",
  files: {
    "SKILL.md": "---\nname: demo\ndescription: Tries.\n---\n\nTry $ARGUMENTS.\n",
    "references/name.md": "Ada ".repeat(500),
    "scripts/mark.sh": '#!/bin/sh\n: > "/mnt/marks/$1"\n',
  },
} as const;

const script = join(import.meta.dirname, "audit-user.ts");

async function killOne(url: string, folder: string, count: number) {
  const child = spawn(process.execPath, ["--conditions=@skillhold/source", script, url, folder], {
    env: { PATH: process.env["PATH"] ?? "", ...compileCache },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const errors = text(child.stderr);
  const lines = createInterface({ input: child.stdout });
  const handed: Handed[] = [];
  lines.on("line", (line) => {
    // A killed process may end with half a line: that item was not delivered.
    if (line.endsWith("}")) handed.push(JSON.parse(line));
  });
  const closed = Promise.all([once(child, "close"), once(lines, "close")]);
  // Most die at work, and some while they open the store.
  if (count % 5 === 0) await setTimeout(randomInt(1500));
  else await Promise.race([once(lines, "line"), closed]).then(() => setTimeout(randomInt(300)));
  child.kill("SIGKILL");
  await closed;
  return { handed, errors: await errors };
}

function listMarks(folder: string): readonly string[] {
  const marks = join(folder, "marks");
  return existsSync(marks) ? readdirSync(marks) : [];
}

async function findUnrecorded(
  handed: readonly Handed[],
  begun: readonly string[],
  store: RegistryStore,
): Promise<readonly string[]> {
  const recorded = new Set<string>();
  const approved = new Set<string>();
  const runs = new Map<string, string>();
  for await (const event of allEvents(store)) {
    if (event.type === "skill.activated") recorded.add(`text ${event.session} ${event.handover?.digest}`);
    if (event.type === "skill.resource_read") recorded.add(`part ${event.session} ${event.start}`);
    if (event.type === "skill.script_executed") recorded.add(`run ${event.session} ${runs.get(event.run)}`);
    if (event.type === "run.requested") runs.set(event.run, event.args[0] ?? "");
    if (event.type === "run.approved") approved.add(runs.get(event.run) ?? "");
  }
  return [
    ...handed
      .map(({ kind, session, mark }) => `${kind} ${session} ${mark}`)
      .filter((key) => !recorded.has(key)),
    ...begun.filter((mark) => !approved.has(mark)).map((mark) => `${mark} began`),
  ];
}

async function* allEvents(store: RegistryStore): AsyncGenerator<SkillEvent> {
  for (let after = 0; ; ) {
    const page = await store.eventsAfter(after, 1000);
    for (const { event } of page) yield event;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

async function verify(folder: string, store: RegistryStore): Promise<readonly string[]> {
  const key = await findTrustedKey(join(folder, "audit.pub"));
  const witnessed = await checkpointFile(join(folder, "checkpoints.log")).read();
  const { problems } = await verifyAudit(store, { keys: key === undefined ? [] : [key], witnessed });
  return problems.map(({ seq, code, message }) => `${code} ${seq ?? ""}: ${message}`);
}
