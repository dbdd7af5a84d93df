import { openArchiveFile } from "@skillhold/core/archive";
import { SkillError } from "@skillhold/protocol/error";
import { archiveTypes } from "@skillhold/protocol/http";
import type { Limits } from "@skillhold/protocol/limits";
import { importSkills as importInto } from "@skillhold/registry/exchange";
import type { Revision, RevisionPage } from "@skillhold/registry/record";
import { diffRevisions, publishArchive, rollback, type SkillDiff } from "@skillhold/registry/release";
import { z } from "zod";
import { actorOf, isPerson } from "../auth/principal.ts";
import { shortHash } from "../digest.ts";
import { isFresh } from "../http/condition.ts";
import type { Call, Handlers, Reply } from "../http/handler.ts";
import { withUpload } from "../http/upload.ts";
import type { RunningContext } from "../running-context.ts";
import { exchangeLimits } from "./exchange-limit.ts";
import { exportSkills } from "./export-handler.ts";
import { attachment } from "./file-answer.ts";
import { allowedRevision, getKnown, type KnownSkill } from "./known-skill.ts";
import { pageOf } from "./page.ts";
import { revisionView } from "./revision-view.ts";
import { recordStillServed, type Served } from "./served.ts";
import { packFiles } from "./skill-archive.ts";
import { changeIn, findSeen } from "./skill-change-handler.ts";
import { readFiles } from "./skill-content.ts";
import { originOf } from "./upload-name.ts";

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
  exportSkills,
  importSkills,
};

async function uploadSkills(
  call: Call<"uploadSkills">,
  context: RunningContext,
): Promise<Reply<"uploadSkills">> {
  const { registry, options } = context;
  const { dryRun = false, id, filename } = call.query;
  const origin = originOf(filename);
  const data = await withArchive(call, registry.limits, context, (archive) =>
    publishArchive(
      archive,
      {
        by: actorOf(call.principal),
        entry: "upload",
        dryRun,
        temporary: options.temporary,
        signal: call.signal,
        ...(isPerson(call.principal) ? {} : { mayReplace: (over) => isKnown(over, call, context) }),
        ...(id === undefined ? {} : { id }),
        ...(origin === undefined ? {} : { provenance: { origin } }),
      },
      registry,
    ),
  );
  return { data };
}

/** What an agent cannot see it does not replace, whoever's it is. */
async function isKnown(
  id: string,
  { principal }: Call<"uploadSkills">,
  context: RunningContext,
): Promise<boolean> {
  try {
    return (await getKnown(id, { principal }, context)).access.isVisible;
  } catch (error) {
    if (error instanceof SkillError && error.code === "SKILL_NOT_FOUND") return false;
    throw error;
  }
}

async function importSkills(
  call: Call<"importSkills">,
  context: RunningContext,
): Promise<Reply<"importSkills">> {
  const { registry, options } = context;
  const exportLimits = exchangeLimits(registry.limits);
  const data = await withArchive(call, exportLimits, context, (archive) =>
    importInto(
      archive,
      {
        by: actorOf(call.principal),
        dryRun: call.query.dryRun ?? false,
        temporary: options.temporary,
        signal: call.signal,
        exportLimits,
      },
      registry,
    ),
  );
  return { data };
}

/** Opens what was sent, as a file that is held open while it is worked on. */
async function withArchive<T>(
  call: Call<"uploadSkills" | "importSkills">,
  limits: Limits,
  { options, gates }: RunningContext,
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
  context: RunningContext,
): Promise<Reply<"listVersions">> {
  const known = await getKnown(call.params.id, { principal: call.principal }, context);
  const { rows, next } = await pageOf(call.query, {
    place: z.int().min(1),
    placeOf: ({ revision }: Revision) => revision,
    list: (before, limit) => listTold(known, { before, limit }, context),
  });
  const json = JSON.stringify({ versions: rows.map((each) => revisionView(each, known)), ...next });
  return { json, etag: shortHash(json) };
}

/** Those that are there for someone: one who is held to a revision has that one alone. */
async function listTold(
  known: KnownSkill,
  page: RevisionPage,
  { registry: { store } }: RunningContext,
): Promise<readonly Revision[]> {
  if (known.held === undefined) return [];
  const { pin } = known;
  if (pin === undefined) return await store.listRevisions(uidOf(known), page);
  const only = page.before === undefined ? await store.findRevision(uidOf(known), pin) : undefined;
  return only === undefined ? [] : [only];
}

async function diffVersions(
  call: Call<"diffVersions">,
  context: RunningContext,
): Promise<Reply<"diffVersions">> {
  const known = await getKnown(call.params.id, { principal: call.principal }, context);
  const to = allowedRevision(known, call.query.to);
  const from = allowedRevision(known, call.query.from ?? Math.max(1, to - 1));
  const diff = await diffRevisions(uidOf(known), from, to, { ...context.registry, diffs: context.diffs });
  const json = JSON.stringify(diff);
  const etag = shortHash(json);
  if (isFresh(call.headers, etag)) return { unchanged: etag };
  await recordStillServed(call, endsOf(known.access.entry.id, diff), context);
  return { json, etag };
}

/** Both revisions, where anything of them is shown: an end is known by its tree, for it is not sent whole. */
function endsOf(skill: string, { from, to, files, fields }: SkillDiff): readonly Served[] {
  if (files.length + fields.length === 0) return [];
  const bytes = files.reduce((sum, { text = "" }) => sum + Buffer.byteLength(text), 0);
  return [from, to].map(({ treeHash, revision }) => {
    return { skill, hash: treeHash, revision, digest: treeHash, bytes };
  });
}

async function rollbackSkill(
  call: Call<"rollbackSkill">,
  context: RunningContext,
): Promise<Reply<"rollbackSkill">> {
  const seen = await findSeen(call, context);
  const by = actorOf(call.principal);
  const change = () => rollback(call.params.id, call.body.revision, { by, seen }, context.registry);
  const { id, from, revision, treeHash } = await changeIn(call, change, context);
  return { data: { id, from, revision, treeHash } };
}

async function downloadSkill(
  call: Call<"downloadSkill">,
  context: RunningContext,
): Promise<Reply<"downloadSkill">> {
  const { principal, headers, query, params } = call;
  const { format = "zip", revision: wanted } = query;
  const known = await getKnown(params.id, { principal }, context);
  const { files, treeHash, revision } = await readFiles(known, wanted, context);
  const etag = treeHash;
  if (isFresh(headers, etag)) return { unchanged: etag };
  const read = () => packFiles(known, files, context);
  const { bytes, digest } = await context.archives.get(treeHash, format, read);
  const { id } = known.access.entry;
  await recordStillServed(
    call,
    [{ skill: id, hash: treeHash, revision, digest, bytes: bytes.length }],
    context,
  );
  const name = attachment(`${id}.${format}`);
  return {
    bytes,
    type: archiveTypes[format],
    etag,
    headers: { "content-disposition": name, "content-length": String(bytes.length) },
  };
}

/** Contract: it is of the registry. */
function uidOf({ held }: KnownSkill): string {
  return held?.current.skill.uid ?? "";
}
