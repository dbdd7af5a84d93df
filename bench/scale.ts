import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { defaultLimits } from "@skillhold/protocol";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { startPostgres } from "../tests/postgres-cluster.ts";
import { putSkills } from "../tests/registry-library/put-skills.ts";
import type { LoopBlock } from "./event-loop.ts";
import { makeSkill, makeSkills } from "./generated-skill.ts";
import { growthLine, type Point } from "./measure.ts";
import { batches } from "./registry-bare.ts";
import { benchGateways } from "./scale-gateway.ts";

/**
 * Measures registry libraries over many skills in processes of their own, the second one beside the first, then two gateways on
 * one PostgreSQL.
 */
export async function benchScale(sizes: readonly number[], args: readonly string[]): Promise<void> {
  const engines = args.includes("sqlite") ? (["sqlite"] as const) : (["postgres"] as const);
  for (const engine of engines) {
    const points: Record<string, Point[]> = { open: [], list: [], search: [] };
    for (const size of sizes.filter((each) => Number.isSafeInteger(each)))
      for (const { step, cpuMs: ms } of await benchSize(engine, size)) points[step]?.push({ size, ms });
    const line = growthLine(points);
    if (line !== undefined) console.log(`scale: ${engine}: ${line}`);
    if (engine === "postgres") await benchPairs(sizes);
  }
}

async function benchPairs(sizes: readonly number[]): Promise<void> {
  const points: Record<string, Point[]> = { list: [], search: [], catalogue: [] };
  const cluster = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), "skillhold-bench-"));
  try {
    for (const size of sizes.filter((each) => Number.isSafeInteger(each))) {
      const found = await benchGateways(await cluster.createDatabase(), size, join(folder, String(size)));
      for (const [step, point] of Object.entries(found)) points[step]?.push(point);
    }
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const line = growthLine(points);
  if (line !== undefined) console.log(`scale: two gateways: ${line}`);
}

/** Returns the first steps of the first start. */
async function benchSize(engine: "sqlite" | "postgres", size: number): Promise<readonly Figures[]> {
  const first: Figures[] = [];
  const folder = mkdtempSync(join(tmpdir(), "skillhold-bench-"));
  const cluster = engine === "postgres" ? await startPostgres() : undefined;
  try {
    const url = (await cluster?.createDatabase()) ?? `sqlite:${join(folder, "registry.db")}`;
    const store = await openRegistryStore(url);
    for (const batch of batches(makeSkills(size), 500)) await putSkills(batch, store, { hasOneEvent: true });
    const cache = join(folder, "cache.db");
    for (const start of ["first start", "second start"]) {
      const reader = openReader(url, cache);
      const say = (figures: Figures) =>
        console.log(format(`scale: ${engine}: ${size} skills: ${start}`, figures));
      for (const step of ["open", "list", "search", "search"]) {
        const figures = await reader.run(step);
        if (start === "first start" && !first.some((each) => each.step === step)) first.push(figures);
        say(figures);
      }
      await putSkills([makeSkill(size + randomNumber())], store);
      for (const step of ["list", "search"]) say(await reader.run(step, "after a publish"));
      await reader.close();
    }
    await store.close();
    return first;
  } finally {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Figures extends LoopBlock {
  readonly step: string;
  readonly ms: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

function format(title: string, { step, ms, cpuMs, blockMs, blockCpuMs, rssMb }: Figures): string {
  const times = `${ms.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of processor time`;
  return `${title}: ${step}: ${times}, event loop blocked for at most ${blockMs.toFixed(0)} ms (${blockCpuMs.toFixed(0)} ms of processor time), ${rssMb.toFixed(0)} MB resident`;
}

function openReader(url: string, cache: string) {
  const script = fileURLToPath(new URL("scale-process.ts", import.meta.url));
  const args = [...process.execArgv, script, url, cache];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    run: async (step: string, note = ""): Promise<Figures> => {
      child.stdin.write(`${step}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${step} failed`);
      const figures: Figures = JSON.parse(value);
      return { ...figures, step: `${step} ${note}`.trim() };
    },
    close: async () => {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

function randomNumber(): number {
  return Number.parseInt(randomUUID().slice(0, 8), 16) % defaultLimits.searchHits;
}
