import { openArchiveFile } from "@skillhold/core/archive";
import { neutralText } from "@skillhold/core/text";
import type { Provenance } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { archiveTypes } from "@skillhold/protocol/http";
import type { Limits } from "@skillhold/protocol/limits";
import { importSkills as importInto } from "@skillhold/registry/exchange";
import type { Revision, RevisionPage } from "@skillhold/registry/record";
import { diffRevisions, publishArchive, rollback, type SkillDiff } from "@skillhold/registry/release";
import { z } from "zod";
import { isPerson, principalActor } from "../auth/principal.ts";
import { shortHash } from "../bytes.ts";
import { isFresh } from "../http/condition.ts";
import type { Call, Handlers, Reply } from "../http/handler.ts";
import type { Served } from "../http/served.ts";
import { withUpload } from "../http/upload.ts";
import type { CatalogueContext, RunningContext } from "../running-context.ts";
import { allowedRevision, type DisclosedSkill, getDisclosedSkill } from "../skill/disclosed-skill.ts";
import { attachment } from "../skill/file-response.ts";
import { packFiles, readFileList } from "../skill/skill-content.ts";
import { exportHandler, exportLimits } from "./export-handler.ts";
import { readPage } from "./page.ts";
import { changeRegistered, findExpected } from "./skill-change-handler.ts";

type ReleaseOperation =
  | "uploadSkills"
  | "listVersions"
  | "diffVersions"
  | "rollbackSkill"
  | "downloadSkill"
  | "exportSkills"
  | "importSkills";

export const releaseHandlers: Pick<Handlers, ReleaseOperation> = {
  uploadSkills,
  listVersions,
  diffVersions,
  rollbackSkill,
  downloadSkill,
  exportSkills: exportHandler,
  importSkills,
};

async function uploadSkills(
  call: Call<"uploadSkills">,
  context: CatalogueContext,
): Promise<Reply<"uploadSkills">> {
  const { registry } = context;
  const { dryRun = false, id, filename } = call.query;
  const origin = baseName(filename);
  const data = await withArchive(call, registry.limits, context, (archive) =>
    publishArchive(
      archive,
      {
        by: principalActor(call.principal),
        entry: "upload",
        dryRun,
        signal: call.signal,
        ...(isPerson(call.principal) ? {} : { mayReplace: (over) => isVisibleTo(over, call, context) }),
        ...(id === undefined ? {} : { id }),
        ...(origin === undefined ? {} : { provenance: { origin } }),
      },
      registry,
    ),
  );
  return { data };
}

/** The file name of an archive without folders, as one line of plain text. */
function baseName(filename: string | undefined): string | undefined {
  const name = neutralText(filename?.split(/[/\\]/).at(-1) ?? "", 200);
  return name === "" ? undefined : name;
}

/** An agent can only replace skills that it can see, regardless of their owner. */
async function isVisibleTo(
  id: string,
  { principal }: Call<"uploadSkills">,
  context: CatalogueContext,
): Promise<boolean> {
  try {
    return (await getDisclosedSkill(id, { principal }, context)).access.isVisible;
  } catch (error) {
    if (error instanceof SkillError && error.code === "SKILL_NOT_FOUND") return false;
    throw error;
  }
}

async function importSkills(
  call: Call<"importSkills">,
  context: CatalogueContext,
): Promise<Reply<"importSkills">> {
  const { registry } = context;
  const limits = exportLimits(registry.limits);
  const data = await withArchive(call, limits, context, (archive) =>
    importInto(
      archive,
      {
        by: principalActor(call.principal),
        dryRun: call.query.dryRun ?? false,
        signal: call.signal,
        exportLimits: limits,
      },
      registry,
    ),
  );
  return { data };
}

/** Stores the body of the request in a temporary file that stays open during the work. */
async function withArchive<T>(
  call: Call<"uploadSkills" | "importSkills">,
  limits: Limits,
  { options, gates }: CatalogueContext,
  work: (archive: Awaited<ReturnType<typeof openArchiveFile>>) => Promise<T>,
): Promise<T> {
  const place = { temporary: options.temporary, max: limits.archiveBytes };
  return await withUpload(call, place, async (path) => {
    const archive = await openArchiveFile(path, { limits, label: "The archive" });
    try {
      return await gates.heavy.pass(call.principal.token, () => work(archive), call.signal);
    } finally {
      await archive.close();
    }
  });
}

async function listVersions(
  call: Call<"listVersions">,
  context: CatalogueContext,
): Promise<Reply<"listVersions">> {
  const skill = await getDisclosedSkill(call.params.id, { principal: call.principal }, context);
  const { rows, next } = await readPage(call.query, {
    position: z.int().min(1),
    positionOf: ({ revision }: Revision) => revision,
    list: (before, limit) => listRevisions(skill, { before, limit }, context),
  });
  const json = JSON.stringify({ versions: rows.map((each) => revisionView(each, skill)), ...next });
  return { json, etag: shortHash(json) };
}

/** A caller with a pin sees only the pinned revision. */
async function listRevisions(
  skill: DisclosedSkill,
  page: RevisionPage,
  { registry: { store } }: CatalogueContext,
): Promise<readonly Revision[]> {
  if (skill.held === undefined) return [];
  const { pin } = skill;
  if (pin === undefined) return await store.listRevisions(uidOf(skill), page);
  const pinned = page.before === undefined ? await store.findRevision(uidOf(skill), pin) : undefined;
  return pinned === undefined ? [] : [pinned];
}

function revisionView(stored: Revision, { held, canManage }: DisclosedSkill) {
  const { revision, treeHash, skillHash, version, record, trust, provenance, bytes, files } = stored;
  const { createdAt, purgedAt } = stored;
  return {
    revision,
    isCurrent: held?.current.skill.revision === revision,
    treeHash,
    skillHash,
    ...(version === undefined ? {} : { version }),
    name: record.name,
    description: record.description,
    trust,
    provenance: canManage ? provenance : publicProvenance(provenance),
    bytes,
    files,
    createdAt,
    ...(purgedAt === undefined ? {} : { purgedAt }),
  };
}

/** Only managers see the agent and the file or folder that a revision came from. */
function publicProvenance({ origin: _, by: { user, role }, ...rest }: Provenance): Provenance {
  return { ...rest, by: { user, role } };
}

async function diffVersions(
  call: Call<"diffVersions">,
  context: RunningContext,
): Promise<Reply<"diffVersions">> {
  const skill = await getDisclosedSkill(call.params.id, { principal: call.principal }, context);
  const to = allowedRevision(skill, call.query.to);
  const from = allowedRevision(skill, call.query.from ?? Math.max(1, to - 1));
  const diff = await diffRevisions(uidOf(skill), from, to, { ...context.registry, diffs: context.diffs });
  const json = JSON.stringify(diff);
  const etag = shortHash(json);
  if (isFresh(call.headers, etag)) return { unchanged: etag };
  return { json, etag, served: servedByDiff(skill.access.entry.id, diff) };
}

/** Both revisions of a diff with changes. Their digest is the tree hash, because neither is sent as a whole. */
function servedByDiff(skill: string, { from, to, files, fields }: SkillDiff): readonly Served[] {
  if (files.length + fields.length === 0) return [];
  const bytes = files.reduce((sum, { text = "" }) => sum + Buffer.byteLength(text), 0);
  return [from, to].map(({ treeHash, revision }) => {
    return { skill, hash: treeHash, revision, digest: treeHash, bytes };
  });
}

async function rollbackSkill(
  call: Call<"rollbackSkill">,
  context: CatalogueContext,
): Promise<Reply<"rollbackSkill">> {
  const seen = await findExpected(call, context);
  const by = principalActor(call.principal);
  const change = () => rollback(call.params.id, call.body.revision, { by, seen }, context.registry);
  const { id, from, revision, treeHash } = await changeRegistered(call, change, context);
  return { data: { id, from, revision, treeHash } };
}

async function downloadSkill(
  call: Call<"downloadSkill">,
  context: RunningContext,
): Promise<Reply<"downloadSkill">> {
  const { principal, headers, query, params } = call;
  const { format = "zip", revision: wanted } = query;
  const skill = await getDisclosedSkill(params.id, { principal }, context);
  const { files, treeHash, revision } = await readFileList(skill, wanted, context);
  const etag = treeHash;
  if (isFresh(headers, etag)) return { unchanged: etag };
  const read = () => packFiles(skill, files, context);
  const { bytes, digest } = await context.archives.get(treeHash, format, read);
  const { id } = skill.access.entry;
  const disposition = attachment(`${id}.${format}`);
  return {
    bytes,
    type: archiveTypes[format],
    etag,
    headers: { "content-disposition": disposition, "content-length": String(bytes.length) },
    served: [{ skill: id, hash: treeHash, revision, digest, bytes: bytes.length }],
  };
}

/** Contract: the skill is in the registry. */
function uidOf({ held }: DisclosedSkill): string {
  return held?.current.skill.uid ?? "";
}
