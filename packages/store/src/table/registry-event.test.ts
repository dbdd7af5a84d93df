import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import { registryEventContract } from "./registry-event.contract.ts";

const root = mkdtempSync(join(tmpdir(), "skillhold-event-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

registryEventContract("SQLite", async () => `sqlite:${join(root, randomUUID(), "registry.db")}`);
registryEventContract("PostgreSQL", freshDatabase);
