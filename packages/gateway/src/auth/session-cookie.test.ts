import { expect, test } from "vitest";
import { readSessionCookie, sessionCookie } from "./session-cookie.ts";

const at = (host: string, cookie = "") => new Headers({ host, cookie });

test("gateways on two ports of a host have a cookie each [S-53]", () => {
  const [one = ""] = sessionCookie("a", 60, at("localhost:7878"), false).split(";");
  const [two = ""] = sessionCookie("b", 60, at("localhost:7879"), false).split(";");
  const both = `${one}; ${two}`;
  expect(readSessionCookie(at("localhost:7878", both), false)).toBe("a");
  expect(readSessionCookie(at("localhost:7879", both), false)).toBe("b");
  expect(readSessionCookie(at("localhost", both), false)).toBeUndefined();
});

test("with TLS the name is bound to the host [S-53]", () => {
  expect(sessionCookie("a", 60, at("skills.example.org"), true)).toMatch(/^__Host-skillhold=a; .*; Secure$/);
});
