import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import { registryStoreContract } from "./registry-store.contract.ts";

const root = mkdtempSync(join(tmpdir(), "skillhold-registry-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

registryStoreContract("SQLite", async () => `sqlite:${join(root, randomUUID(), "registry.db")}`);
registryStoreContract("PostgreSQL", freshDatabase);
