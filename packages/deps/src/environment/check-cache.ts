import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import type { IndexCache } from "@skillhold/core/library";
import type { Runtime } from "@skillhold/sandbox/backend";

/** The answers of one interpreter, kept for as long as nothing that they depend on has changed. */
export interface CheckCache {
  /** Undefined when it was never asked in this state, or the question cannot be kept. */
  load(question: CacheQuestion): Promise<readonly boolean[] | undefined>;
  save(question: CacheQuestion, answers: readonly boolean[], sites: readonly string[]): Promise<void>;
}

export interface CacheQuestion {
  /** The tree hash of the skill; without it nothing is kept. */
  readonly content: string | undefined;
  readonly environment: string | undefined;
  /** All that is asked, as text. */
  readonly asked: string;
}

export function openCheckCache(runtime: Runtime, cache: IndexCache | undefined): CheckCache {
  const load = (key: string) => readText(cache?.load(key));
  return {
    load: async (question) => {
      const sites = readSites(load(await runtimeKey(runtime)));
      if (question.content === undefined || sites === undefined) return undefined;
      const text = load(await questionKey(question, runtime, sites));
      return text !== undefined && /^[01]*$/.test(text)
        ? Array.from(text, (each) => each === "1")
        : undefined;
    },
    save: async (question, answers, sites) => {
      if (cache === undefined || question.content === undefined) return;
      const text = answers.map((each) => (each ? "1" : "0")).join("");
      cache.save(await runtimeKey(runtime), Buffer.from(JSON.stringify(sites)));
      cache.save(await questionKey(question, runtime, sites), Buffer.from(text));
    },
  };
}

/** Which folders an interpreter searches is known only by asking it: that is kept by the state of its file. */
async function runtimeKey({ program }: Runtime): Promise<string> {
  return `dependency-runtime:${digest([await stateOf(program)])}`;
}

/** An installation changes the folder that it writes to. */
async function questionKey(
  { content, environment, asked }: CacheQuestion,
  { program, version }: Runtime,
  sites: readonly string[],
): Promise<string> {
  const places = [program, ...sites, ...(environment === undefined ? [] : [environment])];
  const states = await Promise.all(places.map(stateOf));
  return `dependency-check:${digest([version ?? "", content ?? "", asked, ...states])}`;
}

async function stateOf(path: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  return stats === undefined ? path : [path, stats.ino, stats.size, stats.mtimeMs].join("\0");
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function readText(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString("utf8");
}

function readSites(text: string | undefined): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return Array.isArray(value) ? value.filter((site) => typeof site === "string") : undefined;
  } catch {
    // Nothing was kept, or it was damaged.
    return undefined;
  }
}
