import { expect, test } from "vitest";
import { admitIdentity } from "./sso.ts";
import type { SsoSettings } from "./sso-settings.ts";

const sso: SsoSettings = {
  ...{ issuer: "https://login.test", clientId: "gateway", label: "Test", scopes: [] },
  ...{ domains: ["example.org"], groupsClaim: "groups", groups: [], roles: [] },
  ...{ isOpen: true, role: "viewer", hasSignOut: false, resolve: async () => [] },
};
const claims = { iss: sso.issuer, sub: "1", email: "Ann@Example.org", email_verified: true };

test("an identity is its issuer and subject, with a verified email in lower case [S-70]", () => {
  expect(admitIdentity(claims, sso)).toEqual({
    ...{ issuer: "https://login.test", subject: "1", email: "ann@example.org", role: undefined },
  });
  const open = { ...sso, domains: [] };
  for (const email_verified of [false, undefined, "true", 1])
    expect(admitIdentity({ ...claims, email_verified }, open).email).toBeUndefined();
});

test.each([
  { email: "ann@example.org.evil.test" },
  { email: "ann@evil-example.org" },
  { email: "ann@sub.example.org" },
  { email: "example.org" },
  { email: ["ann@example.org"] },
  { email_verified: "true" },
  { email: undefined },
])("refuses %o when only example.org may enter [S-70]", (changed) => {
  expect(() => admitIdentity({ ...claims, ...changed }, sso)).toThrow(/allowed domain/);
});

test("only allowed groups enter, and the first matching group gives the role [S-70]", () => {
  const roles = [
    { group: "admins", role: "admin" },
    { group: "authors", role: "publisher" },
  ] as const;
  const strict = { ...sso, groups: ["staff"], roles };
  const roleOf = (groups: unknown) => admitIdentity({ ...claims, groups }, strict).role;
  expect(roleOf(["staff", "authors", "admins"])).toBe("admin");
  expect(roleOf(["staff", "authors"])).toBe("publisher");
  expect(roleOf(["staff"])).toBe("viewer");
  for (const groups of [["admins"], [], undefined, "staff", { staff: true }])
    expect(() => roleOf(groups)).toThrow(/none of the groups/);
});
