import { SkillError } from "@skillhold/protocol/error";
import { expect, test, vi } from "vitest";
import { refusals, refuseFailure } from "./http-refusal.ts";

const messageOf = async (response: Response) => JSON.stringify(await response.json());

test("an error names the limit and the fix [S-57]", async () => {
  expect(await messageOf(refusals.tooLarge(4096))).toMatch(/4096 bytes.*Send less/);
  const full = refusals.full();
  expect(full.headers.get("retry-after")).toBe("30");
  expect(await messageOf(full)).toMatch(/DELETE.*retry/);
  const closed = refusals.closed();
  expect(closed.headers.get("retry-after")).toBe("5");
  expect(await messageOf(closed)).toMatch(/Reconnect/);
});

test("a store failure is shown without paths and reported in full to the host [S-57]", async () => {
  const onError = vi.fn();
  const failure = new SkillError("STORE_FAILED", "The registry in /srv/registry.db failed: locked");
  const response = refuseFailure(failure, onError);
  expect(response.status).toBe(503);
  expect(await messageOf(response)).not.toMatch(/srv|locked/);
  expect(onError).toHaveBeenCalledWith(failure);
});
