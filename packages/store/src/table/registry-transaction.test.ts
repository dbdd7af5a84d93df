import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import { registryTransactionContract } from "./registry-transaction.contract.ts";

const root = mkdtempSync(join(tmpdir(), "skillhold-transaction-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

registryTransactionContract("SQLite", async () => `sqlite:${join(root, randomUUID(), "registry.db")}`);
registryTransactionContract("PostgreSQL", freshDatabase);
