import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { type Asker, memoryApprovals } from "@skillhold/core/approval";
import { type MemorySkill, openMemoryLibrary, type Viewer } from "@skillhold/core/library";
import type { RunPorts } from "@skillhold/core/run";
import { openSession } from "@skillhold/core/session";
import type { SkillEvent } from "@skillhold/protocol";
import { bubblewrap } from "@skillhold/sandbox/backend";
import { openRunner } from "@skillhold/sandbox/run";
import { instructionsFor } from "./catalogue.ts";
import { McpConnection } from "./connection.ts";
import { type Caller, type McpHandlerOptions, mcpHandler } from "./http-handler.ts";
import { mcpServer } from "./mcp-server.ts";
import type { McpSkills } from "./port.ts";

/** A skill for a test: its folder, more frontmatter, its body, more files. */
export function skill(
  folder: string,
  { yaml = "", body = "# Steps\n", files = {}, trust = "user" as NonNullable<MemorySkill["trust"]> } = {},
): MemorySkill {
  const text = `---\nname: ${folder}\ndescription: About ${folder}.\n${yaml}---\n${body}`;
  return { folder, files: { "SKILL.md": text, ...files }, trust };
}

export interface SkillsFixture {
  readonly skills: McpSkills;
  readonly library: ReturnType<typeof openMemoryLibrary>;
  readonly events: SkillEvent[];
}

export interface FixtureOptions {
  readonly viewer?: Partial<Viewer>;
  /** The ports of runs, with a real sandbox. */
  readonly runs?: Partial<RunPorts>;
  readonly asker?: Asker;
  readonly settings?: Partial<McpSkills>;
}

const sandbox = bubblewrap();

export function openSkills(list: readonly MemorySkill[], options: FixtureOptions = {}): SkillsFixture {
  const host = {
    platform: "linux",
    hasEnv: () => false,
    hasBin: () => false,
    hasConfig: () => false,
  } as const;
  const library = openMemoryLibrary(list, { host });
  const events: SkillEvent[] = [];
  let ids = 0;
  const ports = {
    clock: { now: () => new Date() },
    ids: { next: () => `id-${++ids}` },
    audit: { record: (event: SkillEvent) => void events.push(event) },
  };
  const viewer: Viewer = { runtime: "test", user: "ada", ...options.viewer };
  const skills: McpSkills = {
    library,
    viewer,
    openSession: (ask) => {
      const runs = {
        runner: openRunner,
        sandbox,
        approvals: memoryApprovals(),
        asker: ask(options.asker),
        ...options.runs,
      };
      return openSession(library, viewer, options.runs === undefined ? ports : { ...ports, runs });
    },
    ...options.settings,
  };
  return { skills, library, events };
}

export type ClientOptions = NonNullable<ConstructorParameters<typeof Client>[1]>;

/** A client of the older revision, over memory. */
export async function connectOld(skills: McpSkills, options: ClientOptions = {}, name = "tester") {
  const connection = await McpConnection.open(skills);
  const mcp = mcpServer(connection, { instructions: await instructionsFor(connection) });
  const [there, here] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name, version: "1.0.0" }, options);
  await Promise.all([mcp.connect(there), client.connect(here)]);
  return { client, connection, mcp };
}

/** The text that a model gets. */
export function textOf({ content }: { readonly content: readonly object[] }): string {
  return content.map((block) => ("text" in block ? String(block.text) : "")).join("\n");
}

/** A handler for requests, and clients of it of either revision. */
export function openHttp(skills: McpSkills, options: Partial<McpHandlerOptions> = {}) {
  const { library } = skills;
  const handler = mcpHandler({ open: (who) => ({ ...skills, viewer: who.viewer }), library, ...options });
  const who: Caller = { key: "token-1", viewer: skills.viewer };
  const connect = async (
    revision: "2025-11-25" | "2026-07-28",
    settings: ClientOptions = {},
    caller: Caller = who,
  ) => {
    const mode = revision === "2025-11-25" ? "legacy" : { pin: revision };
    const client = new Client(
      { name: "tester", version: "1.0.0" },
      { ...settings, versionNegotiation: { mode } },
    );
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
        fetch: (url, init) => handler.fetch(new Request(url, init), caller),
      }),
    );
    return client;
  };
  return { handler, connect, who };
}
