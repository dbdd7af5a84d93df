import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { MemoryTree } from "@skillhold/core/bundle";
import type { Provenance } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { SeenLog } from "../audit/log-witness.ts";
import type { GatewayAccess } from "../remote/index.ts";
import type { AttestedPackage } from "../signature/index.ts";
import type { Fetcher } from "./fetcher/index.ts";
import type { RunGit } from "./git/git-command.ts";
import type { SourceSpec } from "./source-spec.ts";

/** What sources work with. */
export interface SourcePorts {
  readonly fetcher: Fetcher;
  readonly git: RunGit;
  /** How to ask another gateway. */
  readonly gateway?: (url: string) => Promise<GatewayAccess>;
  /** The last seen states of the logs of other gateways. */
  readonly logs?: SeenLogs;
  readonly settings: InstallSettings;
  readonly limits: Limits;
  /** A folder of this install alone, for git and copies from gateways; its caller removes it. */
  readonly work: string;
  readonly signal?: AbortSignal | undefined;
}

export interface SeenLogs {
  find(gateway: string): SeenLog | undefined;
  keep(gateway: string, log: SeenLog): void;
}

export interface InstallSettings {
  readonly clawhubRegistry?: string | undefined;
  readonly npmRegistry?: () => Promise<string | undefined>;
  readonly codeload?: string | undefined;
  /** The login of an OCI registry, as `user:password` in Base64. */
  readonly ociLogin?: (host: string) => Promise<string | undefined>;
  /** Where relative folders start. */
  readonly cwd: string;
}

/** One kind of source. `resolve` determines the exact content, and its result fetches that content. */
export interface InstallSource<Spec extends SourceSpec> {
  resolve(spec: Spec, ports: SourcePorts): Promise<Resolved>;
}

/** The skills of a source, bound to bytes as exactly as the source allows. */
export interface Resolved {
  readonly skills: readonly OfferedSkill[];
  /** Skipped items with the reason, in plain words. */
  readonly notes: readonly string[];
  /** Reads the chosen skills. A refused skill does not block the others. */
  fetch(skills: readonly OfferedSkill[]): Promise<readonly (FetchedSkill | RefusedSkill)[]>;
}

export interface OfferedSkill {
  /** The user-facing name: the name of its folder, or the source's own name. */
  readonly name: string;
  /** The path in the source, `.` for the source itself. */
  readonly path: string;
}

export interface FetchedSkill extends OfferedSkill {
  readonly folder: string;
  /** The tree in memory that contains the folder; by default it is on the disk. */
  readonly tree?: MemoryTree;
  readonly origin: SkillOrigin;
  /** The package that the skill came in, where its registry attests it. */
  readonly attested?: AttestedPackage | undefined;
}

/** A skill that its source has and that cannot be taken. */
export interface RefusedSkill extends OfferedSkill {
  readonly error: SkillError;
}

export type Verified = "none" | "digest" | "signature";

/** Where the bytes of a skill came from, in the words of provenance. */
export interface SkillOrigin
  extends Pick<
    Provenance,
    | "source"
    | "origin"
    | "originUrl"
    | "ref"
    | "archiveDigest"
    | "spec"
    | "path"
    | "commit"
    | "subtree"
    | "publisher"
    | "release"
    | "digests"
  > {
  readonly verified: Verified;
  /** When the source says it was released, where the registry and not the author says so. */
  readonly releasedAt?: string | undefined;
  /** What a registry says against it; an install asks about each. */
  readonly warnings?: readonly string[] | undefined;
}

/** A new folder below the work folder. */
export function makeWork({ work }: Pick<SourcePorts, "work">, name: string): string {
  mkdirSync(work, { recursive: true });
  return mkdtempSync(join(work, `${name}-`));
}

/** Does work for one skill; a failure that is the skill's own becomes its result. */
export async function orRefused(
  skill: OfferedSkill,
  work: () => FetchedSkill | Promise<FetchedSkill>,
): Promise<FetchedSkill | RefusedSkill> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SkillError) || error.code === "INTERRUPTED") throw error;
    return { ...skill, error };
  }
}
