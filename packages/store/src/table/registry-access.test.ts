import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import { registryAccessContract } from "./registry-access.contract.ts";

const root = mkdtempSync(join(tmpdir(), "skillhold-access-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

registryAccessContract("SQLite", async () => `sqlite:${join(root, randomUUID(), "registry.db")}`);
registryAccessContract("PostgreSQL", freshDatabase);
