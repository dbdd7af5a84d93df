import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Host } from "@skillhold/skill";
import type { Source } from "../source/source.ts";
import { type FolderLibrary, type OpenLibraryOptions, openLibrary } from "./open-library.ts";

/** A host that has everything. */
export const fullHost: Host = {
  platform: "linux",
  hasEnv: () => true,
  hasBin: () => true,
  hasConfig: () => true,
};
export const anyone = { runtime: "test" };

/** A folder of its own for a test, and the libraries that were opened over it. */
export class FakeFolders {
  readonly root = mkdtempSync(join(tmpdir(), "skillhold-folders-"));
  readonly #open: FolderLibrary[] = [];

  write(path: string, content: string): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  }

  skill(path: string, yaml = "description: Does things.", body = "# Steps\n"): string {
    return this.write(`${path}/SKILL.md`, `---\nname: ${path.split("/").at(-1)}\n${yaml}\n---\n${body}`);
  }

  source(path: string, overrides: Partial<Source> = {}): Source {
    return { label: path, kind: "user", trust: "user", root: join(this.root, path), ...overrides };
  }

  async open(sources: readonly Source[], options: Partial<OpenLibraryOptions> = {}): Promise<FolderLibrary> {
    const library = await openLibrary({ sources, host: fullHost, ...options });
    this.#open.push(library);
    return library;
  }

  async close(): Promise<void> {
    for (const library of this.#open) await library.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 20) {
    if (await isTrue()) return;
    await setTimeout(20);
  }
  throw new Error("it did not happen within half a minute");
}
