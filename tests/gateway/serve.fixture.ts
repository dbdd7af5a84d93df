import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeStores } from "@skillhold/cli/test/registry.fixture";
import { writeArchive } from "@skillhold/core/archive";
import { routeTable } from "@skillhold/protocol/http";
import type { z } from "zod";
import { compileCache } from "../compile-cache.ts";

const bin = fileURLToPath(new URL("../../packages/skillhold/bin/skillhold.js", import.meta.url));

/** The processes and folders of a test, which are removed with it. */
export class ServeScene {
  readonly #children = new Set<ChildProcess>();
  readonly #folders: string[] = [];

  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), "skillhold-serve-"));
    this.#folders.push(folder);
    return folder;
  }

  /** Starts the CLI in a clean environment. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningCommand {
    const home = this.folder();
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: home,
      env: { PATH: process.env["PATH"], HOME: home, ...compileCache, SKILLHOLD_USER: "ann", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#children.add(child);
    return new RunningCommand(child, home);
  }

  /** Starts a gateway and waits for its URL. */
  async serve(
    args: readonly string[] = [],
    {
      data = this.folder(),
      env = {},
    }: { readonly data?: string; readonly env?: Record<string, string> } = {},
  ): Promise<RunningGateway> {
    const command = this.start(["serve", "--port", "0", "--data", data, "--json", ...args], env);
    const line = await command.line();
    const answer = JSON.parse(line);
    if (!answer.ok) throw new Error(line);
    return { ...answer.data, data, command };
  }

  async close(): Promise<void> {
    for (const child of this.#children)
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
    for (const folder of this.#folders.splice(0)) removeStores(folder);
  }
}

export interface RunningGateway {
  readonly url: string;
  readonly signIn: string | null;
  readonly pid: number;
  readonly data: string;
  readonly command: RunningCommand;
}

export class RunningCommand {
  readonly child: ChildProcess;
  readonly home: string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly #listeners = new Set<() => void>();
  out = "";
  err = "";

  constructor(child: ChildProcess, home: string) {
    this.child = child;
    this.home = home;
    child.stdout?.on("data", (part) => this.#hear(() => (this.out += part)));
    child.stderr?.on("data", (part) => this.#hear(() => (this.err += part)));
    // The output is complete when the pipes are closed.
    this.ended = new Promise((resolve) =>
      child.once("close", (code, signal) => this.#hear(() => resolve({ code, signal }))),
    );
  }

  /** The first line of its output. */
  async line(): Promise<string> {
    await this.until(() => this.out.includes("\n"));
    return this.out.slice(0, this.out.indexOf("\n"));
  }

  /** Waits until it has said something; fails when it ended without. */
  async until(fits: () => boolean): Promise<void> {
    let isOver = false;
    void this.ended.then(() => {
      isOver = true;
    });
    while (!fits()) {
      if (isOver) throw new Error(`It ended: ${this.out}${this.err}`);
      await new Promise<void>((resolve) => {
        this.#listeners.add(resolve);
      });
    }
  }

  /** Ends it as a system does that shuts down. */
  async terminate() {
    this.child.kill("SIGTERM");
    return await this.ended;
  }

  #hear(change: () => void): void {
    change();
    for (const listener of this.#listeners) queueMicrotask(listener);
    this.#listeners.clear();
  }
}

/** Signs in with a link, and gives what a browser sends from then on. */
export async function signInWith(link: string | null): Promise<Readonly<Record<string, string>>> {
  const { origin, hash } = new URL(link ?? "");
  const response = await fetch(`${origin}/v1/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: hash.slice(1) }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  const { csrf } = routeTable.signIn.answer.parse(await response.json());
  const cookie = response.headers.getSetCookie().map((each) => each.split(";", 1)[0]);
  return { cookie: cookie.join("; "), "x-skillhold-csrf": csrf };
}

/** The header of an administrator's program. */
export async function tokenOf({ url, signIn }: Pick<RunningGateway, "url" | "signIn">) {
  const headers = { ...(await signInWith(signIn)), "content-type": "application/json" };
  const body = JSON.stringify({ name: "test", role: "admin" });
  const response = await fetch(`${url}/v1/tokens`, { method: "POST", headers, body });
  const { secret } = routeTable.issueToken.answer.parse(await response.json());
  return { authorization: `Bearer ${secret}` };
}

/** What a route without parameters answers, in the shape that its row has. */
export async function get<Answer>(
  url: string,
  row: { readonly answer: z.ZodType<Answer> },
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(await response.text());
  return row.answer.parse(await response.json());
}

/** The ids of the skills that a gateway lists. */
export async function listIds(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { skills } = await get(`${url}/v1/skills?view=all`, routeTable.listSkills, headers);
  return skills.map(({ entry }) => entry.id);
}

/** Writes a skill to a folder of its name. */
export function writeSkill(folder: string, id: string, files: Readonly<Record<string, string>> = {}): string {
  const all = { "SKILL.md": `---\nname: ${id}\ndescription: About ${id}.\n---\nDo it.\n`, ...files };
  for (const [path, text] of Object.entries(all)) {
    const file = join(folder, id, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return join(folder, id);
}

/** Publishes a skill at a gateway, and gives what came of it. */
export async function upload(url: string, id: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(`${url}/v1/skills/upload`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/zip" },
    body: await zipOf(id),
  });
  if (response.status !== 200) throw new Error(await response.text());
  return routeTable.uploadSkills.answer.parse(await response.json()).skills;
}

/** A skill as an archive that can be sent. */
export async function zipOf(id: string): Promise<Uint8Array<ArrayBuffer>> {
  const content = Buffer.from(`---\nname: ${id}\ndescription: About ${id}.\n---\nDo it.\n`);
  return new Uint8Array(await writeArchive("zip", [{ path: `${id}/SKILL.md`, content, executable: false }]));
}
