import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readBounded, writeFileAtomically } from "@skillhold/core/bundle";
import type { Proposed } from "@skillhold/core/session";
import { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Proposal, ProposalActor } from "../record/proposal.ts";
import { currentGeneration } from "../record/proposal.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { diffTrees } from "../release/diff.ts";
import { formatProposal, parseProposal } from "./proposal-file.ts";
import { type ProposalSubject, propose } from "./propose.ts";

/** A proposal file is at most this long. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Writes the file of a proposal, or replaces it. The name is the skill and the time of the proposal. */
export async function writeProposalFile(
  folder: string,
  proposal: Proposal,
  context: RegistryContext,
): Promise<string> {
  const { base, candidate } = currentGeneration(proposal);
  const text = formatProposal(proposal, await diffTrees(base, candidate, context));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = await choosePath(folder, proposal, context);
  await writeFileAtomically(path, `${path}.${randomUUID()}.part`, Buffer.from(text));
  return path;
}

/** Two proposals of one millisecond have the same name, so the second one gets its id, too. */
async function choosePath(folder: string, proposal: Proposal, context: RegistryContext): Promise<string> {
  const { id, skill, createdAt } = proposal;
  const stem = `${skill}-${createdAt.replaceAll(/[-:.]/g, "")}`;
  const path = join(folder, `${stem}.md`);
  const text = tryRead(path);
  const isFree = text === undefined || parseProposal(text, context.limits).id === id;
  return isFree ? path : join(folder, `${stem}-${id.slice(0, 8)}.md`);
}

function tryRead(path: string): string | undefined {
  const read = readBounded(path, MAX_BYTES);
  return "bytes" in read ? new TextDecoder().decode(read.bytes) : undefined;
}

export interface ImportedProposal {
  readonly file: string;
  /** `known`: the file is the copy of a stored proposal. */
  readonly status: "imported" | "known" | "failed";
  readonly proposal?: Proposed;
  readonly error?: SkillError;
}

/** Imports the files of a folder that are not copies of stored proposals, each once. */
export async function importProposalFolder(
  folder: string,
  author: ProposalActor,
  context: RegistryContext,
): Promise<readonly ImportedProposal[]> {
  const names = await readdir(folder).catch(() => []);
  const imported: ImportedProposal[] = [];
  for (const name of names.filter((each) => each.endsWith(".md")).sort())
    imported.push(await importProposalFile(join(folder, name), folder, author, context));
  return imported;
}

/**
 * Imports one file as a proposal. A file of the folder is then replaced by the copy of the stored proposal. A failure is a
 * result, so that other files are still imported.
 */
export async function importProposalFile(
  path: string,
  folder: string,
  author: ProposalActor,
  context: RegistryContext,
): Promise<ImportedProposal> {
  const file = basename(path);
  try {
    const text = tryRead(path);
    if (text === undefined)
      throw new SkillError("PATH_NOT_FOUND", `${path} cannot be read, or is larger than ${MAX_BYTES} bytes.`);
    const parsed = parseProposal(text, context.limits);
    const known = parsed.id === undefined ? undefined : await context.store.findProposal(parsed.id);
    if (known !== undefined) return { file, status: "known" };
    const proposal = await proposeFile(file, parsed, author, context);
    const stored = await context.store.findProposal(proposal.id);
    const copy = stored === undefined ? undefined : await writeProposalFile(folder, stored, context);
    if (dirname(resolve(path)) === resolve(folder) && copy !== resolve(path)) await rm(path, { force: true });
    return { file, status: "imported", proposal };
  } catch (error) {
    if (!(error instanceof SkillError) || error.code === "STORE_FAILED") throw error;
    return { file, status: "failed", error };
  }
}

async function proposeFile(
  file: string,
  { skill, base, diff, justification, evidence }: ReturnType<typeof parseProposal>,
  author: ProposalActor,
  context: RegistryContext,
): Promise<Proposed> {
  if (diff === undefined)
    throw new SkillError("USAGE", `${file} has no section "## Diff" with a unified diff.`);
  const subject = await subjectOf(file, skill, base, context);
  const notes = evidence.map((value) => ({ kind: "text", value }) as const);
  const request = { author, origin: "file", subject, justification, evidence: notes } as const;
  return await propose({ ...request, change: { diff } }, context);
}

async function subjectOf(
  file: string,
  id: string | undefined,
  given: string | undefined,
  { store }: RegistryContext,
): Promise<ProposalSubject> {
  if (id === undefined)
    throw new SkillError("USAGE", `${file} names no skill.`, {
      hint: "Add the field `skill` with the id of the skill to the frontmatter.",
    });
  const skill = await store.findSkill(id);
  if (skill === undefined || skill.status === "deleted") return { kind: "create", id };
  const { success, data: base = skill.treeHash } = Digest.safeParse(given);
  if (base === undefined || (given !== undefined && !success))
    throw new SkillError("USAGE", `The base of ${file} is not a tree hash.`);
  return { kind: "registry", skill: skill.id, base };
}
