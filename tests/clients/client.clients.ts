import { join } from "node:path";
import { type ModelServer, startModelServer } from "@skillhold/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { configure, drivers, type Headless, run } from "./driver.ts";
import { installClients } from "./install.ts";
import { makeScene, type Scene, skillIds } from "./scene.ts";
import { listedName, replyWith, resultsOf } from "./scripted-model.ts";
import { hasTmux, Terminal } from "./terminal.ts";

let cache: string;
let scene: Scene | undefined;
let server: ModelServer | undefined;
/** One line of the table in docs/guide/mcp.md for each client. */
const table = new Map<string, Map<string, string>>();

beforeAll(() => {
  cache = installClients();
});
afterEach(async () => {
  await server?.close();
  scene?.remove();
});
afterAll(() => {
  const lines = [...table].map(
    ([client, facts]) => `${client}: ${JSON.stringify(Object.fromEntries(facts))}`,
  );
  process.stdout.write(`${lines.join("\n")}\n`);
});

const calls = [
  { name: "read_skill", input: { skill_id: "greet" } },
  { name: "read_skill_resource", input: { skill_id: "greet", path: "assets/logo.bin" } },
  { name: "call_skill_tool", input: { skill_id: "toolbox", tool: "add", args: { a: 1 } } },
];
const count = [
  { name: "run_skill_script", input: { skill_id: "wordcount", script: "count.mjs", args: ["a", "b"] } },
];

describe.each(drivers)("$id", (driver) => {
  const note = (fact: string, value: string | number) => {
    const facts = table.get(driver.id) ?? new Map<string, string>();
    table.set(driver.id, facts.set(fact, String(value)));
  };
  const modules = () => join(cache, "node_modules");

  /** Configures the client in a new scene, with a fake model that makes these calls. */
  async function prepare(script: typeof calls | typeof count | []) {
    scene = makeScene(cache);
    server = await startModelServer((request) => replyWith(script, request));
    configure(driver, scene, server.url);
    return { scene, server };
  }

  async function runHeadless(prompt: string, args: readonly string[] = []) {
    if (scene === undefined || server === undefined) throw new Error("The client is not configured.");
    const headless: Headless = driver.headless(prompt, scene, server.url, modules());
    const { code, out } = await run({ ...headless, args: [...headless.args, ...args] }, scene);
    expect(code, out.slice(-2000)).toBe(0);
    return server.requests.filter((request) => listedName(request, "read_skill") !== undefined);
  }

  test("shows the model the whole catalogue at once, text, one line for a binary, and callable tools [S-22] [S-24] [S-57] [S-69]", async () => {
    const { scene: place } = await prepare(calls);
    const root = ["--root", join(place.root, "skills"), "--no-store"];
    place.skillhold("call", "toolbox", "add", "--args", '{"a":1}', "--yes-for-this-content", ...root);
    const requests = await runHeadless("Please start.");
    const [first] = requests;
    const tools = JSON.stringify(first?.body["tools"]);
    expect(skillIds.filter((id) => !tools.includes(`\`${id}\` — `))).toEqual([]);
    const elsewhere = JSON.stringify({ ...first?.body, tools: undefined });
    note("skills listed with the tools", `${skillIds.length} of ${skillIds.length}`);
    note("skills listed in the prompt", skillIds.filter((id) => elsewhere.includes(`\`${id}\` — `)).length);
    const [read = "", binary = "", added = ""] = requests.map(resultsOf).at(-1) ?? [];
    expect(read).toContain("Skill loaded: greet");
    expect(read.replaceAll("\\", "")).toMatch(/<skill_content name="greet"/);
    expect(read).not.toMatch(/treeHash|structuredContent|isRepeat/);
    expect(binary).toContain("30000 bytes");
    expect(binary.length).toBeLessThanOrEqual(500);
    expect(added.replaceAll("\\", "")).toContain('"sum": 42');
    note("read_skill", `${read.length} characters`);
    note("binary file", `${binary.length} characters`);
    note("declared tool", "called");
  });

  test.runIf(driver.command !== undefined)(
    "passes all words that follow a command [S-27] [S-57] [S-69]",
    async () => {
      await prepare([]);
      const { prompt = "", args = [] } = driver.command?.("Ada King Lovelace") ?? {};
      const requests = await runHeadless(prompt, args);
      const said = requests.flatMap(({ messages }) => messages.map(({ text }) => text)).join("\n");
      expect(said).toContain("Greet: Ada King Lovelace!");
      note("command", "all words");
    },
  );

  test.runIf(driver.terminal !== undefined && hasTmux())(
    "asks its user before a script runs [S-28] [S-57] [S-69]",
    async () => {
      const { scene: place, server: model } = await prepare(count);
      const { start, before = [], ready, answers } = driver.terminal?.(place, model.url, modules()) ?? {};
      if (start === undefined || ready === undefined || answers === undefined)
        throw new Error("No terminal.");
      const terminal = new Terminal(start, place);
      try {
        for (const { screen, keys } of before) await terminal.answer(screen, keys);
        await terminal.until(ready);
        // The terminal interface does not wait for servers, so the prompt is repeated until the tools are there.
        await terminal.say("Please count.", () =>
          model.requests.some((each) => listedName(each, "run_skill_script") !== undefined),
        );
        for (const { screen, keys } of answers) await terminal.answer(screen, keys);
        await terminal.until(/All done\./);
        expect(model.requests.flatMap(resultsOf).join("\n")).toContain("counted 2");
        note("approval", "by the user in the terminal");
      } finally {
        terminal.close();
      }
    },
  );
});
