import { randomUUID } from "node:crypto";
import { combineDigests, hashSkillFile } from "@skillhold/core/bundle";
import { type Actor, defaultLimits, type SkillEvent, SkillId, type Trust } from "@skillhold/protocol";
import type {
  RegisteredSkill,
  RegistryStore,
  RegistryTransaction,
  Revision,
  StagedFile,
} from "@skillhold/registry/record";
import { describeSkill } from "@skillhold/registry/test/release/skill-file";
import { parseSkill } from "@skillhold/skill";

export interface GivenSkill {
  readonly folder: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly trust?: Trust;
}

const by: Actor = { user: "ada", role: "admin" };

/**
 * Writes skills to a store in one transaction without checks, including invalid ones and very many. Skills
 * that no reader has seen yet need only one event.
 */
export async function putSkills(
  skills: readonly GivenSkill[],
  store: RegistryStore,
  { hasOneEvent = false } = {},
): Promise<void> {
  const staged = skills.map(stage);
  const blobs = new Map(staged.flatMap(({ files }) => files.map((file) => [file.digest, file])));
  await store.blobs.put([...blobs.values()].map(({ digest, content }) => ({ digest, bytes: content })));
  await store.transaction(async (tx) => {
    const found = await Promise.all(staged.map(({ id }) => tx.findSkill(id)));
    const releases = staged.flatMap((each, index) => {
      const before = found[index];
      const isThere = before?.treeHash === each.treeHash && before.status === "active";
      return isThere ? [] : [release(each, before)];
    });
    await Promise.all(releases.map((each) => putRelease(each, tx)));
    for (const each of hasOneEvent ? releases.slice(-1) : releases) await tx.append(eventOf(each));
  });
}

async function putRelease({ skill, revision, files }: Release, tx: RegistryTransaction): Promise<void> {
  const tree = files.map(({ path, size, digest, executable }) => ({ path, size, digest, executable }));
  await Promise.all([tx.putTree(revision.treeHash, tree), tx.putSkill(skill), tx.insertRevision(revision)]);
}

function eventOf({ skill, revision }: Release): SkillEvent {
  const { treeHash: hash, skillHash, trust, provenance, createdAt: at } = revision;
  return {
    type: "skill.published",
    at,
    skill: skill.id,
    by,
    revision: revision.revision,
    hash,
    skillHash,
    trust,
    visibility: skill.visibility,
    status: skill.status,
    provenance,
  };
}

/** Changes the row of a skill with an event in one transaction, as registry operations do. */
export async function changeRow(
  id: string,
  change: Partial<RegisteredSkill>,
  store: RegistryStore,
): Promise<void> {
  await store.transaction(async (tx) => {
    const skill = await tx.findSkill(id);
    if (skill === undefined) throw new Error(`there is no ${id}`);
    const at = new Date().toISOString();
    await tx.putSkill({ ...skill, updatedAt: at, ...change });
    const { status = skill.status, missing = skill.missing } = change;
    await tx.append({ type: "skill.status_changed", at, skill: skill.id, by, status, missing });
  });
}

type Staged = ReturnType<typeof stage>;
interface Release {
  readonly skill: RegisteredSkill;
  readonly revision: Revision;
  readonly files: readonly StagedFile[];
}

function stage({ folder, files: given, trust = "user" }: GivenSkill) {
  const files = Object.entries(given).map(([path, text]): StagedFile => {
    const content = typeof text === "string" ? new TextEncoder().encode(text) : text;
    const executable = path.startsWith("scripts/");
    return { path, size: content.length, digest: hashSkillFile(content), executable, content };
  });
  const content = files.find(({ path }) => path === "SKILL.md")?.content ?? new Uint8Array();
  const id = SkillId.parse(folder);
  const skill = parseSkill(content, defaultLimits);
  const paths = files.map(({ path }) => path);
  const record = describeSkill(id, skill, content, paths, defaultLimits);
  return {
    id,
    trust,
    files,
    skill,
    record,
    treeHash: combineDigests(files),
    skillHash: hashSkillFile(content),
  };
}

function release(staged: Staged, before: RegisteredSkill | undefined): Release {
  const { id, trust, files, skill, record, treeHash, skillHash } = staged;
  const at = new Date().toISOString();
  const number = (before?.lastRevision ?? 0) + 1;
  const uid = before?.uid ?? randomUUID();
  const revision: Revision = {
    skill: uid,
    revision: number,
    treeHash,
    skillHash,
    version: record.version,
    record,
    frontmatter: skill.frontmatter,
    manifest: { dependencies: [], notes: [] },
    trust,
    provenance: { source: "folder", by, at },
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    files: files.length,
    createdAt: at,
    purgedAt: undefined,
  };
  const row: RegisteredSkill = {
    uid,
    id,
    owner: by.user,
    visibility: "public",
    isSystem: false,
    isEnabled: true,
    status: "active",
    reason: undefined,
    missing: [],
    revision: number,
    lastRevision: number,
    treeHash,
    override: {},
    createdAt: before?.createdAt ?? at,
    updatedAt: at,
    deletedAt: undefined,
  };
  return { skill: row, revision, files };
}
