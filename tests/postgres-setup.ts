import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type PostgresCluster, startPostgres } from "./postgres-cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The socket at which tests request a database. */
    readonly postgresDoor: string;
  }
}

let cluster: Promise<PostgresCluster> | undefined;
let folder: string | undefined;
let door: Server | undefined;

/** Vitest calls this once before all tests. The cluster starts when the first test requests a database. */
export async function setup(project: TestProject): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), "skillhold-door-"));
  const path = process.platform === "win32" ? `\\\\.\\pipe\\${folder}` : join(folder, "socket");
  door = createServer((_, response) => {
    createDatabase().then(
      (url) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(path);
  await once(door, "listening");
  project.provide("postgresDoor", path);
}

export async function teardown(): Promise<void> {
  door?.closeAllConnections();
  door?.close();
  await (await cluster?.catch(() => undefined))?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** Tests kill processes, not machines, so syncing is not needed. */
async function createDatabase(): Promise<string> {
  cluster ??= startPostgres({ isDurable: false });
  return await (await cluster).createDatabase();
}
