import { mcpClients } from "@skillhold/cli/test/mcp-client/client-table";
import { agentClients, freeKey } from "@skillhold/console/test/view/connect/agent-client";
import { parse } from "smol-toml";
import { expect, test } from "vitest";

const origin = "https://skills.example.org";
const server = { url: `${origin}/mcp`, tokenVariable: "SKILLHOLD_TOKEN" };

test("the console shows the settings that the command line writes, for every client with servers by URL [S-57] [S-59]", () => {
  const written = mcpClients.flatMap(({ id, format, servers, entry, defaults }) => {
    const settings = entry(server);
    if (settings === undefined) return [];
    const inner: object = { skillhold: { ...settings, ...defaults } };
    return [{ id, format, whole: servers.reduceRight<object>((each, name) => ({ [name]: each }), inner) }];
  });
  const shown = agentClients.filter(({ kind }) => kind === "client");
  expect(shown.map(({ id }) => id).toSorted()).toEqual(written.map(({ id }) => id).toSorted());
  for (const { id, format, whole } of written) {
    const text = shown.find((each) => each.id === id)?.settings(origin) ?? "";
    expect([id, format === "toml" ? parse(text) : JSON.parse(text)]).toEqual([id, whole]);
  }
});

test("a new agent gets a key that is not in use [S-59]", () => {
  const [client] = agentClients;
  if (client === undefined) throw new Error("there are no clients");
  expect(freeKey(client, [])).toBe("claude-code");
  expect(freeKey(client, ["claude-code", "claude-code-2"])).toBe("claude-code-3");
});
