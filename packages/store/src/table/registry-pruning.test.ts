import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import { registryPruningContract } from "./registry-pruning.contract.ts";

const root = mkdtempSync(join(tmpdir(), "skillhold-audit-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

registryPruningContract("SQLite", async () => `sqlite:${join(root, randomUUID(), "registry.db")}`);
registryPruningContract("PostgreSQL", freshDatabase);
