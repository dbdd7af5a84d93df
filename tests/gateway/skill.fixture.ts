import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Published } from "@skillhold/core/session";
import type { Actor } from "@skillhold/protocol";
import { editSkill, publishFolder } from "@skillhold/registry/release";
import { freshDatabase } from "../postgres-database.ts";
import { ask, type Changed, openTestGateway, type TestGateway } from "./gateway.fixture.ts";

export const engines = ["sqlite", "postgres"] as const;
export type Engine = (typeof engines)[number];

export const ada: Actor = { user: "ada", role: "publisher" };

export async function openOn(engine: Engine, change: Changed = {}): Promise<TestGateway> {
  return await openTestGateway(engine === "sqlite" ? change : { ...change, url: await freshDatabase() });
}

/** Files by path; a path that ends in `*` is executable. SKILL.md is generated unless it is given. */
export type SkillFiles = Readonly<Record<string, string | Uint8Array>>;

export interface Putting {
  readonly by?: Actor;
  readonly visibility?: "public";
  readonly files?: SkillFiles;
  /** Additional lines of the frontmatter. */
  readonly fields?: string;
  readonly body?: string;
}

/** Publishes a skill or a new revision. */
export async function put(
  { registry, folder }: Pick<TestGateway, "registry" | "folder">,
  id: string,
  { by = ada, visibility, files = {}, fields = "", body = "Do it." }: Putting = {},
): Promise<Published> {
  const place = join(folder, "work", registry.ids.next(), id);
  for (const [name, content] of Object.entries({ "SKILL.md": skillText(id, body, fields), ...files })) {
    const path = join(place, name.replace(/\*$/, ""));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    if (name.endsWith("*")) await chmod(path, 0o755);
  }
  const published = await publishFolder(place, { by }, registry);
  if (visibility !== undefined) await editSkill(id, { visibility }, { by }, registry);
  return published;
}

/** Refreshes a gateway after a commit from outside, because PostgreSQL notifications arrive later. */
export async function catchUp({ context }: Pick<TestGateway, "context">): Promise<void> {
  await context.library.refresh();
}

export function skillText(id: string, body = "Do it.", fields = ""): string {
  return `---\nname: ${id}\ndescription: Does ${id} things.\n${fields}---\n${body}\n`;
}

type Headers = Readonly<Record<string, string>>;

/** Sends requests with the given default headers. */
export function asker(gateway: TestGateway, who: Headers) {
  return async (
    method: string,
    path: string,
    { body, headers = {} }: { readonly body?: unknown; readonly headers?: Headers } = {},
  ): Promise<Response> => ask(gateway, method, path, { headers: { ...who, ...headers }, body });
}

/** Sends bytes as the body. */
export async function send(
  { app }: TestGateway,
  path: string,
  bytes: Uint8Array | ReadableStream<Uint8Array>,
  headers: Headers,
): Promise<Response> {
  const init = { method: "POST", headers: { "content-type": "application/zip", ...headers } };
  // Node requires this option for a stream body.
  const streamed = { ...init, body: bytes, duplex: "half" } as RequestInit;
  return await app.request(`http://${headers["host"]}${path}`, streamed);
}
