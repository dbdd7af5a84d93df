import { generateKeyPairSync } from "node:crypto";
import { type AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { DefaultAgentCardResolver } from "@a2a-js/sdk/client";
import { routeTable } from "@skillhold/protocol/http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { putSkill } from "./gateway.fixture.ts";
import { openTestPort, type TestPort } from "./port.fixture.ts";

let port: TestPort;
beforeEach(async () => {
  port = await openTestPort({
    options: { isDiscoverable: true },
    cardKey: generateKeyPairSync("ed25519").privateKey,
  });
  const card = {
    name: "SEO",
    description: "Search",
    version: "1.2.0+abc",
    capabilities: { streaming: true, pushNotifications: false },
    skills: [
      { id: "open", name: "open", description: "About open.", tags: ["a", "b"], examples: ["Try it"] },
      { id: "secret", name: "secret", description: "About secret." },
    ],
  };
  await send("/registry/register", await agentOf("seo", "ann"), {
    id: "seo",
    url: "https://seo.test/a2a",
    agent_card: card,
  });
  await putSkill(port.gateway, "open", "ann", "public");
});
afterEach(() => port.close());

async function agentOf(key: string, user: string): Promise<string> {
  return (await port.gateway.asRole("agent", user, key)).authorization;
}

async function send(path: string, authorization: string, body: object): Promise<void> {
  const response = await fetch(`${port.origin}${path}`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

const CARD = "/workspaces/seo/.well-known/agent-card.json";

async function read(headers: Readonly<Record<string, string>> = {}, query = ""): Promise<Response> {
  return await fetch(`${port.origin}${CARD}${query}`, { headers });
}

/** Reads the card as the SDK does, with the headers of a caller. */
async function resolve(headers: Readonly<Record<string, string>> = {}): Promise<AgentCard> {
  const fetchImpl: typeof fetch = (url, init) =>
    fetch(url, { ...init, headers: { ...init?.headers, ...headers } });
  return await new DefaultAgentCardResolver({ fetchImpl }).resolve(`${port.origin}/workspaces/seo/`);
}

/** Fetches the key from the address in the signature. */
const verify = verifyAgentCardSignature(async (kid, jku) => {
  const { keys } = routeTable.listCardKeys.answer.parse(await (await fetch(jku ?? "")).json());
  const key = keys.find((each) => each["kid"] === kid);
  if (key === undefined) throw new Error(`There is no key ${kid}.`);
  return key;
});

test("the resolver of the A2A SDK reads the card, and its signature verifies [S-56]", async () => {
  const card = await resolve({ authorization: await agentOf("seo", "ann") });
  expect(card).toMatchObject({
    name: "SEO",
    version: "1.2.0+abc",
    supportedInterfaces: [
      { url: "https://seo.test/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    ],
    skills: [{ id: "open", tags: ["a", "b"], examples: ["Try it"] }, { id: "secret" }],
  });
  await verify(card);
});

test("a card with one changed byte is rejected by the SDK [S-56]", async () => {
  const card = await resolve({ authorization: await agentOf("seo", "ann") });
  vi.spyOn(console, "debug").mockReturnValue();
  for (const changed of [
    { ...card, description: "Searcg" },
    { ...card, skills: card.skills.slice(1) },
    { ...card, supportedInterfaces: [] },
  ])
    await expect(verify(changed)).rejects.toThrow("No valid signatures");
});

test("the card has an ETag, 304 for an equal one, and another after a change [S-56]", async () => {
  const first = await read();
  const etag = first.headers.get("etag") ?? "";
  expect([first.status, (await read({ "if-none-match": etag })).status]).toEqual([200, 304]);
  expect(first.headers.get("vary")).toContain("A2A-Version");
  const card = { name: "Search", skills: [] };
  await send("/registry/update-card", await agentOf("seo", "ann"), { workspace_id: "seo", agent_card: card });
  const next = await read({ "if-none-match": etag });
  expect([next.status, next.headers.get("etag") === etag]).toEqual([200, false]);
});

test("a caller sees only the skills that it may see [S-56]", async () => {
  const skillsFor = async (headers: Readonly<Record<string, string>>) => {
    const card = await resolve(headers);
    await verify(card);
    return card.skills.map(({ id }) => id);
  };
  const all = ["open", "secret"];
  await send("/registry/register", await agentOf("peer", "ann"), { id: "peer" });
  await send("/registry/register", await agentOf("far", "bob"), { id: "far" });
  const bearer = async (...who: readonly ["publisher" | "admin" | "viewer", string]) => ({
    authorization: (await port.gateway.asRole(...who)).authorization,
  });
  expect(await skillsFor(await bearer("admin", "root"))).toEqual(all);
  expect(await skillsFor(await bearer("publisher", "ann"))).toEqual(all);
  expect(await skillsFor({ authorization: await agentOf("peer", "ann") })).toEqual(all);
  expect(await skillsFor({ authorization: await agentOf("far", "bob") })).toEqual(["open"]);
  expect(await skillsFor(await bearer("viewer", "vic"))).toEqual(["open"]);
  expect(await skillsFor({})).toEqual(["open"]);
});

test("version 0.3 is sent on request [S-56]", async () => {
  for (const response of [await read({ "a2a-version": "0.3" }), await read({}, "?version=0.3")])
    expect(await response.json()).toMatchObject({
      protocolVersion: "0.3.0",
      url: "https://seo.test/a2a",
      preferredTransport: "JSONRPC",
      skills: [{ id: "open" }],
    });
});

test("without a token, a gateway that is not discoverable has no cards [S-56]", async () => {
  const hidden = await openTestPort();
  try {
    await hidden.gateway.asRole("agent", "ann", "seo");
    for (const path of [CARD, CARD.replace("seo", "none")])
      expect((await fetch(`${hidden.origin}${path}`)).status).toBe(404);
  } finally {
    await hidden.close();
  }
});
