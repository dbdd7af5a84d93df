import { describe, expect, test } from "vitest";
import { approval, digest, later } from "./approval.fixture.ts";
import type { ApprovalStore } from "./approval.ts";

/** The contract of every approval store. */
export function approvalContract(name: string, open: () => ApprovalStore | Promise<ApprovalStore>): void {
  describe(`approvals in ${name}`, () => {
    test("finds an approval unchanged by its key only [S-28]", async () => {
      const store = await open();
      const kept = approval("a");
      await store.add(kept);
      expect(await store.find(kept.key, later(0))).toEqual(kept);
      expect(await store.find(digest("b"), later(0))).toBeUndefined();
    });

    test("an approval ends at the moment it expires [S-28]", async () => {
      const store = await open();
      const kept = approval("a", { expiresAt: later(1000).toISOString() });
      await store.add(kept);
      expect(await store.find(kept.key, later(999))).toEqual(kept);
      expect(await store.list(later(999))).toEqual([kept]);
      expect(await store.find(kept.key, later(1000))).toBeUndefined();
      expect(await store.list(later(1000))).toEqual([]);
    });

    test("setting the clock back extends an approval by at most a minute [S-28]", async () => {
      const store = await open();
      const at = later(3_600_000).toISOString();
      const kept = approval("a", { at, expiresAt: later(7_200_000).toISOString() });
      await store.add(kept);
      expect(await store.find(kept.key, later(3_540_000))).toEqual(kept);
      expect(await store.list(later(3_540_000))).toEqual([kept]);
      expect(await store.find(kept.key, later(3_539_999))).toBeUndefined();
      expect(await store.list(later(3_539_999))).toEqual([]);
      await store.add(approval("b"));
      expect(await store.find(kept.key, later(3_600_000))).toEqual(kept);
    });

    test("adding an approval removes expired ones, even for an earlier clock [S-28]", async () => {
      const store = await open();
      const old = approval("a", { expiresAt: later(1000).toISOString() });
      await store.add(old);
      await store.add(approval("b", { at: later(1000).toISOString() }));
      expect(await store.find(old.key, later(0))).toBeUndefined();
      expect(await store.remove(old.id)).toBe(false);
    });

    test("a new approval replaces the one with the same key [S-28]", async () => {
      const store = await open();
      await store.add(approval("a", { id: "first" }));
      const second = approval("a", { id: "second", by: "ben" });
      await store.add(second);
      expect(await store.list(later(0))).toEqual([second]);
      expect(await store.remove("first")).toBe(false);
      expect(await store.find(second.key, later(0))).toEqual(second);
    });

    test("lists approvals from oldest to newest [S-28]", async () => {
      const store = await open();
      const [first, second, third] = [5, 6, 7].map((ms) =>
        approval(`${9 - ms}`, { at: later(ms).toISOString() }),
      );
      for (const kept of [second, third, first]) if (kept !== undefined) await store.add(kept);
      expect(await store.list(later(10))).toEqual([first, second, third]);
    });

    test("a removed approval is gone at once, and a second removal reports that [S-28]", async () => {
      const store = await open();
      const kept = approval("a");
      await store.add(kept);
      await store.add(approval("b"));
      expect(await store.remove(kept.id)).toBe(true);
      expect(await store.remove(kept.id)).toBe(false);
      expect(await store.find(kept.key, later(0))).toBeUndefined();
      expect(await store.list(later(0))).toEqual([approval("b")]);
    });
  });
}
