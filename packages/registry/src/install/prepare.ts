import { dirname } from "node:path";
import type { Clock } from "@skillhold/core/port";
import type { Diagnostic } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isMap } from "@skillhold/skill";
import type { StagedSkill } from "../record/staged-skill.ts";
import { invalidSkill, stageFolder } from "../release/stage.ts";
import {
  checkAttestations,
  checkSignatures,
  missingVerifier,
  NO_SIGSTORE,
  type SignatureCheck,
  strongest,
  type TrustedKeys,
} from "../signature/index.ts";
import { type Guard, type InstallFindings, noGuard } from "./guard.ts";
import type { FirstSight } from "./install-state.ts";
import type { FetchedSkill, OfferedSkill, Resolved, SkillOrigin, SourcePorts } from "./source.ts";
import { requirementFor, type TrustPolicy } from "./trust-policy.ts";

export interface PrepareContext {
  readonly ports: SourcePorts;
  readonly clock: Clock;
  readonly trust: TrustedKeys;
  readonly policy: TrustPolicy;
  readonly firstSight: FirstSight;
  readonly guard?: Guard;
  /** Receives each step of the work. */
  readonly onStep?: (step: PrepareStep) => void;
}

export interface PrepareStep {
  readonly stage: "fetching" | "checking";
  /** Of the skill that is checked. */
  readonly name?: string;
  /** How many skills are done. */
  readonly done: number;
  readonly total: number;
}

/** A skill that was fetched, staged and checked, and is not confirmed yet. */
export interface Prepared {
  readonly staged: StagedSkill;
  readonly origin: SkillOrigin;
  readonly signature: SignatureCheck;
  readonly guard: InstallFindings;
  /** When this content was released, or first seen here. */
  readonly firstSeen: string;
}

export interface PrepareFailure {
  readonly name: string;
  readonly path: string;
  readonly error: SkillError;
}

export interface Preparation {
  readonly prepared: readonly Prepared[];
  readonly failures: readonly PrepareFailure[];
  readonly notes: readonly string[];
}

export interface Selection {
  /** Names or ids of the skills to take; empty for all. */
  readonly names: readonly string[];
  /** The id to install under; for one skill alone. */
  readonly id?: string | undefined;
}

/** Fetches and stages the chosen skills of a source. Each has its own result. */
export async function prepareInstall(
  resolved: Resolved,
  selection: Selection,
  context: PrepareContext,
): Promise<Preparation> {
  if (resolved.skills.length === 0)
    throw new SkillError("SKILL_NOT_FOUND", "The source has no skill.", {
      hint: "A skill is a folder with a SKILL.md. Name the folder that holds it, or another ref.",
    });
  const offered = chooseOffered(resolved.skills, selection.names);
  context.onStep?.({ stage: "fetching", done: 0, total: offered.length });
  const fetched = await resolved.fetch(offered);
  const looked: Looked[] = [];
  const failures: PrepareFailure[] = [];
  for (const [done, skill] of fetched.entries()) {
    const name = skill.name || skill.path;
    context.onStep?.({ stage: "checking", name, done, total: fetched.length });
    if ("error" in skill) {
      failures.push(skill);
      continue;
    }
    try {
      looked.push(await prepareOne(skill, fetched.length === 1 ? selection.id : undefined, context));
    } catch (error) {
      if (!(error instanceof SkillError) || error.code === "INTERRUPTED") throw error;
      failures.push({ name: skill.name, path: skill.path, error });
    }
  }
  const prepared = await date(looked, context);
  return narrow({ prepared, failures, notes: resolved.notes }, resolved.skills, selection);
}

type Looked = Omit<Prepared, "firstSeen">;

/**
 * Sets `firstSeen` to the registry's release date, or without one to the time when this content was first seen here.
 */
async function date(
  looked: readonly Looked[],
  { firstSight, clock }: PrepareContext,
): Promise<readonly Prepared[]> {
  const undated = looked.filter(({ origin }) => origin.releasedAt === undefined);
  const seen = await firstSight.see(
    undated.map(({ staged }) => staged.treeHash),
    clock.now(),
  );
  return looked.map((each) => ({
    ...each,
    firstSeen: each.origin.releasedAt ?? seen.get(each.staged.treeHash) ?? clock.now().toISOString(),
  }));
}

/** By the names of their folders; a name that no folder has may be one that SKILL.md gives, so all are fetched. */
function chooseOffered(skills: readonly OfferedSkill[], names: readonly string[]): readonly OfferedSkill[] {
  if (names.length === 0) return skills;
  const isNamed = ({ name, path }: OfferedSkill) => names.includes(name) || names.includes(path);
  const chosen = skills.filter(isNamed);
  const hasAll = names.every((name) => chosen.some((skill) => skill.name === name || skill.path === name));
  return hasAll ? chosen : skills;
}

/** Leaves the named ones; without names, those that are not marked as internal. */
function narrow(found: Preparation, offered: readonly OfferedSkill[], { names, id }: Selection): Preparation {
  if (names.length === 0) {
    const shown = found.prepared.filter(({ staged }) => found.prepared.length === 1 || !isInternal(staged));
    return { ...found, prepared: shown };
  }
  const isNamed = ({ staged, origin }: Prepared) =>
    names.some((name) =>
      [staged.id, staged.record.name, origin.path, origin.path?.split("/").at(-1)].includes(name),
    ) ||
    (id !== undefined && found.prepared.length === 1);
  const prepared = found.prepared.filter(isNamed);
  const failures = found.failures.filter(({ name, path }) => names.includes(name) || names.includes(path));
  if (prepared.length + failures.length > 0) return { ...found, prepared, failures };
  const there = offered.slice(0, 20).map(({ name, path }) => name || path);
  throw new SkillError("SKILL_NOT_FOUND", `The source has no skill ${names.join(", ")}.`, {
    hint: `The source offers: ${there.join(", ")}${offered.length > 20 ? ", …" : ""}.`,
  });
}

function isInternal({ skill }: StagedSkill): boolean {
  const metadata = skill.frontmatter["metadata"];
  return isMap(metadata) && (metadata["internal"] === true || metadata["internal"] === "true");
}

async function prepareOne(
  { folder, tree, origin, attested }: FetchedSkill,
  id: string | undefined,
  context: PrepareContext,
): Promise<Looked> {
  const { ports, clock, trust, guard = noGuard } = context;
  // Helpers beside a skill belong to it only where the folder is the user's own.
  const within = origin.source === "folder" ? dirname(folder) : folder;
  const staged = await stageFolder(folder, { id, within, tree, signal: ports.signal }, ports.limits);
  const attestation =
    attested === undefined ? [] : [checkAttestations(attested, trust.sigstore ?? NO_SIGSTORE)];
  const signature = strongest([...attestation, checkSignatures(staged.files, trust, clock.now())]);
  const known = withSignature(origin, signature, signature === attestation[0]);
  rejectUnsigned(staged.id, known, signature, context.policy);
  const report = await guard(staged);
  rejectFindings(report.findings);
  return { staged, origin: known, signature, guard: report };
}

function withSignature(origin: SkillOrigin, signature: SignatureCheck, isAttested: boolean): SkillOrigin {
  if (signature.status !== "verified") return origin;
  // The identity of an attestation names the repository and the workflow that built the package.
  const digests = isAttested ? { ...origin.digests, builtBy: signature.keyId.slice(0, 512) } : origin.digests;
  return { ...origin, digests, verified: "signature" };
}

/** A signature that does not fit always refuses; whether there has to be one is for the policy to say. */
function rejectUnsigned(
  id: string,
  origin: SkillOrigin,
  signature: SignatureCheck,
  policy: TrustPolicy,
): void {
  if (signature.status === "invalid")
    throw new SkillError("INTEGRITY_FAILED", `The signature of ${id} does not fit: ${signature.reason}.`, {
      hint: "Nothing was installed. Ask the publisher for a release with a signature that fits.",
      details: { id, format: signature.format },
    });
  const needed = requirementFor(origin, policy);
  const isEnough =
    needed === "none" ||
    origin.verified === "signature" ||
    (needed === "digest" && origin.verified === "digest");
  if (isEnough) return;
  if (signature.status === "untrusted" && signature.missing !== undefined)
    throw missingVerifier(id, signature.missing);
  const found = signature.status === "untrusted" ? signature.reason : "it has no signature";
  throw new SkillError(
    "POLICY_DENIED",
    `${id} needs a ${needed} by the policy of its source, and ${found}.`,
    {
      hint: "Add the signer with `skillhold trust add`, or change the policy of the source.",
      details: { id, require: needed },
    },
  );
}

function rejectFindings(findings: readonly Diagnostic[]): void {
  if (findings.some(({ severity }) => severity === "error")) throw invalidSkill(findings);
}
