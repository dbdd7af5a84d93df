import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { expect, test } from "vitest";
import type { GatewayMount } from "../mount.ts";
import { MountedTokens } from "./mounted-token.ts";
import type { Principal } from "./principal.ts";

function scene() {
  const ended: string[] = [];
  const errors: unknown[] = [];
  const mount: GatewayMount = {
    path: "/mcp",
    roles: ["agent"],
    handle: async () => new Response(),
    endToken: async (token) => void ended.push(token),
  };
  const broken: GatewayMount = { ...mount, endToken: () => Promise.reject(new Error("lost")) };
  const now = { ms: 0 };
  const clock = { now: () => new Date(now.ms) };
  const log = ({ error }: { readonly error?: unknown }) => void errors.push(error);
  const timers = new ManualTimers();
  const tokens = new MountedTokens({ mounts: [broken, mount], clock, timers, log });
  return { tokens, timers, ended, errors, now };
}

const principal = (token: string, agent?: string): Principal => ({
  role: agent === undefined ? "viewer" : "agent",
  user: "ann",
  agent,
  token,
  kind: "api",
  issuedAt: "2000-01-01T00:00:00.000Z",
  expiresAt: new Date(token === "short" ? 1000 : 9000).toISOString(),
});

test("notifies mounts once when a token is revoked, expires or loses its agent [S-53]", async () => {
  const { tokens, timers, ended, errors, now } = scene();
  for (const each of [
    principal("revoked"),
    principal("short"),
    principal("bot", "writer"),
    principal("kept"),
  ])
    tokens.note(each);
  await tokens.endToken("revoked");
  await tokens.endToken("revoked");
  await tokens.endToken("never seen");
  await tokens.endAgent("writer");
  await tokens.endExpired();
  expect(ended).toEqual(["revoked", "bot"]);
  now.ms = 1000;
  timers.advance(5000);
  await expect.poll(() => ended).toEqual(["revoked", "bot", "short"]);
  // A failing mount is logged and does not affect the others.
  expect(errors).toHaveLength(3);
  tokens.close();
});
