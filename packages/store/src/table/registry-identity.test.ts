import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import { registryIdentityContract } from "./registry-identity.contract.ts";

const root = mkdtempSync(join(tmpdir(), "skillhold-identity-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

registryIdentityContract("SQLite", async () => `sqlite:${join(root, randomUUID(), "registry.db")}`);
registryIdentityContract("PostgreSQL", freshDatabase);
