import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import { registryPageContract } from "./registry-page.contract.ts";

const root = mkdtempSync(join(tmpdir(), "skillhold-page-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

registryPageContract("SQLite", async () => `sqlite:${join(root, randomUUID(), "registry.db")}`);
registryPageContract("PostgreSQL", freshDatabase);
