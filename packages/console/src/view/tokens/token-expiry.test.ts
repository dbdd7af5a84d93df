import { expect, test } from "vitest";
import { expiryOf, livingFirst } from "./token-expiry.ts";

const now = Date.parse("2026-11-16T00:00:00.000Z");
const after = (days: number) => new Date(now + days * 86_400_000).toISOString();

test("marks a token that expires soon, has expired or was revoked [S-59]", () => {
  expect(expiryOf({ expiresAt: after(30) }, now).text).toBeUndefined();
  expect(expiryOf({ expiresAt: after(3) }, now)).toEqual({ tone: "warn", text: "in 3 days" });
  expect(expiryOf({ expiresAt: after(0.5) }, now).text).toBe("in a day");
  expect(expiryOf({ expiresAt: after(-1) }, now).text).toBe("expired");
  expect(expiryOf({ expiresAt: after(30), revokedAt: after(-1) }, now).text).toBe("revoked");
});

test("lists valid tokens first, newest on top [S-59]", () => {
  const token = (name: string, created: number, expires: number) => ({
    ...{ name, createdAt: after(created), expiresAt: after(expires) },
  });
  const tokens = [token("ended", -1, -0.5), token("old", -9, 9), token("new", -2, 9)];
  expect(livingFirst(tokens, now).map(({ name }) => name)).toEqual(["new", "old", "ended"]);
});
