import {
  diffRevisions,
  importSkills as importInto,
  listRevisions,
  openArchiveFile,
  publishArchive,
  rollback,
} from "@skillhold/core/registry";
import { archiveTypes } from "@skillhold/protocol/http";
import type { Limits } from "@skillhold/protocol/limits";
import { isFresh } from "../http/condition.ts";
import type { Call, Handlers, Reply } from "../http/handler.ts";
import { withUpload } from "../http/upload.ts";
import { actorOf } from "../principal.ts";
import type { RunningContext } from "../running-context.ts";
import { exchangeLimits } from "./exchange-limit.ts";
import { exportSkills } from "./export-handler.ts";
import { attachment } from "./file-answer.ts";
import { allowedRevision, getKnown, type KnownSkill } from "./known-skill.ts";
import { revisionView } from "./revision-view.ts";
import { recordServed } from "./served.ts";
import { packFiles } from "./skill-archive.ts";
import { changeIn, findSeen } from "./skill-change-handler.ts";
import { readFiles } from "./skill-content.ts";
import { shortHash } from "./skill-row.ts";
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
        ...(id === undefined ? {} : { id }),
        ...(origin === undefined ? {} : { provenance: { origin } }),
      },
      registry,
    ),
  );
  return { data };
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
  { options }: RunningContext,
  work: (archive: Awaited<ReturnType<typeof openArchiveFile>>) => Promise<T>,
): Promise<T> {
  const place = { temporary: options.temporary, max: limits.archiveBytes };
  return await withUpload(call, place, async (path) => {
    const archive = await openArchiveFile(path, { limits, label: "The archive" });
    try {
      return await work(archive);
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
  const found = known.held === undefined ? [] : await listRevisions(uidOf(known), context.registry);
  const told = found.filter(({ revision }) => known.pin === undefined || known.pin === revision);
  const json = JSON.stringify({ versions: told.map((each) => revisionView(each, known)) });
  return { json, etag: shortHash(json) };
}

async function diffVersions(
  call: Call<"diffVersions">,
  context: RunningContext,
): Promise<Reply<"diffVersions">> {
  const known = await getKnown(call.params.id, { principal: call.principal }, context);
  const to = allowedRevision(known, call.query.to);
  const from = allowedRevision(known, call.query.from ?? Math.max(1, to - 1));
  const json = JSON.stringify(await diffRevisions(uidOf(known), from, to, context.registry));
  return { json, etag: shortHash(json) };
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
  await recordServed(call, [{ skill: id, hash: treeHash, revision, digest, bytes: bytes.length }], context);
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
