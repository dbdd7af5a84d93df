import { hash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { z } from "zod";

/** The responses of a test server, which are sent unchecked. */
export interface Behaviour {
  list(cursor: string | undefined): unknown;
  get?(uri: string): unknown;
  read(uri: string): unknown;
  readonly capabilities?: Record<string, unknown>;
}

type NodeRequest = Parameters<ReturnType<typeof toNodeHandler>>[0];

export interface FileMap {
  readonly [path: string]: string | Uint8Array;
}

export interface Entry {
  uri: string;
  frontmatter: Record<string, unknown>;
  resources: { uri: string; digest: string; size: number }[] | "dynamic";
}

const EXTENSION = "io.modelcontextprotocol/skills";

/** A server with the low-level class, which does not validate its responses. */
export function makeServer(behaviour: Behaviour): Server {
  const capabilities = behaviour.capabilities ?? {
    resources: { listChanged: true },
    extensions: { [EXTENSION]: {} },
  };
  const server = new Server({ name: "impostor", version: "0" }, { capabilities });
  const params = z.looseObject({ cursor: z.string().optional() });
  // The results come from the test and may be invalid on purpose.
  server.setRequestHandler(
    "skills/list",
    { params },
    async ({ cursor }) => (await behaviour.list(cursor)) as never,
  );
  const { get } = behaviour;
  if (get !== undefined)
    server.setRequestHandler(
      "skills/get",
      { params: z.looseObject({ uri: z.string() }) },
      async ({ uri }) => (await get(uri)) as never,
    );
  if ("resources" in capabilities)
    server.setRequestHandler(
      "resources/read",
      async ({ params: { uri } }) => (await behaviour.read(uri)) as never,
    );
  return server;
}

export interface RunningServer {
  readonly url: string;
  /** Addresses of files that were asked for. */
  readonly reads: readonly string[];
  readonly lists: () => number;
  /** The values of the header that came with requests. */
  readonly authorizations: ReadonlySet<string>;
  readonly changed: () => void;
  readonly close: () => Promise<void>;
}

/** Serves over HTTP, in both eras of the protocol, and records the requests. */
export async function serveHttp(behaviour: Behaviour, at = 0): Promise<RunningServer> {
  const reads: string[] = [];
  let lists = 0;
  const authorizations = new Set<string>();
  const recorded: Behaviour = {
    ...behaviour,
    list: (cursor) => {
      lists += 1;
      return behaviour.list(cursor);
    },
    read: (uri) => {
      reads.push(uri);
      return behaviour.read(uri);
    },
  };
  const handler = createMcpHandler(() => makeServer(recorded));
  const node = toNodeHandler(handler);
  // Node types some fields as possibly undefined that the adapter types as optional.
  const http = createServer((request, response) => {
    authorizations.add(request.headers.authorization ?? "");
    void node(request as NodeRequest, response);
  });
  await new Promise<void>((resolve) => http.listen(at, "127.0.0.1", resolve));
  // A listening TCP server has a port.
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    reads,
    authorizations,
    lists: () => lists,
    changed: () => handler.notify.resourcesChanged(),
    close: async () => {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

export function digestOf(content: string | Uint8Array): string {
  return `sha256:${hash("sha256", content, "hex")}`;
}

/** The entry of a skill with these files, as an honest server lists it. */
export function entryOf(
  name: string,
  files: FileMap,
  frontmatter: Record<string, unknown> = { name, description: "Does things." },
): Entry {
  const resources = Object.entries(files).map(([path, content]) => ({
    uri: `skill://${name}/${encodePath(path)}`,
    digest: digestOf(content),
    size: Buffer.byteLength(content),
  }));
  return { uri: `skill://${name}/SKILL.md`, frontmatter, resources };
}

export function skillText(name: string, description = "Does things.", body = "# Steps\n"): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}`;
}

/** The answer to a request for one entry. */
export function skillOf(skill: unknown): unknown {
  return { ...CACHE, skill };
}

/** The answer to a request for a file. */
export function contentsOf(uri: string, content: string | Uint8Array | undefined): unknown {
  if (content === undefined) throw new Error(`There is no resource ${uri}.`);
  const body =
    typeof content === "string" ? { text: content } : { blob: Buffer.from(content).toString("base64") };
  return { ...CACHE, contents: [{ uri, ...body }] };
}

const CACHE = { ttlMs: 0, cacheScope: "private" };

export function pageOf(skills: readonly unknown[], nextCursor?: string): unknown {
  return { ...CACHE, skills, ...(nextCursor === undefined ? {} : { nextCursor }) };
}

/** Serves skills as they are: by name, each with its files. */
export function honest(skills: () => Readonly<Record<string, FileMap>>, entries = defaultEntries): Behaviour {
  return {
    list: () => pageOf(entries(skills())),
    read: (uri) => {
      const [, name = "", path = ""] = /^skill:\/\/([^/]+)\/(.+)$/.exec(uri) ?? [];
      return contentsOf(uri, skills()[name]?.[decodeURIComponent(path)]);
    },
  };
}

function defaultEntries(skills: Readonly<Record<string, FileMap>>): readonly Entry[] {
  return Object.entries(skills).map(([name, files]) => entryOf(name, files));
}

function encodePath(path: string): string {
  return path
    .split("/")
    .map((segment) => encodeURIComponent(segment))
    .join("/");
}
