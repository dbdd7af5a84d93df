import type { SkillEvent } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { approval, later } from "./approval.fixture.ts";
import { memoryApprovals } from "./memory-approvals.ts";
import { revokeApproval } from "./revoke-approval.ts";

const by = { user: "ann", role: "admin" } as const;
const clock = { now: () => later(0) };

test("an approval recorded as revoked no longer counts, and is revoked once [S-28] [S-62]", async () => {
  const approvals = memoryApprovals();
  const kept = approval("a");
  await approvals.add(kept);
  const recorded: [SkillEvent, number][] = [];
  const audit = {
    record: async (event: SkillEvent) => {
      recorded.push([event, (await approvals.list(later(0))).length]);
    },
  };
  const revoke = () => revokeApproval(kept, { by }, { approvals, audit, clock });
  expect([await revoke(), await revoke()]).toEqual([true, false]);
  const { id, skill, target } = kept;
  const at = later(0).toISOString();
  expect(recorded).toEqual([[{ type: "approval.revoked", at, by, approval: id, skill, target }, 0]]);
});

test("an approval is revoked even when the record fails, and the caller gets a warning [S-28]", async () => {
  const approvals = memoryApprovals();
  const kept = approval("a");
  await approvals.add(kept);
  const audit = { record: () => Promise.reject(new Error("The disk is full.")) };
  await expect(revokeApproval(kept, { by }, { approvals, audit, clock })).rejects.toThrow("full");
  expect(await approvals.list(later(0))).toEqual([]);
});
