import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { combineDigests, errorCodeOf, normalizeRelative, writeNew } from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { z } from "zod";
import { SeenLog } from "../audit/log-witness.ts";
import { makeFolder } from "../exchange/make-folder.ts";
import { closeSwap, openSwap, recoverSwaps } from "../exchange/swap-folder.ts";
import type { StagedFile } from "../record/staged-skill.ts";
import { readBundle } from "../release/read-bundle.ts";
import type { SeenLogs } from "./source.ts";

/** When content was first seen here: the age of what no registry dates. */
export interface FirstSight {
  /** The times of the first calls for these keys. */
  see(keys: readonly string[], now: Date): Promise<ReadonlyMap<string, string>>;
}

/** The content that sources had when it was installed: what a merge starts from. */
export interface BaseStore {
  find(hash: Digest): Promise<readonly StagedFile[] | undefined>;
  keep(hash: Digest, files: readonly StagedFile[]): Promise<void>;
}

/** What the last check found at the source of a skill. */
const CheckedSkill = z.object({
  status: z.enum(["current", "outdated", "waiting", "pinned", "conflict", "failed"]),
  latest: z.string().optional(),
  /** When a release that waits is accepted. */
  until: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});
export type CheckedSkill = Readonly<z.infer<typeof CheckedSkill>>;

const UpdateChecks = z.object({ at: z.string(), skills: z.record(z.string(), CheckedSkill) });
export type UpdateChecks = Readonly<z.infer<typeof UpdateChecks>>;

const State = z.looseObject({
  version: z.literal(1),
  firstSeen: z.record(z.string(), z.string()).default({}),
  /** Ids of skills that are not updated, by the store they are in. */
  pins: z.record(z.string(), z.array(z.string())).default({}),
  /** The last checkpoint of each gateway's log. */
  checkpoints: z.record(z.string(), SeenLog).default({}),
  /** The last check for updates of each target. */
  checks: z.record(z.string(), UpdateChecks).default({}),
});
export type InstallRecords = z.infer<typeof State>;

/** What installs remember on this machine, in one JSON file. Readers see the old file or the new one. */
export class InstallState implements FirstSight {
  readonly #file: string;

  /** Removes the leftovers of killed processes. */
  constructor(file: string) {
    this.#file = file;
    recoverSwaps(dirname(file));
  }

  async see(keys: readonly string[], now: Date): Promise<ReadonlyMap<string, string>> {
    const state = this.read();
    const at = now.toISOString();
    const fresh = keys.filter((key) => !Object.hasOwn(state.firstSeen, key)).map((key) => [key, at]);
    const firstSeen = { ...state.firstSeen, ...Object.fromEntries(fresh) };
    if (fresh.length > 0) this.write({ ...state, firstSeen });
    return new Map(keys.map((key) => [key, firstSeen[key] ?? at]));
  }

  pinsOf(target: string): ReadonlySet<string> {
    const { pins } = this.read();
    return new Set(Object.hasOwn(pins, target) ? pins[target] : []);
  }

  setPin(target: string, id: string, isPinned: boolean): void {
    const state = this.read();
    const others = [...this.pinsOf(target)].filter((each) => each !== id);
    this.write({ ...state, pins: { ...state.pins, [target]: isPinned ? [...others, id].sort() : others } });
  }

  /** The last check for updates of a target. */
  checksOf(target: string): UpdateChecks | undefined {
    const { checks } = this.read();
    return Object.hasOwn(checks, target) ? checks[target] : undefined;
  }

  /** Replaces the check of a target; with `isPart`, only that of these skills. */
  keepChecks(target: string, found: UpdateChecks, isPart = false): void {
    const state = this.read();
    const before = isPart ? (this.checksOf(target)?.skills ?? {}) : {};
    const merged = { at: found.at, skills: { ...before, ...found.skills } };
    this.write({ ...state, checks: { ...state.checks, [target]: merged } });
  }

  /** The logs of other gateways, as they were last seen. */
  get logs(): SeenLogs {
    return {
      find: (gateway) => {
        const { checkpoints } = this.read();
        return Object.hasOwn(checkpoints, gateway) ? checkpoints[gateway] : undefined;
      },
      keep: (gateway, log) => {
        const state = this.read();
        this.write({ ...state, checkpoints: { ...state.checkpoints, [gateway]: log } });
      },
    };
  }

  read(): InstallRecords {
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
    } catch (error) {
      if (errorCodeOf(error) === "ENOENT")
        return { version: 1, firstSeen: {}, pins: {}, checkpoints: {}, checks: {} };
      throw new SkillError("IO_FAILED", `The file ${this.#file} cannot be read.`, { cause: error });
    }
    try {
      return State.parse(JSON.parse(text));
    } catch (error) {
      // A new file would silently lose pins and ages.
      throw new SkillError("CONFIG_INVALID", `The file ${this.#file} is damaged.`, {
        hint: "Correct the file, or move it away to start without pins and recorded ages.",
        cause: error,
      });
    }
  }

  write(state: InstallRecords): void {
    try {
      makeFolder(dirname(this.#file));
      const beside = openSwap(dirname(this.#file));
      try {
        writeFileSync(join(beside, "new"), `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
        renameSync(join(beside, "new"), this.#file);
      } finally {
        closeSwap(beside);
      }
    } catch (error) {
      if (error instanceof SkillError) throw error;
      throw new SkillError("IO_FAILED", `The file ${this.#file} cannot be written.`, { cause: error });
    }
  }
}

/** Stores bases as folders, named by hash. Each read verifies the hash; a damaged base is treated as missing. */
export function baseFolder(folder: string, limits: Limits): BaseStore {
  recoverSwaps(folder);
  const placeOf = (hash: Digest) => join(folder, hash.slice("sha256:".length));
  const find = async (hash: Digest) => {
    try {
      const place = placeOf(hash);
      const { files } = await readBundle(place, { within: place, allowHardLinks: true }, limits);
      return combineDigests(files) === hash ? files : undefined;
    } catch (error) {
      if (error instanceof SkillError) return undefined;
      throw error;
    }
  };
  const keep = async (hash: Digest, files: readonly StagedFile[]) => {
    if ((await find(hash)) !== undefined) return;
    makeFolder(folder);
    const beside = openSwap(folder);
    try {
      const fresh = join(beside, "new");
      mkdirSync(fresh);
      const made = new Set([fresh]);
      for (const { path, content, executable } of files)
        writeNew(fresh, normalizeRelative(path, limits), content, executable ? 0o755 : 0o644, made);
      rmSync(placeOf(hash), { recursive: true, force: true });
      renameSync(fresh, placeOf(hash));
    } finally {
      closeSwap(beside);
    }
  };
  return { find, keep };
}
