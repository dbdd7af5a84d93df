import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import { registryProposalContract } from "./registry-proposal.contract.ts";

const root = mkdtempSync(join(tmpdir(), "skillhold-proposal-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

registryProposalContract("SQLite", async () => `sqlite:${join(root, randomUUID(), "registry.db")}`);
registryProposalContract("PostgreSQL", freshDatabase);
