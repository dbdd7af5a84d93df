import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { scanDependencies } from "@skillhold/deps/scan";
import { openSignedStore } from "@skillhold/host/store";
import { defaultLimits } from "@skillhold/protocol/limits";
import { addAgent } from "@skillhold/registry/access";
import type { RegistryContext } from "@skillhold/registry/record";
import { editSkill, publishFolder } from "@skillhold/registry/release";
import { issueToken } from "@skillhold/registry/token";
import { compileCache } from "../compile-cache.ts";

const bin = fileURLToPath(new URL("../../packages/skillhold/bin/skillhold.js", import.meta.url));
const by = { user: "bench", role: "admin" } as const;

/** A gateway in a process of its own, as users start it, over skills that were published before. */
export interface GatewayProcess {
  readonly url: string;
  readonly pid: number;
  /** Each may ask only so often a minute, so that there are many. */
  readonly tokens: readonly string[];
  readonly registry: RegistryContext;
  readonly folder: string;
  readonly close: () => Promise<void>;
}

export interface GatewaySetup {
  /** The most files that the process may open. */
  readonly openFiles?: number;
  /** Of the tokens. */
  readonly role?: "viewer" | "publisher";
}

export async function startGateway(
  skills: number,
  tokens: number,
  { openFiles, role = "viewer" }: GatewaySetup = {},
): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-bench-gateway-"));
  // The gateway signs the log, and rejects entries that are not signed.
  const place = { env: { HOME: folder, SKILLHOLD_DATA: folder }, cwd: folder };
  const store = await openSignedStore(`sqlite:${join(folder, "registry.db")}`, place);
  const registry = {
    store,
    clock: { now: () => new Date() },
    ids: { next: randomUUID },
    limits: defaultLimits,
    scan: scanDependencies,
  };
  for (let at = 0; at < skills; at += 1)
    await publishSkill(`skill-${String(at).padStart(4, "0")}`, "1", folder, registry);
  await addAgent({ key: "bench", runtime: "bench" }, { by }, registry);
  const secrets: string[] = [];
  for (let at = 0; at < tokens; at += 1) {
    const spec = { kind: "api", name: `bench ${at}`, role, user: "bench" } as const;
    secrets.push((await issueToken(spec, { by }, registry)).secret);
  }
  const limit = openFiles === undefined ? "" : `ulimit -n ${openFiles};`;
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      `${limit} exec "$@"`,
      "sh",
      process.execPath,
      bin,
      "serve",
      "--port",
      "0",
      "--data",
      folder,
      "--no-seed",
      "--json",
    ],
    {
      env: { PATH: process.env["PATH"], HOME: folder, SKILLHOLD_USER: "bench", ...compileCache },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const { url, pid } = await readStart(child);
  const close = async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, pid, tokens: secrets, registry, folder, close };
}

/** Publishes a public skill, or another revision of it. */
export async function publishSkill(
  id: string,
  text: string,
  folder: string,
  registry: RegistryContext,
): Promise<void> {
  const place = join(folder, "work", id);
  mkdirSync(join(place, "references"), { recursive: true });
  const description = `Works on ${id}, reports, tables and forms of many kinds.`;
  const body = `# ${id}\n\n${"Read the file, find the table, and write a short report about it.\n".repeat(20)}${text}\n`;
  writeFileSync(join(place, "SKILL.md"), `---\nname: ${id}\ndescription: ${description}\n---\n${body}`);
  writeFileSync(join(place, "references/guide.md"), "A longer guide.\n".repeat(200));
  await publishFolder(place, { by }, registry);
  await editSkill(id, { visibility: "public" }, { by }, registry);
}

async function readStart(child: ChildProcess): Promise<{ readonly url: string; readonly pid: number }> {
  if (child.stdout === null) throw new Error("the gateway has no output");
  for await (const line of createInterface({ input: child.stdout })) {
    const { ok, data } = JSON.parse(line);
    if (ok === true) return data;
    throw new Error(line);
  }
  throw new Error("the gateway did not start");
}
