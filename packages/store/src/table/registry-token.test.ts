import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalStore } from "@skillhold/core/approval";
import { approvalContract } from "@skillhold/core/test/approval/approval.contract";
import { approval, later } from "@skillhold/core/test/approval/approval.fixture";
import { registryApprovals } from "@skillhold/registry/question";
import type { RegistryStore } from "@skillhold/registry/record";
import { afterAll, afterEach, expect, test } from "vitest";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import { openRegistryStore } from "./registry-store.ts";
import { registryTokenContract } from "./registry-token.contract.ts";

const root = mkdtempSync(join(tmpdir(), "skillhold-token-"));
const opened: RegistryStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const freshFile = async () => `sqlite:${join(root, randomUUID(), "registry.db")}`;

async function open(url: string): Promise<ApprovalStore> {
  const store = await openRegistryStore(url);
  opened.push(store);
  return registryApprovals(store);
}

registryTokenContract("SQLite", freshFile);
registryTokenContract("PostgreSQL", freshDatabase);
approvalContract("a registry on SQLite", async () => await open(await freshFile()));
approvalContract("a registry on PostgreSQL", async () => await open(await freshDatabase()));

test.each([
  ["SQLite", freshFile],
  ["PostgreSQL", freshDatabase],
])(
  "an approval of one gateway applies at another until it is revoked, on %s [S-28] [S-64]",
  async (_, freshUrl) => {
    const url = await freshUrl();
    const [here, there] = [await open(url), await open(url)];
    const kept = approval("a");
    await here.add(kept);
    expect(await there.find(kept.key, later(0))).toEqual(kept);
    expect(await there.remove(kept.id)).toBe(true);
    expect(await here.find(kept.key, later(0))).toBeUndefined();
  },
);
